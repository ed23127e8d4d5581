internal import JOSE
internal import Jansson
internal import OAuth
internal import Providers
package import Sealing

/// Keeps verified identities in the store while their applications are on the way to fetch them.
///
/// What comes out is what went in, so that opening is as good as verifying again. For that reason it takes the store's
/// seal only: with the keys of what travels no identity can be made.
package struct IdentitySeal: Sendable {
    /// A provider's tokens are in it where the application gets them: 256 KiB at most, six times as much where JSON
    /// escapes each octet, a third more in base64url.
    private static let limit = 2 * 1024 * 1024

    private let seal: StoreSeal

    package init(_ seal: StoreSeal) {
        self.seal = seal
    }

    /// What may be given back for the identity is not kept: the provider has spent its code.
    ///
    /// - `keepsTokens`: whether the provider's own tokens are kept too.
    /// - `holder`: to whom it is bound; the same must be named to open it.
    package func seal(
        _ identity: VerifiedIdentity, keepsTokens: Bool, for holder: String
    ) throws(SealingFailure) -> String {
        try seal.seal(identity.json(keepsTokens: keepsTokens), as: .identity, for: holder)
    }

    /// Returns nil for anything that was not sealed here for this holder.
    package func open(_ text: String, for holder: String) -> VerifiedIdentity? {
        seal.open(text, as: .identity, for: holder, upTo: Self.limit).flatMap(VerifiedIdentity.init)
    }
}

extension VerifiedIdentity {
    fileprivate func json(keepsTokens: Bool) -> JSON {
        var members: [String: JSON] = [
            "provider": .string(provider.text), "subject": .string(subject),
            "audience_proof": .string(audienceProof.rawValue), "profile": profile.json,
        ]
        if !isProfileWhole { members["profile_missing"] = .bool(true) }
        members["auth_time"] = authenticatedAt.map { .integer($0.seconds) }
        if keepsTokens { members["tokens"] = tokens.json }
        return .object(members)
    }

    fileprivate init?(_ content: JSON) {
        guard
            let provider = content["provider"]?.string, let subject = content["subject"]?.string,
            let proof = content["audience_proof"]?.string.flatMap(AudienceProof.init(rawValue:)),
            let profile = content["profile"]
        else { return nil }
        self.init(
            provider: ProviderID(provider), subject: subject, profile: Profile(profile),
            profileState: content["profile_missing"]?.bool == true ? .missing : .whole, profileRefusal: nil,
            audienceProof: proof, authenticatedAt: content["auth_time"]?.integer.map { NumericDate($0) },
            tokens: ReturnedTokens(content["tokens"] ?? .object([:])), returnable: [])
    }
}

extension Profile {
    fileprivate var json: JSON {
        var members: [String: JSON] = [:]
        members["name"] = name.map(JSON.string)
        members["given_name"] = givenName.map(JSON.string)
        members["family_name"] = familyName.map(JSON.string)
        members["email"] = email.map(JSON.string)
        members["email_verified"] = isEmailVerified.map(JSON.bool)
        members["picture"] = picture.map(JSON.string)
        members["locale"] = locale.map(JSON.string)
        members["screen_name"] = screenName.map(JSON.string)
        return .object(members)
    }

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
