internal import JOSE
internal import Jansson
internal import Providers
internal import Standards
internal import Transport

extension Verifier {
    /// Completes the profile of an identity by a further call to the provider.
    ///
    /// A part that the provider refuses permanently (an access tier, a permission) is left out. The refusal is in
    /// ``VerifiedIdentity/profileRefusal``.
    ///
    /// - Parameter identity: The identity.
    /// - Returns: The identity with its profile; the same identity if no call is needed.
    /// - Throws: `ProviderFailure` for a temporary failure, for a response about another
    ///   person (OpenID Connect Core §5.3.2) or of the wrong form, and for a person whom the provider has suspended.
    package func completed(_ identity: VerifiedIdentity) async throws -> VerifiedIdentity {
        guard case .unfetched(let call) = identity.profileState else { return identity }
        let found: FoundProfile
        do {
            found =
                switch call.source {
                case .userInfo(let accessToken, let openIDConnect):
                    try await userInfo(
                        accessToken, subject: identity.subject, with: openIDConnect, of: call.provider)
                case .user(let credentials, let oauth1):
                    try await user(credentials, subject: identity.subject, with: oauth1, of: call.provider)
                }
        } catch let failure as ProviderFailure where !failure.isPassing && !failure.concernsThePerson {
            found = FoundProfile(profile: Profile(), refusal: failure, answer: nil)
        }
        // Claims of the ID token, or of the token endpoint, take precedence over those of the further call.
        let profile =
            switch call.source {
            case .userInfo: identity.profile.completed(by: found.profile)
            case .user: found.profile.completed(by: identity.profile)
            }
        var answer = identity.answer
        answer.userInfo = found.answer ?? answer.userInfo
        return VerifiedIdentity(
            provider: identity.provider, subject: identity.subject, profile: profile, profileState: .whole,
            profileRefusal: found.refusal, audienceProof: identity.audienceProof,
            authenticatedAt: identity.authenticatedAt, tokens: identity.tokens, answer: answer,
            returnable: identity.returnable)
    }
}

/// The profile that a provider's endpoint returned, and why a part of it was refused permanently.
struct FoundProfile {
    let profile: Profile
    let refusal: ProviderFailure?
    /// The endpoint's response; `nil` if it did not respond with a profile.
    let answer: JSON?
}

extension Verifier {
    /// Fetches the profile from the userinfo endpoint (OpenID Connect Core §5.3).
    ///
    /// The profile is empty if the provider has no such endpoint: the ID token has already proven the identity.
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - subject: The subject of the ID token.
    ///   - openIDConnect: The provider's endpoints.
    ///   - provider: The provider.
    /// - Returns: The profile.
    /// - Throws: A malformed response if the response is about another person (§5.3.2) or has no subject.
    func userInfo(
        _ accessToken: AccessToken, subject: Subject, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws -> FoundProfile {
        let endpoints = try await openIDConnect.endpoints()
        guard let endpoint = endpoints.userInfo else {
            return FoundProfile(profile: Profile(), refusal: nil, answer: nil)
        }
        let answer = try await userInfo(accessToken, at: endpoint, of: provider)
        let mapping = ProfileMapping.openIDConnect
        guard let answered = mapping.subject(in: answer), answered == subject else {
            throw ProviderFailure.malformedResponse("sub")
        }
        return FoundProfile(
            profile: mapping.profile(in: answer, trusting: provider.emailTrust), refusal: nil, answer: answer)
    }

    /// Returns the subject in the response of the userinfo endpoint to a token that this server obtained itself.
    func userInfoSubject(
        _ accessToken: AccessToken, at endpoint: String, of provider: Provider
    ) async throws -> Subject {
        let answer = try await userInfo(accessToken, at: endpoint, of: provider)
        guard let subject = ProfileMapping.openIDConnect.subject(in: answer) else {
            throw ProviderFailure.malformedResponse("sub")
        }
        return subject
    }

    private func userInfo(
        _ accessToken: AccessToken, at endpoint: String, of provider: Provider
    ) async throws -> JSON {
        let response = try await send(
            OutboundRequest(
                .get, endpoint, header: [bearer(accessToken), HeaderField("Accept", "application/json")],
                timeout: provider.timeout
            ).addressed(to: provider, .user))
        guard response.status == 200 else { throw ProviderFailure(response) }
        return try response.jsonObject()
    }

    func bearer(_ accessToken: AccessToken) -> HeaderField {
        HeaderField("Authorization", "Bearer " + accessToken.secret.secretText)
    }
}
