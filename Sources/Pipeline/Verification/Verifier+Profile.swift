internal import JOSE
internal import Jansson
package import Providers
internal import Standards
internal import Transport

extension Verifier {
    /// Completes the profile of an identity by a further call to the provider.
    ///
    /// A part that the provider refuses permanently (an access tier, a permission) is left out. The refusal is in
    /// ``VerifiedIdentity/profileRefusal``.
    ///
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
                case .emails(let accessToken, let endpoint):
                    try await emails(accessToken, at: endpoint, of: call.provider)
                }
        } catch ProviderFailure.otherPersonInUserInfo where identity.audienceProof == .introspection {
            // The application chose the token, so that two answers about it are no fault of the provider.
            throw Refusal.tokenRejected("the user endpoint and the introspection name different users").spent
        } catch let failure as ProviderFailure where !failure.isPassing && !failure.concernsThePerson {
            found = FoundProfile(profile: Profile(), refusal: failure, answer: nil)
        }
        // Claims of the ID token, or of the token endpoint, take precedence over those of the further call.
        let profile =
            switch call.source {
            case .userInfo, .emails: identity.profile.completed(by: found.profile)
            case .user: found.profile.completed(by: identity.profile)
            }
        var answer = identity.answer
        answer.userInfo = found.answer ?? answer.userInfo
        return VerifiedIdentity(
            provider: identity.provider, subject: identity.subject, profile: profile, profileState: .whole,
            profileRefusal: found.refusal ?? identity.profileRefusal, audienceProof: identity.audienceProof,
            authenticatedAt: identity.authenticatedAt, tokens: identity.tokens, answer: answer,
            returnable: identity.returnable)
    }
}

extension VerifiedIdentity {
    /// Returns the identity with the profile of its ID token only, because the userinfo endpoint does not respond for now.
    ///
    /// The address of an ID token takes precedence over that of userinfo, so that the account has the same one in both cases.
    ///
    /// - Parameter failure: Why the endpoint gave no profile. It becomes ``profileRefusal``.
    /// - Returns: The identity; `nil` if the ID token has no address, or if the profile comes from another endpoint.
    package func withoutUserInfo(because failure: ProviderFailure) -> VerifiedIdentity? {
        guard profile.email != nil, case .unfetched(let call) = profileState, case .userInfo = call.source else {
            return nil
        }
        return VerifiedIdentity(
            provider: provider, subject: subject, profile: profile, profileState: .whole, profileRefusal: failure,
            audienceProof: audienceProof, authenticatedAt: authenticatedAt, tokens: tokens, answer: answer,
            returnable: returnable)
    }

