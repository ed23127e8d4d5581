package import Exchange
package import OAuth
package import Providers
package import Stores
internal import Transport

extension Verifier {
    /// Who the token credentials of a request token that we obtained speak for.
    ///
    /// The id comes from the token endpoint's own answer, and the profile from a further call, which ``completed(_:)``
    /// makes. If the token endpoint names no id, the user endpoints do.
    package func verify(
        _ tokens: ProviderTokens, with oauth1: OAuth1, of provider: Provider
    ) async throws(VerificationError) -> VerifiedIdentity {
        guard let credentials = tokens.tokenCredentials
        else { throw .provider(.malformedResponse("oauth_token"), givenBack: false) }
        var profile = Profile()
        profile.screenName = tokens.screenName
        guard let userID = tokens.userID else {
            return try await asked(
                credentials, with: oauth1, of: provider, proof: .authorizationCode, knowing: profile, returnable: [])
        }
        return identity(
            userID, profile, .unfetched(ProfileCall(provider: provider, source: .user(credentials, oauth1))), nil,
            credentials, of: provider, proof: .authorizationCode, returnable: [])
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
            return try await asked(
                credentials, with: oauth1, of: provider, proof: .consumerSignature, knowing: Profile(),
                returnable: [nonce])
        } catch .provider(let failure, _) {
            throw .provider(failure, givenBack: await giveBack([nonce], after: failure))
        }
    }

    /// The profile behind credentials of which the id is known.
    ///
    /// The fallback has no address, so it is asked only if the check is refused for good.
    ///
    /// - Throws: A malformed response if an answer is about another person.
    func user(
        _ credentials: TokenCredentials, subject: String, with oauth1: OAuth1, of provider: Provider
    ) async throws(VerificationError) -> FoundProfile {
        do throws(VerificationError) {
            let person = try await ask(oauth1.credentialsCheck, credentials, with: oauth1, of: provider)
            try Self.check(person, isOf: subject)
            return FoundProfile(profile: person.profile, refusal: person.refusal)
        } catch {
            guard let refusal = Self.refusal(error) else { throw error }
            let profile: Profile
            do throws(VerificationError) {
                let person = try await ask(oauth1.fallback, credentials, with: oauth1, of: provider)
                try Self.check(person, isOf: subject)
                profile = person.profile
            } catch .provider(let failure, _) where failure.speaksOfThePerson {
                throw .provider(failure, givenBack: false)
            } catch {
                // The address was refused before; what is missing now is a name.
                profile = Profile()
            }
            return FoundProfile(profile: profile, refusal: refusal)
        }
    }

    private static func check(_ person: Person, isOf subject: String) throws(VerificationError) {
        guard person.subject == subject else { throw .provider(.malformedResponse("id"), givenBack: false) }
    }

    /// Why the check keeps its answer from us for good; nil for every other failure.
    private static func refusal(_ error: VerificationError) -> ProviderFailure? {
        switch error {
        case .tokenRejected: .failed(status: 401)
        case .provider(let failure, _) where !failure.isPassing && !failure.speaksOfThePerson: failure
        default: nil
        }
    }

    /// The identity that a user endpoint names under our signature: the credentials check, or the fallback while the
    /// check is closed to us by price, tier or rate (402, 403, 404, 410, 429).
    private func asked(
        _ credentials: TokenCredentials, with oauth1: OAuth1, of provider: Provider, proof: AudienceProof,
        knowing profile: Profile, returnable: [SpentRecord]
    ) async throws(VerificationError) -> VerifiedIdentity {
        let person: Person
        var state = ProfileState.whole
        var refusal: ProviderFailure?
        do throws(VerificationError) {
            person = try await ask(oauth1.credentialsCheck, credentials, with: oauth1, of: provider)
            refusal = person.refusal
        } catch .provider(let failure, _) where failure.closesCredentialsCheck {
            do throws(VerificationError) {
                person = try await ask(oauth1.fallback, credentials, with: oauth1, of: provider)
            } catch .provider(.failed(status: 403), _) {
                // The last source of the id is closed to our registration as well.
                throw .provider(.refusedClient(.accessTier), givenBack: false)
            }
            if failure.isPassing {
                // The check would have brought the address.
                state = .unfetched(ProfileCall(provider: provider, source: .user(credentials, oauth1)))
            } else {
                refusal = failure
            }
        }
        return identity(
            person.subject, person.profile.completed(by: profile), state, refusal, credentials, of: provider,
            proof: proof, returnable: returnable)
    }

    private func ask(
        _ endpoint: UserEndpoint, _ credentials: TokenCredentials, with oauth1: OAuth1, of provider: Provider
    ) async throws(VerificationError) -> Person {
        let signer = RequestSigner(client: oauth1.client, random: random, time: time)
        return try await ask(endpoint, codes: oauth1.errorCodes, of: provider) { query throws(VerificationError) in
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
        _ subject: String, _ profile: Profile, _ state: ProfileState, _ refusal: ProviderFailure?,
        _ credentials: TokenCredentials, of provider: Provider, proof: AudienceProof, returnable: [SpentRecord]
    ) -> VerifiedIdentity {
        VerifiedIdentity(
            provider: provider.id, subject: subject, profile: profile, profileState: state, profileRefusal: refusal,
            audienceProof: proof, authenticatedAt: nil,
            tokens: ReturnedTokens(
                accessToken: credentials.identifier, idToken: nil, refreshToken: nil,
                oauthTokenSecret: credentials.sharedSecret, expiresIn: nil, scope: nil),
            returnable: returnable)
    }
}

extension ProviderFailure {
    /// Whether it is about the person, or about an answer that names another one, and not about what we may ask.
    fileprivate var speaksOfThePerson: Bool {
        switch self {
        case .accountDisabled, .malformedResponse: true
        case .noAnswer, .throttled, .unavailable, .failed, .refusedClient, .document: false
        }
    }

    /// Whether the fallback may answer what the credentials check did not.
    fileprivate var closesCredentialsCheck: Bool {
        switch self {
        case .failed(status: 403), .failed(status: 404), .failed(status: 410), .refusedClient(.credit),
            .refusedClient(.accessTier), .throttled:
            true
        default: false
        }
    }
}
