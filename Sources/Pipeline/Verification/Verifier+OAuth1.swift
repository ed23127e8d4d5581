package import Exchange
package import OAuth
package import Providers
package import Stores
internal import Transport

extension Verifier {
    /// Who the token credentials of a request token that we obtained speak for.
    ///
    /// The id comes from the token endpoint's own answer. The user endpoints add the profile where they are open to
    /// us, and are missed by nobody where they are not.
    package func verify(
        _ tokens: ProviderTokens, with oauth1: OAuth1, of provider: Provider
    ) async throws(VerificationError) -> VerifiedIdentity {
        guard let credentials = tokens.tokenCredentials
        else { throw .provider(.malformedResponse("oauth_token"), givenBack: false) }
        var profile = Profile()
        profile.screenName = tokens.screenName
        let subject: String
        if let userID = tokens.userID {
            subject = userID
            if let person = try? await ask(credentials, with: oauth1, of: provider) {
                guard person.subject == userID else { throw .provider(.malformedResponse("id"), givenBack: false) }
                profile = person.profile.completed(by: profile)
            }
        } else {
            let person = try await ask(credentials, with: oauth1, of: provider)
            subject = person.subject
            profile = person.profile.completed(by: profile)
        }
        return identity(
            subject, profile, credentials, of: provider, proof: .authorizationCode, returnable: [])
    }

    /// Who token credentials speak for that an application obtained with our consumer key.
    ///
    /// A pair that was issued to another consumer does not verify under our signature. Since the pair never expires,
    /// the request must carry a nonce of ours, which is spent here, before the provider is asked.
    package func verify(
        _ credentials: TokenCredentials, nonce: SpentRecord, with oauth1: OAuth1, of provider: Provider
    ) async throws(VerificationError) -> VerifiedIdentity {
        try await spend([nonce])
        do {
            let person = try await ask(credentials, with: oauth1, of: provider)
            return identity(
                person.subject, person.profile, credentials, of: provider, proof: .consumerSignature,
                returnable: [nonce])
        } catch .provider(let failure, _) {
            throw .provider(failure, givenBack: await giveBack([nonce], after: failure))
        }
    }

    /// Asks the credentials check, and the fallback where price or tier bar us from the check (402, 403, 404, 410, 429).
    private func ask(
        _ credentials: TokenCredentials, with oauth1: OAuth1, of provider: Provider
    ) async throws(VerificationError) -> (subject: String, profile: Profile) {
        do {
            return try await ask(oauth1.credentialsCheck, credentials, with: oauth1, of: provider)
        } catch .provider(let failure, _) where Self.barredFromCheck(failure) {
            return try await ask(oauth1.fallback, credentials, with: oauth1, of: provider)
        }
    }

    private static func barredFromCheck(_ failure: ProviderFailure) -> Bool {
        switch failure {
        case .failed(status: 402), .failed(status: 403), .failed(status: 404), .failed(status: 410), .throttled: true
        default: false
        }
    }

    private func ask(
        _ endpoint: UserEndpoint, _ credentials: TokenCredentials, with oauth1: OAuth1, of provider: Provider
    ) async throws(VerificationError) -> (subject: String, profile: Profile) {
        let signer = RequestSigner(client: oauth1.client, random: random, time: time)
        return try await ask(endpoint, trusting: provider.emailTrust) { query throws(VerificationError) in
            do throws(RandomFailure) {
                return try signer.request(
                    .get, endpoint.url, token: (credentials.identifier, credentials.sharedSecret), query: query,
                    timeout: provider.timeout)
            } catch {
                throw .random(error)
            }
        }
    }

    private func identity(
        _ subject: String, _ profile: Profile, _ credentials: TokenCredentials, of provider: Provider,
        proof: AudienceProof, returnable: [SpentRecord]
    ) -> VerifiedIdentity {
        VerifiedIdentity(
            provider: provider.id, subject: subject, profile: profile, audienceProof: proof,
            authenticatedAt: nil,
            tokens: ReturnedTokens(
                accessToken: credentials.identifier, idToken: nil, refreshToken: nil,
                oauthTokenSecret: credentials.sharedSecret, expiresIn: nil, scope: nil),
            returnable: returnable)
    }
}