    /// Returns the identity with a name that the browser carried, if the provider itself sent none.
    ///
    /// That name has no signature. It is suitable only for an account that is created by this sign-in, whose person could
    /// choose it in any case.
    package func named(by carried: Profile) -> VerifiedIdentity {
        guard profile.name == nil else { return self }
        var name = Profile()
        name.name = carried.name
        name.givenName = carried.givenName
        name.familyName = carried.familyName
        return VerifiedIdentity(
            provider: provider, subject: subject, profile: profile.completed(by: name), profileState: profileState,
            profileRefusal: profileRefusal, audienceProof: audienceProof, authenticatedAt: authenticatedAt,
            tokens: tokens, answer: answer, returnable: returnable, known: known)
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
    /// The profile is empty if the provider has no such endpoint, and if the response cannot be used or names no person: the
    /// ID token has already proven the identity.
    ///
    /// - Parameters:
    ///   - subject: The subject of the ID token.
    ///   - openIDConnect: The provider's endpoints.
    /// - Throws: A malformed response if the response is about another person (§5.3.2).
    func userInfo(
        _ accessToken: AccessToken, subject: Subject, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws -> FoundProfile {
        let endpoints = try await openIDConnect.endpoints()
        guard let endpoint = endpoints.userInfo, openIDConnect.namesPersonInUserInfo else {
            return FoundProfile(profile: Profile(), refusal: nil, answer: nil)
        }
        let answer: JSON
        do {
            answer = try await userInfo(accessToken, at: endpoint, with: openIDConnect, of: provider)
        } catch let failure as ProviderFailure where failure.isUnreadable {
            return FoundProfile(profile: Profile(), refusal: failure, answer: nil)
        } catch {
            let mismatch = error as? ClaimsMismatch
            guard let fault = error as? JOSEError ?? mismatch?.error else { throw error }
            // The advice on algorithms names the settings of ID tokens.
            let isOfAlgorithm = [.algorithmNotAllowed, .keyForOtherAlgorithm].contains(fault)
            let refusal = ProviderFailure.malformedResponse(
                ProviderFailure.verifiableUserInfo, found: fault.code, advice: isOfAlgorithm ? nil : mismatch?.advice)
            return FoundProfile(profile: Profile(), refusal: refusal, answer: nil)
        }
        let mapping = openIDConnect.mapping
        guard answer["sub"]?.string != nil else {
            return FoundProfile(profile: Profile(), refusal: .noSubject(in: answer), answer: nil)
        }
        guard let answered = mapping.subject(in: answer), openIDConnect.isSubject(answered, of: subject) else {
            throw ProviderFailure.otherPersonInUserInfo
        }
        return FoundProfile(
            profile: mapping.profile(in: answer, trusting: provider.emailTrust),
            refusal: mapping.unusableParts(in: answer, trusting: provider.emailTrust),
            answer: answer)
    }

    /// Returns the subject in the response of the userinfo endpoint to a token that this server obtained itself.
    func userInfoSubject(
        _ accessToken: AccessToken, at endpoint: String, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws -> Subject {
        let answer = try await userInfo(accessToken, at: endpoint, with: openIDConnect, of: provider)
        guard let subject = openIDConnect.mapping.subject(in: answer) else {
            throw ProviderFailure.noSubject(in: answer)
        }
        return subject
    }

    private func userInfo(
        _ accessToken: AccessToken, at endpoint: String, with openIDConnect: OpenIDConnect, of provider: Provider
    ) async throws -> JSON {
        let request = OutboundRequest(
            .get, endpoint,
            header: [
                bearer(accessToken), HeaderField("Accept", "application/json, application/jwt;q=0.9, */*;q=0.1"),
            ],
            timeout: provider.timeout
        ).addressed(to: provider, .user)
        let response = try await send(request)
        guard response.status == 200 else { throw ProviderFailure(of: .user, response, to: request) }
        // The base64url of an object begins so.
        guard response.body.starts(with: "eyJ".utf8) else {
            let answer = try response.jsonObject(of: .user, to: request)
            if answer["sub"] == nil, let failure = ProviderFailure.errorInPlaceOfProfile(response, answer, to: request)
            {
                throw failure
            }
            return answer
        }
        return try await signedUserInfo(String(decoding: response.body, as: UTF8.self), with: openIDConnect)
    }

    /// Verifies userinfo that is a signed JWT (OpenID Connect Core §5.3.2).
    ///
    /// "If signed, the UserInfo Response MUST contain the Claims iss (issuer) and aud (audience) as members." Its times are not
    /// checked: it has just arrived over TLS, in response to a request of this server.
    private func signedUserInfo(_ text: String, with openIDConnect: OpenIDConnect) async throws -> JSON {
        let jws = try CompactJWS.parse(text, maximumBytes: CompactJWS.maximumDirectBytes)
        let claims = try await signed(jws, with: openIDConnect)
        let issuers = try await openIDConnect.issuers(of: claims)
        guard let issuer = claims.issuer, issuers.containsExactly(issuer) else {
            throw ClaimsMismatch(inUserInfo: .issuerMismatch(expected: issuers), "iss", of: claims, expected: issuers)
        }
        let audiences = claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
        guard audiences.containsExactly(openIDConnect.clientID) else {
            let expected = [openIDConnect.clientID]
            throw ClaimsMismatch(
                inUserInfo: .audienceMismatch(expected: expected), "aud", of: claims, expected: expected)
        }
        return claims.json
    }

    /// Fetches the primary address of a person.
    func emails(
        _ accessToken: AccessToken, at endpoint: EmailEndpoint, of provider: Provider
    ) async throws(ProviderFailure) -> FoundProfile {
        let request = OutboundRequest(
            .get, endpoint.url, header: [bearer(accessToken), HeaderField("Accept", "application/json")],
            timeout: provider.timeout
        ).addressed(to: provider, .user)
        let response = try await send(request)
        guard response.status == 200 else { throw ProviderFailure(of: .emails, response, to: request) }
        let answer = try response.json(of: .emails, to: request)
        return FoundProfile(
            profile: endpoint.profile(in: answer, trusting: provider.emailTrust),
            refusal: endpoint.failure(of: answer), answer: nil)
    }

    func bearer(_ accessToken: AccessToken) -> HeaderField {
        HeaderField("Authorization", "Bearer " + accessToken.secret.secretText)
    }
}

extension ProviderFailure {
    /// Whether there is a response whose content cannot be used.
    fileprivate var isUnreadable: Bool {
        switch self {
        case .malformedResponse, .notJSON, .noAnswer(.tooLarge), .noAnswer(.notHTTP): true
        default: false
        }
    }
}
