internal import Jansson
internal import OAuth
internal import Providers
internal import Transport

extension Verifier {
    /// The identity with what a further call to the provider adds to its profile.
    ///
    /// What the provider refuses for good (a tier, a permission) is left out, and stands in
    /// ``VerifiedIdentity/profileRefusal``.
    ///
    /// - Returns: The identity as it is if there is nothing to ask.
    /// - Throws: ``VerificationError/provider(_:givenBack:)`` for a failure that may pass, for an answer about another
    ///   person (OpenID Connect Core §5.3.2) or of the wrong form, and for a person whom the provider has suspended.
    package func completed(_ identity: VerifiedIdentity) async throws(VerificationError) -> VerifiedIdentity {
        guard case .unfetched(let call) = identity.profileState else { return identity }
        let found: FoundProfile
        do throws(VerificationError) {
            found =
                switch call.source {
                case .userInfo(let accessToken, let openIDConnect):
                    try await userInfo(
                        accessToken, subject: identity.subject, with: openIDConnect, of: call.provider)
                case .user(let credentials, let oauth1):
                    try await user(credentials, subject: identity.subject, with: oauth1, of: call.provider)
                }
        } catch .provider(let failure, _) {
            switch failure {
            case .accountDisabled, .malformedResponse: throw .provider(failure, givenBack: false)
            case _ where failure.isPassing: throw .provider(failure, givenBack: false)
            case .failed, .refusedClient, .noAnswer, .throttled, .unavailable, .document:
                found = FoundProfile(profile: Profile(), refusal: failure)
            }
        }
        // What the ID token, or the token endpoint, has said of the person stands.
        let profile =
            switch call.source {
            case .userInfo: identity.profile.completed(by: found.profile)
            case .user: found.profile.completed(by: identity.profile)
            }
        return VerifiedIdentity(
            provider: identity.provider, subject: identity.subject, profile: profile, profileState: .whole,
            profileRefusal: found.refusal, audienceProof: identity.audienceProof,
            authenticatedAt: identity.authenticatedAt, tokens: identity.tokens, returnable: identity.returnable)
    }
}

/// What a provider's endpoint tells of a person, and what it refused to tell for good.
struct FoundProfile {
    let profile: Profile
    let refusal: ProviderFailure?
}

extension Verifier {
    /// The profile that the userinfo endpoint adds (OpenID Connect Core §5.3); empty if there is no such endpoint,
    /// since the ID token has already said who this is.
    ///
    /// - Throws: A malformed response, when the answer is about somebody else (§5.3.2), or about nobody.
    func userInfo(
        _ accessToken: AccessToken, subject: String, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws(VerificationError) -> FoundProfile {
        let endpoint: String?
        do {
            endpoint = try await openIDConnect.endpoints().userInfo
        } catch {
            throw .provider(.document(error), givenBack: false)
        }
        guard let endpoint else { return FoundProfile(profile: Profile(), refusal: nil) }
        let response = try await send(
            OutboundRequest(
                .get, endpoint, header: [bearer(accessToken), HeaderField("Accept", "application/json")],
                timeout: provider.timeout
            ).queued(in: provider.queue(.user)))
        do throws(ProviderFailure) {
            guard response.status == 200 else { throw ProviderFailure(response) }
            let answer = try response.jsonObject()
            let mapping = ProfileMapping.openIDConnect
            guard let answered = mapping.subject(in: answer), answered.utf8.elementsEqual(subject.utf8) else {
                throw ProviderFailure.malformedResponse("sub")
            }
            return FoundProfile(profile: mapping.profile(in: answer, trusting: provider.emailTrust), refusal: nil)
        } catch {
            throw .provider(error, givenBack: false)
        }
    }

    func bearer(_ accessToken: AccessToken) -> HeaderField {
        HeaderField("Authorization", "Bearer " + accessToken.secret.secretText)
    }
}
