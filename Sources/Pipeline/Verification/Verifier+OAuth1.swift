package import Exchange
internal import JOSE
package import Providers
package import Standards
package import Stores
internal import Transport

extension Verifier {
    /// Verifies the token credentials that a provider issued for a request token of this server.
    ///
    /// The id comes from the token endpoint's response, and the profile from a further call, which ``completed(_:)``
    /// makes. If the token endpoint sends no id, the user endpoints are called for it.
    ///
    /// - Parameter oauth1: The provider's endpoints and this server's client at that provider.
    /// - Throws: A refusal, which leaves a redeemed code spent.
    package func verify(
        _ tokens: ProviderTokens, with oauth1: OAuth1, of provider: Provider
    ) async throws(Refusal) -> VerifiedIdentity {
        try await redeemed {
            guard let credentials = tokens.tokenCredentials else {
                throw ProviderFailure.malformedResponse("oauth_token")
            }
            var profile = Profile()
            profile.screenName = tokens.screenName
            guard let userID = tokens.userID else {
                return try await identity(
                    verifying: credentials, with: oauth1, of: provider, proof: .authorizationCode, knowing: profile,
                    returnable: [])
            }
            return identity(
                userID, profile, .unfetched(ProfileCall(provider: provider, source: .user(credentials, oauth1))), nil,
                credentials, of: provider, proof: .authorizationCode, answer: .none, returnable: [])
        }
    }

    /// Verifies token credentials that an application obtained with this server's consumer key.
    ///
    /// The provider refuses a pair that was issued to another consumer, because this server's signature does not match
    /// it. The pair never expires; therefore the request has to contain a nonce of this server, which is spent before
    /// the call to the provider.
    ///
    /// - Parameter oauth1: The provider's endpoints and this server's client at that provider.
    /// - Throws: `Refusal` or `ProviderFailure`.
    package func verify(
        _ credentials: TokenCredentials, nonce: SpentRecord, with oauth1: OAuth1, of provider: Provider
    ) async throws -> VerifiedIdentity {
        try await spend([nonce])
        return try await singleUse.spent([nonce]).keepSpent {
            try await identity(
                verifying: credentials, with: oauth1, of: provider, proof: .consumerSignature, knowing: Profile(),
                returnable: [nonce])
        }
    }

    /// Fetches the profile for credentials whose id is known.
    ///
    /// The fallback endpoint returns no e-mail address. It is called only if the provider refuses the credentials check
    /// permanently.
    ///
    /// - Parameter oauth1: The provider's endpoints and this server's client at that provider.
    /// - Throws: `ProviderFailure.otherPersonInUserInfo` if a response is about another person.
    func user(
        _ credentials: TokenCredentials, subject: Subject, with oauth1: OAuth1, of provider: Provider
    ) async throws -> FoundProfile {
        do {
            let person = try await ask(oauth1.credentialsCheck, credentials, with: oauth1, of: provider)
            try Self.check(person, isOf: subject)
            return FoundProfile(profile: person.profile, refusal: person.refusal, answer: person.answer)
        } catch let refusal as ProviderFailure where !refusal.isPassing && !refusal.concernsThePerson {
            do {
                let person = try await ask(oauth1.fallback, credentials, with: oauth1, of: provider)
                try Self.check(person, isOf: subject)
                return FoundProfile(profile: person.profile, refusal: refusal, answer: person.answer)
            } catch let failure as ProviderFailure where failure.concernsThePerson {
                throw failure
            } catch {
                // The address was refused before. Without the fallback's response only the name is missing.
                return FoundProfile(profile: Profile(), refusal: refusal, answer: nil)
            }
        }
    }

    private static func check(_ person: Person, isOf subject: Subject) throws(ProviderFailure) {
        guard person.subject == subject else { throw .otherPersonInUserInfo }
    }

