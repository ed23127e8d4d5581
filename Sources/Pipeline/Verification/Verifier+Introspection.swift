internal import JOSE
internal import Jansson
package import Providers
package import Standards
package import Stores
internal import Transport

extension Verifier {
    /// Verifies an access token without an ID token, by introspection at the provider (RFC 7662).
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - nonce: Spent before the call to the provider, so that the request cannot be replayed.
    ///   - openIDConnect: The provider's endpoints and this server's clients at that provider.
    ///   - provider: The provider.
    /// - Returns: The identity of the access token.
    /// - Throws: A `Refusal` for ``Reason/audienceUnverifiable`` if the provider has no introspection endpoint, and for
    ///   ``Reason/audienceMismatch`` if the response names none of this server's client ids; otherwise `ProviderFailure`.
    package func verify(
        _ accessToken: AccessToken, nonce: SpentRecord, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws -> VerifiedIdentity {
        let endpoints = try await openIDConnect.endpoints()
        guard let url = endpoints.introspection else { throw Refusal.audienceUnverifiable }
        try await spend([nonce])
        let answer = try await singleUse.spent([nonce]).keepSpent {
            try await introspect(
                accessToken, at: url, as: openIDConnect.client(at: endpoints), of: provider)
        }
        // RFC 7662 §2.2: `active` is the only required member. If it is true, the token may still be another client's.
        guard answer["active"]?.bool == true else { throw Refusal.tokenRejected }
        guard
            let clientID = answer["client_id"]?.string,
            ([openIDConnect.clientID] + openIDConnect.furtherClientIDs).contains(clientID)
        else { throw Refusal.otherAudience }
        if let issuer = answer["iss"] {
            guard issuer.string.map(endpoints.issuers.contains) == true else { throw Refusal.otherAudience }
        }
        if let expiry = answer["exp"] {
            guard let seconds = expiry.integer, time.now() < NumericDate(seconds) else { throw Refusal.tokenRejected }
        }
        guard let subject = ProfileMapping.openIDConnect.subject(in: answer)
        else { throw ProviderFailure.malformedResponse("sub") }
        return VerifiedIdentity(
            provider: provider.id, subject: subject, profile: Profile(),
            profileState: .unfetched(
                ProfileCall(provider: provider, source: .userInfo(accessToken, openIDConnect))), profileRefusal: nil,
            audienceProof: .introspection, authenticatedAt: nil,
            tokens: ReturnedTokens(
                accessToken: accessToken.secret, idToken: nil, refreshToken: nil, oauthTokenSecret: nil,
                expiresIn: nil, scope: answer["scope"]?.string),
            answer: .none, returnable: [nonce])
    }

    /// Asks the introspection endpoint about a token that no provider has issued, to test the registration.
    ///
    /// - Parameters:
    ///   - openIDConnect: The provider's endpoints and this server's client at that provider.
    ///   - provider: The provider.
    /// - Returns: `true` if the endpoint calls the token inactive, as RFC 7662 §2.2 requires; `nil` if the provider has no
    ///   such endpoint.
    /// - Throws: `ProviderFailure` if there is no such response; `Refusal` if the request cannot be signed.
    package func checkIntrospection(with openIDConnect: OpenIDConnect, of provider: Provider) async throws -> Bool? {
        let endpoints: OpenIDConnectEndpoints
        do {
            endpoints = try await openIDConnect.endpoints()
        } catch {
            throw ProviderFailure.document(error)
        }
        guard let url = endpoints.introspection else { return nil }
        let answer = try await introspect(
            AccessToken("token-exchange-doctor"), at: url, as: openIDConnect.client(at: endpoints), of: provider)
        guard let isActive = answer["active"]?.bool else { throw ProviderFailure.malformedResponse("active") }
        return !isActive
    }

    /// Calls the introspection endpoint (RFC 7662 §2.1).
    ///
    /// The endpoint authenticates this server, so that 401 concerns its own credentials.
    private func introspect(
        _ accessToken: AccessToken, at url: String, as client: ProviderClient, of provider: Provider
    ) async throws -> JSON {
        let request = try client.post(
            to: url, form: [("token", accessToken.secret.secretText), ("token_type_hint", "access_token")],
            timeout: provider.timeout, time: time, random: random
        ).addressed(to: provider, .token)
        let response = try await send(request)
        guard response.status != 401 else { throw ProviderFailure.refusedClient(client.authentication.refusal) }
        guard response.status == 200 else { throw ProviderFailure(response) }
        return try response.jsonObject()
    }
}

extension Refusal {
    package static let audienceUnverifiable = Refusal(
        .audienceUnverifiable,
        "The server cannot verify for which application this access token was issued. Send an authorization_code, an "
            + "id_token, or the callback of POST /v1/signin.")

    package static let otherAudience = Refusal(
        .audienceMismatch,
        "The token was issued to another client of the provider. Send one that was issued to the client of this "
            + "deployment.")

    package static let tokenRejected = Refusal(
        .tokenRejected,
        "The provider does not confirm that it issued the token to this deployment. Sign in at the provider again.")
}
