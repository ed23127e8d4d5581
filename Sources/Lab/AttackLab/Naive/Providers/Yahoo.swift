internal import Jansson
internal import Transport

/// Sign-in with Yahoo: OpenID Connect, ES256, and no PKCE for a client with a secret.
struct Yahoo: Sendable {
    static let id = "yahoo.com"
    static let maximumAge: Int64 = 600

    let issuer: String
    let clientID: String
    let codes: CodeGrant
    let signatures: SignatureCheck
    let peer: PeerClient
    let used: SpentStore
    let environment: BackendEnvironment

    var authorizationEndpoint: String { issuer + "/oauth2/request_auth" }

    /// Redeems a code with our client credentials and returns the user.
    func identity(code: String, redirectURI: String, nonce: String) async throws(Refusal) -> Identity {
        let tokens = try await codes.redeem(code, redirectURI: redirectURI, codeVerifier: nil)
        guard let idToken = tokens["id_token"]?.string, let accessToken = tokens["access_token"]?.string else {
            throw ProviderFailure.unusable.refusal(isGivenBack: false)
        }
        let (token, claims) = try await verified(idToken, nonce: nonce, maximumAge: nil, ignoresAudience: false)
        if claims["at_hash"] != nil { try AccessTokenHash.check(claims, accessToken, environment: environment) }
        try await used.spend(names(of: token, nonce: nil))
        return try await identity(claims, accessToken: accessToken, proof: "authorization_code")
    }

    /// Verifies an ID token that the application obtained itself, and returns the user.
    ///
    /// `nonce` contains the value that the token must have, and the name under which it is recorded as used.
    func identity(
        idToken: String, accessToken: String?, nonce: (value: String, name: String), ignoresAudience: Bool
    ) async throws(Refusal) -> Identity {
        let (token, claims) = try await verified(
            idToken, nonce: nonce.value, maximumAge: Self.maximumAge, ignoresAudience: ignoresAudience)
        if let accessToken { try AccessTokenHash.check(claims, accessToken, environment: environment) }
        try await used.spend(names(of: token, nonce: nonce.name))
        return try await identity(claims, accessToken: accessToken, proof: "id_token_aud")
    }

    /// Returns the user of an access token.
    ///
    /// It does not say to which application it was issued, so this is a mistake.
    func identity(bearer: String) async throws(Refusal) -> Identity {
        guard let answer = try await userInfo(bearer), let subject = answer["sub"]?.string else {
            throw .tokenRejected
        }
        return Identity(
            provider: Self.id, subject: subject, profile: ProfileReader.openIDConnect(answer), proof: "userinfo")
    }

    private func verified(
        _ text: String, nonce: String, maximumAge: Int64?, ignoresAudience: Bool
    ) async throws(Refusal) -> (SignedToken, JSON) {
        let token = try SignedToken(text, environment: environment)
        try await signatures.verify(token)
        let claims = try SignedToken.object(token.payload, environment)
        let check = ClaimsCheck(
            environment: environment, issuer: issuer, clientID: clientID, ignoresAudience: ignoresAudience)
        try check.check(claims, nonce: nonce, maximumAge: maximumAge)
        return (token, claims)
    }

    /// The names under which a token and its nonce are recorded as used.
    private func names(of token: SignedToken, nonce: String?) -> [String] {
        if environment.makes(.notRemembered) { return [] }
        if environment.makes(.rememberedByText) { return [BackendEnvironment.digest("id_token", token.text)] }
        return [BackendEnvironment.digest("id_token", token.signingInput)] + [nonce].compactMap(\.self)
    }

    private func identity(_ claims: JSON, accessToken: String?, proof: String) async throws(Refusal) -> Identity {
        let subject = claims["sub"]?.string ?? ""
        var identity = Identity(
            provider: Self.id, subject: subject, profile: ProfileReader.openIDConnect(claims), proof: proof,
            claims: claims)
        guard let accessToken, let answer = try await userInfo(accessToken) else { return identity }
        // OpenID Connect Core section 5.3.2: the two subjects must match exactly.
        guard answer["sub"]?.string.map({ same($0, subject) }) ?? false || environment.makes(.profileOfAnother) else {
            throw ProviderFailure.unusable.refusal(isGivenBack: false)
        }
        identity.complete(by: ProfileReader.openIDConnect(answer))
        return identity
    }

    /// Returns the userinfo, or `nil` if the provider does not respond: the ID token already contains the user.
    private func userInfo(_ accessToken: String) async throws(Refusal) -> JSON? {
        let request = OutboundRequest(
            .get, issuer + "/openid/v1/userinfo",
            header: [HeaderField("Authorization", "Bearer " + accessToken), HeaderField("Accept", "application/json")])
        guard let response = try? await peer.send(request), response.status == 200 else { return nil }
        guard let answer = response.json, answer.object != nil else {
            throw ProviderFailure.unusable.refusal(isGivenBack: false)
        }
        return answer
    }
}
