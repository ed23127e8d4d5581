internal import JOSE
package import Jansson
package import Providers
package import Standards
package import Stores
internal import Transport

extension Verifier {
    /// Verifies an access token without an ID token, by introspection at the provider (RFC 7662).
    ///
    /// - Parameters:
    ///   - nonce: Spent before the call to the provider, so that the request cannot be replayed.
    ///   - openIDConnect: The provider's endpoints and this server's clients at that provider.
    /// - Throws: A `Refusal` for ``Reason/audienceUnverifiable`` if the provider has no introspection endpoint, and for
    ///   ``Reason/audienceMismatch`` if the response names none of this server's client ids; otherwise `ProviderFailure`.
    package func verify(
        _ accessToken: AccessToken, nonce: SpentRecord, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws -> VerifiedIdentity {
        let endpoints = try await openIDConnect.endpoints()
        guard let introspection = openIDConnect.introspection(of: endpoints), openIDConnect.subjectClaims == ["sub"]
        else {
            throw Refusal.audienceUnverifiable
        }
        try await spend([nonce])
        let answer = try await singleUse.spent([nonce]).keepSpent {
            try await introspect(
                accessToken, by: introspection, as: openIDConnect.client(at: endpoints), of: provider)
        }
        try check(
            answer, introspection, clientIDs: [openIDConnect.clientID] + openIDConnect.furtherClientIDs)
        if let issuer = answer["iss"] {
            guard issuer.string.map(endpoints.issuers.containsExactly) == true else {
                throw Refusal.otherAudience(
                    "the introspection names the issuer \(issuer.nameForOperator), and not "
                        + endpoints.issuers.joined(separator: " or "))
            }
        }
        guard let place = introspection.subject else { throw Refusal.tokenRejected("the introspection names no user") }
        let subject = try openIDConnect.mapping.subject(ofIntrospection: answer, at: place)
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
    /// - Parameter openIDConnect: The provider's endpoints and this server's client at that provider.
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
        return try await checkIntrospection(
            openIDConnect.introspection(of: endpoints), as: openIDConnect.client(at: endpoints), of: provider)
    }

    /// Asks an introspection endpoint about a token that no provider has issued, to test the registration.
    ///
    /// - Parameter introspection: The endpoint; `nil` if the provider has none.
    /// - Returns: `true` if the endpoint does not accept the token; `nil` if there is no endpoint.
    /// - Throws: `ProviderFailure` if nothing can be concluded from the response.
    package func checkIntrospection(
        _ introspection: TokenIntrospection?, as client: ProviderClient, of provider: Provider
    ) async throws -> Bool? {
        guard let introspection else { return nil }
        do {
            let answer = try await introspect(
                AccessToken("token-exchange-doctor"), by: introspection, as: client, of: provider)
            guard let active = introspection.active else { return false }
            guard let isActive = answer[active]?.bool else { throw ProviderFailure.noValidity(at: active, in: answer) }
            return !isActive
        } catch let refusal as Refusal where refusal.reason == .tokenRejected {
            return true
        }
    }

    /// Checks that an answer calls a token valid, and one of these clients its application.
    ///
    /// RFC 7662 §2.2: `active` is the only required member. If it is true, the token may still be another client's.
    func check(_ answer: JSON, _ introspection: TokenIntrospection, clientIDs: [String]) throws(Refusal) {
        if let active = introspection.active {
            guard answer[active]?.bool == true else { throw Refusal.notActive(active) }
        }
        let expected = introspection.applicationID.map { [$0] } ?? clientIDs
        guard let application = answer[introspection.application]?.identifier, expected.containsExactly(application)
        else {
            let name = answer[introspection.application]?.nameForOperator
            throw Refusal.otherAudience(
                "the application at \(introspection.application) of the introspection is "
                    + (name.map { "\($0), and not " } ?? "missing, and must be ") + expected.joined(separator: " or ")
                    + (name == nil ? answer.membersForOperator.map { "; \($0)" } ?? "" : ""))
        }
        if let place = introspection.expiry, let expiry = answer[place] {
            guard let seconds = expiry.integer, time.now() < NumericDate(seconds) else {
                throw Refusal.tokenRejected(
                    "the expiry in the introspection (\(place)) is \(expiry.integer.map { "\($0)" } ?? expiry.typeName), and "
                        + "must be a number of seconds after \(time.now().seconds)")
            }
        }
        if let objection = answer.objectionToBearerToken(at: time.now()) {
            throw Refusal.tokenRejected(
                "the introspection describes no access token that its bearer may use (\(objection))")
        }
    }

    /// Calls an endpoint that names the application of an access token, such as that of RFC 7662 §2.1.
    ///
    /// An endpoint to which this server sends its credentials answers 401 about them; every other one about the token.
    ///
    /// - Throws: ``Refusal/tokenRejected`` if the status says that the token is not valid; otherwise `ProviderFailure`, also if
    ///   the answer does not say whether it is valid.
    func introspect(
        _ accessToken: AccessToken, by introspection: TokenIntrospection, as client: ProviderClient,
        of provider: Provider
    ) async throws -> JSON {
        // A token in a field or in the URL needs other characters, and less of them, than one in a body.
        let token = accessToken.secret.secretText.utf8
        guard token.allSatisfy({ (0x21...0x7E).contains($0) }), token.count <= 4096 || introspection.placement == .form
        else { throw Refusal.tokenRejected("the token is too long, or has characters that no access token has") }
        let request = try introspection.request(
            accessToken, as: client, timeout: provider.timeout, time: time, random: random
        ).addressed(to: provider, .token)
        let response = try await send(request)
        guard response.status != 200 else {
            let answer = try response.jsonObject(of: .introspection, to: request)
            guard let active = introspection.active, (answer[active] ?? .null) == .null else { return answer }
            // An error in place of the answer is about the request, unless it has the code for a token (RFC 6750 §3.1).
            guard answer["error"]?.string == "invalid_token" else {
                throw ProviderFailure.noValidity(at: active, in: answer)
            }
            throw Refusal.notActive(active)
        }
        let refusal = Refusal.tokenRejected("the introspection refuses the token (status \(response.status))")
            .quoting(ProviderWords.of(response, to: request))
        if introspection.authentication == .none {
            guard ![400, 401, 404, 422].contains(response.status) else { throw refusal }
        } else {
            // A page comes from another server, and GitHub limits rates with 403.
            let isOfClient = response.status == 401 || response.status == 403 && response[field: "Retry-After"] == nil
            guard !isOfClient || response.body.isPageOrItsCode else {
                throw ProviderFailure.refusedClient(.introspection)
            }
            // An endpoint of RFC 7662 answers 200 about every token, so that another status means another URL.
            guard introspection.active != nil || ![404, 422].contains(response.status) else { throw refusal }
        }
        throw ProviderFailure(of: .introspection, response, to: request)
    }
}

extension JSON {
    /// A text, or the digits of an integer.
    fileprivate var identifier: String? { string ?? integer.map { String($0) } }

