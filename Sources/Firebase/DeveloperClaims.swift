package import Jansson

/// Claims of our own in a custom token, which Firebase copies to the top level of its ID tokens.
package struct DeveloperClaims: Sendable, Equatable {
    package static let maximumBytes = 1000

    /// What the admin SDKs reserve, and what Firebase overwrites in its ID tokens.
    package static let reservedNames: Set<String> = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "claims", "cnf", "email", "email_verified",
        "exp", "firebase", "iat", "iss", "jti", "nbf", "nonce", "phone_number", "provider_id", "sub", "uid",
        "user_id",
    ]

    package let members: [String: JSON]

    /// - Throws: ``DeveloperClaimsError/reserved(_:)`` with the first such name in the order of the alphabet, and
    ///   ``DeveloperClaimsError/tooLarge(bytes:)`` for more than 1000 octets of JSON.
    package init(_ members: [String: JSON]) throws(DeveloperClaimsError) {
        if let name = members.keys.filter(Self.reservedNames.contains).min() { throw .reserved(name) }
        let claims = JSON.object(members)
        if claims.serializedCountLimit > Self.maximumBytes {
            let size = claims.serialized().count
            guard size <= Self.maximumBytes else { throw .tooLarge(bytes: size) }
        }
        self.members = members
    }

    package static let none = DeveloperClaims()

    private init() {
        members = [:]
    }
}

/// Why claims cannot stand in a custom token.
package enum DeveloperClaimsError: Error, Equatable, Sendable {
    case reserved(String)
    case tooLarge(bytes: Int)
}