    /// Verifies credentials by a user endpoint: the credentials check, or the fallback.
    ///
    /// The fallback is called if the provider refuses the check for reasons of price, access tier or rate (402, 403,
    /// 404, 410, 429).
    private func identity(
        verifying credentials: TokenCredentials, with oauth1: OAuth1, of provider: Provider, proof: AudienceProof,
        knowing profile: Profile, returnable: [SpentRecord]
    ) async throws -> VerifiedIdentity {
        let person: Person
        var state = ProfileState.whole
        var refusal: ProviderFailure?
        do {
            person = try await ask(oauth1.credentialsCheck, credentials, with: oauth1, of: provider)
            refusal = person.refusal
        } catch ProviderFailure.refusedProfile(.user, status: 401, let words) {
            throw Refusal.pairRejected.quoting(words)
        } catch let failure as ProviderFailure where failure.closesCredentialsCheck {
            do {
                person = try await ask(oauth1.fallback, credentials, with: oauth1, of: provider)
            } catch ProviderFailure.refusedProfile(.user, status: 401, let words) {
                throw Refusal.pairRejected.quoting(words)
            } catch ProviderFailure.refusedProfile(.user, status: 403, let words) {
                // No other endpoint returns the id, and this server's registration may not use this one.
                throw ProviderFailure.refusedClient(.unknownReason).refusal.quoting(words)
            }
            if failure.isPassing {
                // The check would have returned the address, and may do so later.
                state = .unfetched(ProfileCall(provider: provider, source: .user(credentials, oauth1)))
            } else {
                refusal = failure
            }
        }
        return identity(
            person.subject, person.profile.completed(by: profile), state, refusal, credentials, of: provider,
            proof: proof, answer: ProviderAnswer(userInfo: person.answer), returnable: returnable)
    }

    private func ask(
        _ endpoint: UserEndpoint, _ credentials: TokenCredentials, with oauth1: OAuth1, of provider: Provider
    ) async throws -> Person {
        let signer = RequestSigner(client: oauth1.client, random: random, time: time)
        return try await ask(endpoint, codes: oauth1.errorCodes, of: provider) { query in
            try signer.request(
                .get, endpoint.url, token: (credentials.identifier, credentials.sharedSecret), query: query,
                timeout: provider.timeout)
        }
    }

    private func identity(
        _ subject: Subject, _ profile: Profile, _ state: ProfileState, _ refusal: ProviderFailure?,
        _ credentials: TokenCredentials, of provider: Provider, proof: AudienceProof,
        answer: ProviderAnswer, returnable: [SpentRecord]
    ) -> VerifiedIdentity {
        VerifiedIdentity(
            provider: provider.id, subject: subject, profile: profile, profileState: state, profileRefusal: refusal,
            audienceProof: proof, authenticatedAt: nil,
            tokens: ReturnedTokens(
                accessToken: credentials.identifier, idToken: nil, refreshToken: nil,
                oauthTokenSecret: credentials.sharedSecret, expiresIn: nil, scope: nil),
            answer: answer, returnable: returnable)
    }
}

extension Refusal {
    /// The provider does not accept a pair under this server's signature.
    package static let pairRejected = tokenRejected(
        "its user endpoint refuses the pair with this consumer key (status 401): usually it was revoked, or issued to another "
            + "consumer key")
}

extension ProviderFailure {
    /// Whether the failure concerns the person or the content of a response, and not this server's permissions.
    var concernsThePerson: Bool {
        switch self {
        case .accountDisabled, .malformedResponse, .notJSON, .otherTokenType, .noUserID, .otherPersonInUserInfo,
            .unusableMembers:
            true
        case .noAnswer, .throttled, .unavailable, .failed, .refused, .refusedWithoutCode, .noTokens, .tokensElsewhere,
            .notTokenEndpoint, .refusedClient, .refusedProfile, .pageInPlaceOfProfile, .document:
            false
        }
    }

    /// Whether the fallback may succeed although the credentials check failed.
    fileprivate var closesCredentialsCheck: Bool {
        switch self {
        case .refusedProfile(_, status: 403, _), .refusedProfile(_, status: 404, _),
            .refusedProfile(_, status: 410, _), .refusedClient(.credit),
            .refusedClient(.accessTier), .throttled:
            true
        default: false
        }
    }
}