    /// The identifier as a message may contain it, or what stands in its place.
    fileprivate var nameForOperator: String {
        identifier.map { ClaimsMismatch.shown(.string($0)) } ?? typeName
    }

    /// The member of an answer about a token which contradicts that it is an access token, or that its bearer may use it;
    /// `nil` if there is none.
    ///
    /// An endpoint of RFC 7662 also knows refresh tokens and often ID tokens, which are issued to other ends and live longer. A
    /// token with `cnf` is bound to a key, which the application that posts it has not proven (RFC 8705 §3.2, RFC 9449 §6.2).
    fileprivate func objectionToBearerToken(at now: NumericDate) -> String? {
        for name in ["typ", "token_use", "token_type"] {
            guard let kind = self[name], kind != .null else { continue }
            guard Self.accessTokenKinds.contains(kind.string?.lowercased() ?? "") else {
                return "\(name) is \(kind.nameForOperator)"
            }
        }
        if let confirmation = self["cnf"], confirmation != .null { return "cnf" }
        guard let start = self["nbf"], start != .null else { return nil }
        // The clock of the provider may be ahead, as for ID tokens.
        return start.integer.map { NumericDate($0) <= now + .seconds(60) } == true
            ? nil : "nbf is \(start.nameForOperator)"
    }

    /// The words for an access token: of RFC 6750, RFC 9068 and RFC 8693, and those of Keycloak, Hydra and Cognito.
    private static let accessTokenKinds: Set<String> = [
        "bearer", "access", "access_token", "at+jwt", "application/at+jwt",
        "urn:ietf:params:oauth:token-type:access_token",
    ]
}

extension ProfileMapping {
    /// Returns the person that an introspection names.
    ///
    /// Every application can post a token of no person, such as one of the client credentials grant.
    func subject(ofIntrospection answer: JSON, at place: JSONPointer) throws(Refusal) -> Subject {
        var mapping = self
        mapping.subject = place
        if let subject = mapping.subject(in: answer) { return subject }
        let failure = ProviderFailure.noUserID(at: mapping, in: answer)
        throw Refusal.tokenRejected("the introspection names no user: \(failure.sentence)")
    }
}

extension TokenIntrospection {
    fileprivate func request(
        _ accessToken: AccessToken, as client: ProviderClient, timeout: Duration, time: TimeSource, random: RandomSource
    ) throws(Refusal) -> OutboundRequest {
        let token = accessToken.secret.secretText
        var url = url.replacing(Self.clientIDPlaceholder, with: PercentEncoding.encode(client.id))
        if authentication == .client, placement == .form {
            let hint = self == .standard(self.url) ? [("token_type_hint", "access_token")] : []
            return try client.post(
                to: url, form: [(tokenName, token)] + hint, timeout: timeout, time: time, random: random)
        }
        var header = [HeaderField("Accept", "application/json")]
        var query: [(name: String, value: String)] = []
        var body: [UInt8] = []
        switch authentication {
        case .basic: header.append(client.basicField)
        case .appToken: query.append(("access_token", client.id + "|" + client.authentication.secretText))
        case .none, .client: break
        }
        switch placement {
        case .authorization: header.append(HeaderField("Authorization", tokenName + " " + token))
        case .query: query.append((tokenName, token))
        case .form:
            header.append(HeaderField("Content-Type", "application/x-www-form-urlencoded"))
            body = Array(Parameters([(tokenName, token)]).encoded.utf8)
        case .json:
            header.append(HeaderField("Content-Type", "application/json"))
            body = JSON.object([tokenName: .string(token)]).serialized()
        }
        if !query.isEmpty { url = Parameters(query).appended(to: url) }
        return body.isEmpty
            ? OutboundRequest(.get, url, header: header, timeout: timeout)
            : OutboundRequest(.post, url, header: header, body: body, timeout: timeout)
    }
}

extension Refusal {
    package static let audienceUnverifiable = Refusal(
        .audienceUnverifiable,
        "The server cannot verify for which application this access token was issued. Send an authorization_code, an "
            + "id_token, or the callback of POST /v1/signin.")

    /// The refusal of an access token of which an endpoint says that it is another application's.
    ///
    /// - Parameter finding: What the endpoint says.
    package static func otherAudience(_ finding: String) -> Refusal {
        Refusal(
            .audienceMismatch,
            "The token was issued to another client of the provider. Send one that was issued to the client of this "
                + "deployment.", finding: finding)
    }

    /// The refusal of a token or a pair that an endpoint of the provider does not call valid.
    ///
    /// - Parameter finding: What the endpoint says.
    package static func tokenRejected(_ finding: String) -> Refusal {
        Refusal(
            .tokenRejected,
            "The provider does not confirm that it issued the token to this deployment. Sign in at the provider again.",
            finding: finding)
    }

    /// The refusal of a token that an introspection does not call valid at a place of its answer.
    package static func notActive(_ place: JSONPointer) -> Refusal {
        tokenRejected(
            "the introspection does not say that the token is valid (\(place)): it has expired or was revoked, or, if each is refused "
                + "so, the endpoint is that of another realm, tenant, host name or audience than the tokens")
    }
}
