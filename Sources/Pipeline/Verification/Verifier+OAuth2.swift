package import Exchange
internal import JOSE
internal import Jansson
package import Providers
package import Standards
package import Stores
internal import Transport

extension Verifier {
    /// Verifies the access token that a provider issued for a code, by the provider's user endpoint.
    ///
    /// That endpoint accepts a token of any application. Its response proves an identity only because
    /// ``ProviderTokens`` were issued to this server; an access token from an application never reaches this method.
    ///
    /// - Parameter oauth2: The provider's endpoints and this server's client at that provider.
    /// - Throws: A refusal, which leaves a redeemed code spent.
    package func verify(
        _ tokens: ProviderTokens, with oauth2: OAuth2, of provider: Provider
    ) async throws(Refusal) -> VerifiedIdentity {
        try await redeemed {
            guard let accessToken = tokens.accessToken else { throw ProviderFailure.malformedResponse("access_token") }
            let person = try await ask(accessToken, with: oauth2, of: provider)
            return identity(
                person, accessToken, with: oauth2, of: provider, proof: .authorizationCode, returnable: [],
                deviation: tokens.deviation,
                tokens: ReturnedTokens(
                    accessToken: accessToken.secret, idToken: nil, refreshToken: tokens.refreshToken?.secret,
                    oauthTokenSecret: nil, expiresIn: tokens.expiresIn, scope: tokens.scope))
        }
    }

    /// Verifies an access token from an application, by an endpoint of the provider that names its application, and then by
    /// the user endpoint.
    ///
    /// - Parameters:
    ///   - nonce: Spent before the calls to the provider, so that the request cannot be replayed.
    ///   - oauth2: The provider's endpoints and this server's client at that provider.
    /// - Throws: A `Refusal` for ``Reason/audienceUnverifiable`` if the provider has no such endpoint, and for
    ///   ``Reason/audienceMismatch`` if it names another application; otherwise `ProviderFailure`.
    package func verify(
        _ accessToken: AccessToken, nonce: SpentRecord, with oauth2: OAuth2, of provider: Provider
    ) async throws -> VerifiedIdentity {
        guard let introspection = oauth2.introspection else { throw Refusal.audienceUnverifiable }
        try await spend([nonce])
        return try await singleUse.spent([nonce]).keepSpent {
            let answer = try await introspect(
                accessToken, by: introspection, as: oauth2.client, of: provider)
            try check(answer, introspection, clientIDs: [oauth2.clientID])
            let person = try await ask(accessToken, with: oauth2, of: provider)
            if let place = introspection.subject {
                let mapping = oauth2.user.mapping
                guard try mapping.subject(ofIntrospection: answer, at: place) == person.subject else {
                    throw Refusal.tokenRejected("the user endpoint and the introspection name different users")
                }
            }
            return identity(
                person, accessToken, with: oauth2, of: provider, proof: .introspection, returnable: [nonce],
                tokens: ReturnedTokens(
                    accessToken: accessToken.secret, idToken: nil, refreshToken: nil, oauthTokenSecret: nil,
                    expiresIn: nil, scope: nil))
        }
    }

    private func identity(
        _ person: Person, _ accessToken: AccessToken, with oauth2: OAuth2, of provider: Provider, proof: AudienceProof,
        returnable: [SpentRecord], deviation: ProviderFailure? = nil, tokens: ReturnedTokens
    ) -> VerifiedIdentity {
        let state = oauth2.emails.map { endpoint in
            ProfileState.unfetched(ProfileCall(provider: provider, source: .emails(accessToken, endpoint)))
        }
        return VerifiedIdentity(
            provider: provider.id, subject: person.subject, profile: person.profile, profileState: state ?? .whole,
            profileRefusal: person.refusal ?? deviation, audienceProof: proof, authenticatedAt: nil, tokens: tokens,
            answer: ProviderAnswer(userInfo: person.answer), returnable: returnable)
    }

    /// Calls the user endpoint with an access token whose audience is proven.
    func ask(
        _ accessToken: AccessToken, with oauth2: OAuth2, of provider: Provider
    ) async throws -> Person {
        do {
            return try await ask(oauth2.user, codes: oauth2.errorCodes, of: provider) { query in
                let user = oauth2.user
                var header = [self.bearer(accessToken), HeaderField("Accept", "application/json")]
                if user.body != nil { header.append(HeaderField("Content-Type", "application/json")) }
                header += user.header.sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) }
                return OutboundRequest(
                    user.body == nil ? .get : .post, query.appended(to: user.url), header: header,
                    body: Array((user.body ?? "").utf8), timeout: provider.timeout)
            }
        } catch ProviderFailure.refusedProfile(.user, status: 403, let words) where oauth2.errorCodes.hasProblems {
            // No other endpoint returns the id, and this server's registration may not use this one.
            throw ProviderFailure.refusedClient(.unknownReason).refusal.quoting(words)
        }
    }

    /// A user endpoint's response.
    struct Person {
        let subject: Subject
        let profile: Profile
        /// Why a part of the profile is missing; `nil` if all of it could be used.
        let refusal: ProviderFailure?
        /// The members of the person, from which `profile` was made.
        let answer: JSON?
    }

    /// Calls a user endpoint, and again without the e-mail address if the provider refuses that part.
    ///
    /// - Parameter make: Makes the request with a query.
    /// - Throws: `ProviderFailure`, or the error of `make`.
    func ask(
        _ endpoint: UserEndpoint, codes: ErrorCodes, of provider: Provider,
        _ make: (Parameters) throws -> OutboundRequest
    ) async throws -> Person {
        func makeRequest(with query: [String: String]) throws -> OutboundRequest {
            var request = try make(parameters(query)).addressed(to: provider, .user)
            request.isPaid = endpoint.isPaid
            return request
        }
        var request = try makeRequest(with: endpoint.query)
        var response = try await send(request)
        var refusal: ProviderFailure?
        if [400, 403].contains(response.status), let lesser = endpoint.queryWithoutEmail {
            let failure = ProviderFailure(of: .user, response, to: request, codes: codes)
            if failure == .accountDisabled { throw failure }
            refusal = failure
            request = try makeRequest(with: lesser)
            response = try await send(request)
        }
        guard response.status == 200 else {
            throw ProviderFailure(of: .user, response, to: request, codes: codes)
        }
        let answer = try response.jsonObject(of: .user, to: request)
        // X responds 200 with `errors` if it could not read a part. Without the id there is no identity.
        guard let subject = endpoint.mapping.subject(in: answer) else {
            throw ProviderFailure.errorInPlaceOfProfile(response, answer, to: request)
                ?? .noUserID(at: endpoint.mapping, in: answer)
        }
        return Person(
            subject: subject, profile: endpoint.mapping.profile(in: answer, trusting: provider.emailTrust),
            refusal: refusal ?? endpoint.mapping.unusableParts(in: answer, trusting: provider.emailTrust),
            answer: answer[endpoint.mapping.person])
    }

    func send(_ request: OutboundRequest) async throws(ProviderFailure) -> OutboundResponse {
        do {
            return try await transport.send(request)
        } catch {
            throw .noAnswer(error)
        }
    }

    private func parameters(_ query: [String: String]) -> Parameters {
        Parameters(query.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}
