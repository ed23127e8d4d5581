internal import JOSE
internal import Jansson
internal import Providers
package import Standards

/// Seals verified identities for the store, until their applications fetch them.
///
/// An opened identity counts as verified. Therefore only the keys of the store seal it: the keys of values that clients
/// carry cannot make an identity.
package struct IdentitySeal: Sendable {
    /// The maximum length of a sealed identity, in bytes.
    ///
    /// It may contain a provider's tokens of up to 256 KiB. JSON escapes a byte with up to six, and base64url adds a
    /// third.
    private static let limit = 2 * 1024 * 1024

    private let seal: StoreSeal

    package init(_ seal: StoreSeal) {
        self.seal = seal
    }

    /// Seals an identity.
    ///
    /// Its returnable records are left out: nothing can be given back, since the provider has spent its code.
    ///
    /// - Parameters:
    ///   - keepsTokens: Whether to keep the provider's own tokens.
    ///   - keepsProfile: Whether to keep the provider's own answer about the person.
    ///   - isLinked: Whether the person has linked the identity to an existing account during this flow.
    ///   - isRefused: Whether the identity may only report a conflict, and not sign in.
    ///   - factor: The second factor that the person has proven, sealed by another component.
    ///   - context: The identity opens only in this context.
    /// - Throws: ``SealingFailure``.
    package func seal(
        _ identity: VerifiedIdentity, keepsTokens: Bool, keepsProfile: Bool = false, isLinked: Bool = false,
        isRefused: Bool = false, factor: String? = nil, for context: String
    ) throws -> String {
        var members = identity.members(keepsTokens: keepsTokens)
        if keepsProfile, let (name, value) = identity.returnedProfile?.member { members[name] = value }
        if isLinked { members["linked"] = .bool(true) }
        if isRefused { members["refused"] = .bool(true) }
        members["factor"] = factor.map(JSON.string)
        return try seal.seal(.object(members), as: .identity, for: context)
    }

    /// Opens a sealed identity.
    ///
    /// - Parameter context: The context that it was sealed for.
    /// - Returns: The identity; `nil` if it was not sealed here for this holder.
    package func open(_ text: String, for context: String) -> KeptIdentity? {
        guard let content = seal.open(text, as: .identity, for: context, upTo: Self.limit),
            let identity = VerifiedIdentity(content)
        else { return nil }
        return KeptIdentity(
            identity: identity, isLinked: content["linked"] == .bool(true),
            isRefused: content["refused"] == .bool(true), factor: content["factor"]?.string)
    }
}

/// A verified identity that the store kept.
package struct KeptIdentity: Sendable {
    package let identity: VerifiedIdentity
    /// Whether the person has linked the identity to an existing account during its flow.
    package let isLinked: Bool
    /// Whether the identity may only report a conflict, and not sign in.
    package let isRefused: Bool
    /// The second factor that the person has proven during its flow, as it was sealed.
    package let factor: String?
}

extension VerifiedIdentity {
    fileprivate func members(keepsTokens: Bool) -> [String: JSON] {
        var members: [String: JSON] = [
            "provider": .string(provider.text), "subject": .string(subject.text),
            "audience_proof": .string(audienceProof.rawValue), "profile": profile.json,
        ]
        if !isProfileWhole { members["profile_missing"] = .bool(true) }
        members["auth_time"] = authenticatedAt.map { .integer($0.seconds) }
        if keepsTokens { members["tokens"] = tokens.json }
        return members
    }

    fileprivate init?(_ content: JSON) {
        guard
            let provider = content["provider"]?.string,
            let subject = content["subject"]?.string.flatMap({ Subject($0) }),
            let proof = content["audience_proof"]?.string.flatMap(AudienceProof.init(rawValue:)),
            let profile = content["profile"]
        else { return nil }
        self.init(
            provider: ProviderID(provider), subject: subject, profile: Profile(profile),
            profileState: content["profile_missing"]?.bool == true ? .missing : .whole, profileRefusal: nil,
            audienceProof: proof, authenticatedAt: content["auth_time"]?.integer.map { NumericDate($0) },
            tokens: ReturnedTokens(content["tokens"] ?? .object([:])),
            answer: ProviderAnswer(
                userInfo: content["provider_profile"]?["userinfo"], idToken: content["provider_profile"]?["id_token"],
                wasTooLong: content["provider_profile_omitted"] == .bool(true)),
            returnable: [])
    }
}

extension Profile {
    /// Reads ``Profile/json``.
    fileprivate init(_ content: JSON) {
        self.init()
        name = content["name"]?.string
        givenName = content["given_name"]?.string
        familyName = content["family_name"]?.string
        email = content["email"]?.string
        isEmailVerified = content["email_verified"]?.bool
        picture = content["picture"]?.string
        locale = content["locale"]?.string
        screenName = content["screen_name"]?.string
    }
}

extension ReturnedTokens {
    fileprivate var json: JSON {
        var members: [String: JSON] = [:]
        members["access_token"] = accessToken.map { .string($0.secretText) }
        members["id_token"] = idToken.map { .string($0.secretText) }
        members["refresh_token"] = refreshToken.map { .string($0.secretText) }
        members["oauth_token_secret"] = oauthTokenSecret.map { .string($0.secretText) }
        members["expires_in"] = expiresIn.map(JSON.integer)
        members["scope"] = scope.map(JSON.string)
        return .object(members)
    }

    fileprivate init(_ content: JSON) {
        self.init(
            accessToken: content["access_token"]?.string.map(Secret.init),
            idToken: content["id_token"]?.string.map(Secret.init),
            refreshToken: content["refresh_token"]?.string.map(Secret.init),
            oauthTokenSecret: content["oauth_token_secret"]?.string.map(Secret.init),
            expiresIn: content["expires_in"]?.integer, scope: content["scope"]?.string)
    }
}
