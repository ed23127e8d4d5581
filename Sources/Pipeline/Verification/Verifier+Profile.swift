internal import Providers

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
