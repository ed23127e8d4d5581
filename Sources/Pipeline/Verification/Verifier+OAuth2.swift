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
        let person: (subject: String, profile: Profile)
        do throws(VerificationError) {
            person = try await ask(oauth2.user, trusting: provider.emailTrust) { query in
                OutboundRequest(
                    .get, oauth2.user.url + "?" + query.encoded,
                    header: [self.bearer(accessToken), HeaderField("Accept", "application/json")],
                    timeout: provider.timeout)
            }
        } catch .provider(let failure, _) {
            // The code is spent at the provider, whatever went wrong afterwards.
            throw .provider(failure, givenBack: false)
        } catch .tokenRejected {
            // A token that the provider gave us a moment ago.
            throw .provider(.failed(status: 401), givenBack: false)
        }
        return VerifiedIdentity(
            provider: provider.id, subject: person.subject, profile: person.profile,
            audienceProof: .authorizationCode,
            authenticatedAt: nil,
            tokens: ReturnedTokens(
                accessToken: accessToken.secret, idToken: nil, refreshToken: tokens.refreshToken?.secret,
                oauthTokenSecret: nil, expiresIn: tokens.expiresIn, scope: tokens.scope),
            returnable: [])
    }

    /// What a user endpoint answers, without the e-mail address where the provider refuses that part.
    ///
    /// - Throws: ``VerificationError/tokenRejected`` for 401.
    func ask(
        _ endpoint: UserEndpoint, trusting trust: EmailTrust,
        request: (Parameters) throws(VerificationError) -> OutboundRequest
    ) async throws(VerificationError) -> (subject: String, profile: Profile) {
        var response = try await send(request(parameters(endpoint.query)))
        if [400, 403].contains(response.status), let lesser = endpoint.queryWithoutEmail {
            response = try await send(request(parameters(lesser)))
        }
        guard response.status != 401 else { throw .tokenRejected }
        do throws(ProviderFailure) {
            guard response.status == 200 else { throw ProviderFailure(response) }
            let answer = try response.jsonObject()
            // X answers 200 with `errors` for a part that it could not read; without the id there is no identity.
            guard let subject = endpoint.mapping.subject(in: answer) else {
                throw ProviderFailure.malformedResponse("id")
            }
            return (subject, endpoint.mapping.profile(in: answer, trusting: trust))
        } catch {
            throw .provider(error, givenBack: false)
        }
    }

    private func send(_ request: OutboundRequest) async throws(VerificationError) -> OutboundResponse {
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
