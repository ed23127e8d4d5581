package import Exchange
internal import Jansson
internal import OAuth
package import Providers
internal import Transport

extension Verifier {
    /// Who the access token of a code that we redeemed speaks for, by the provider's user endpoint.
    ///
    /// That endpoint answers for a token of any application. It proves something only because ``ProviderTokens`` come
    /// from our own redemption; a bare access token never reaches this method.
    package func verify(
        _ tokens: ProviderTokens, with oauth2: OAuth2, of provider: Provider
    ) async throws(VerificationError) -> VerifiedIdentity {
        guard let accessToken = tokens.accessToken
        else { throw .provider(.malformedResponse("access_token"), givenBack: false) }
        let person: Person
        do throws(VerificationError) {
            person = try await ask(oauth2.user, codes: oauth2.errorCodes, of: provider) { query in
                OutboundRequest(
                    .get, oauth2.user.url + "?" + query.encoded,
                    header: [self.bearer(accessToken), HeaderField("Accept", "application/json")],
                    timeout: provider.timeout)
            }
        } catch .provider(.failed(status: 403), _) {
            // The only source of the id is closed to our registration.
            throw .provider(.refusedClient(.accessTier), givenBack: false)
        } catch .provider(let failure, _) {
            // The code is spent at the provider, whatever went wrong afterwards.
            throw .provider(failure, givenBack: false)
        } catch .tokenRejected {
            // A token that the provider gave us a moment ago.
            throw .provider(.failed(status: 401), givenBack: false)
        }
        return VerifiedIdentity(
            provider: provider.id, subject: person.subject, profile: person.profile, profileState: .whole,
            profileRefusal: person.refusal, audienceProof: .authorizationCode, authenticatedAt: nil,
            tokens: ReturnedTokens(
                accessToken: accessToken.secret, idToken: nil, refreshToken: tokens.refreshToken?.secret,
                oauthTokenSecret: nil, expiresIn: tokens.expiresIn, scope: tokens.scope),
            returnable: [])
    }

    /// A user endpoint's answer.
    struct Person {
        let subject: String
        let profile: Profile
        /// Why the address is not in it, if the provider refused that part.
        let refusal: ProviderFailure?
    }

    /// What a user endpoint answers, without the e-mail address if the provider refuses that part.
    ///
    /// - Throws: ``VerificationError/tokenRejected`` for 401, unless a code in the body speaks of something else.
    func ask(
        _ endpoint: UserEndpoint, codes: ErrorCodes, of provider: Provider,
        request: (Parameters) throws(VerificationError) -> OutboundRequest
    ) async throws(VerificationError) -> Person {
        let queue = provider.queue(.user)
        var response = try await send(request(parameters(endpoint.query)).queued(in: queue))
        var refusal: ProviderFailure?
        if [400, 403].contains(response.status), let lesser = endpoint.queryWithoutEmail {
            let failure = ProviderFailure(response, codes: codes)
            if failure == .accountDisabled { throw .provider(failure, givenBack: false) }
            refusal = failure
            response = try await send(request(parameters(lesser)).queued(in: queue))
        }
        do throws(ProviderFailure) {
            guard response.status == 200 else { throw ProviderFailure(response, codes: codes) }
            let answer = try response.jsonObject()
            // X answers 200 with `errors` for a part that it could not read; without the id there is no identity.
            guard let subject = endpoint.mapping.subject(in: answer) else {
                throw ProviderFailure.malformedResponse("id")
            }
            return Person(
                subject: subject, profile: endpoint.mapping.profile(in: answer, trusting: provider.emailTrust),
                refusal: refusal)
        } catch {
            throw error == .failed(status: 401) ? .tokenRejected : .provider(error, givenBack: false)
        }
    }

    func send(_ request: OutboundRequest) async throws(VerificationError) -> OutboundResponse {
        do {
            return try await transport.send(request)
        } catch {
            throw .provider(.noAnswer(error), givenBack: false)
        }
    }

    private func parameters(_ query: [String: String]) -> Parameters {
        Parameters(query.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}
