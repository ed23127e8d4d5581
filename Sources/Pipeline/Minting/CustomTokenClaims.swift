internal import Firebase
internal import JOSE
package import Jansson

/// The payload of a Firebase custom token: these members and no others.
///
/// `{"aud","claims","exp","iat","iss","sub","tenant_id","uid"}`. `claims` and `tenant_id` are left out if they are
/// empty. Only this target makes one: its signature signs a person in as `uid`.
///
/// - SeeAlso: <https://firebase.google.com/docs/auth/admin/create-custom-tokens>
package struct CustomTokenClaims: Sendable {
    package static let audience = IdentityToolkit.customTokenAudience
    /// Firebase takes no token that lives longer.
    static let maximumLifetime = Duration.seconds(3600)

    /// 1 to 128 UTF-16 code units; not checked here.
    let uid: String
    let developerClaims: DeveloperClaims
    let tenantID: String?
    let issuedAt: NumericDate
    /// At most ``maximumLifetime``.
    let lifetime: Duration

    /// - Parameters:
    ///   - uid: The user that the token signs in.
    ///   - developerClaims: Claims of the deployment.
    ///   - tenantID: The Identity Platform tenant of the user; `nil` for none.
    ///   - issuedAt: The time of issue.
    ///   - lifetime: A longer one than an hour is shortened to an hour.
    init(
        uid: String, developerClaims: DeveloperClaims, tenantID: String?, issuedAt: NumericDate, lifetime: Duration
    ) {
        self.uid = uid
        self.developerClaims = developerClaims
        self.tenantID = tenantID
        self.issuedAt = issuedAt
        self.lifetime = min(lifetime, Self.maximumLifetime)
    }

    /// Seconds.
    var expiresIn: Int64 { lifetime.components.seconds }

    func payload(issuer: String) -> JSON {
        var members: [String: JSON] = [
            "aud": .string(Self.audience),
            "iss": .string(issuer),
            "sub": .string(issuer),
            "iat": .integer(issuedAt.seconds),
            "exp": .integer((issuedAt + lifetime).seconds),
            "uid": .string(uid),
        ]
        if !developerClaims.members.isEmpty {
            members["claims"] = .object(developerClaims.members)
        }
        if let tenantID {
            members["tenant_id"] = .string(tenantID)
        }
        return .object(members)
    }
}

/// Claims of the deployment in a custom token, which Firebase copies to the top level of its ID tokens.
package struct DeveloperClaims: Sendable, Equatable {
    package static let maximumBytes = 1000

    /// Names that the admin SDKs reserve, or that Firebase overwrites in its ID tokens.
    package static let reservedNames: Set<String> = [
        "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "claims", "cnf", "email", "email_verified",
        "exp", "firebase", "iat", "iss", "jti", "nbf", "nonce", "phone_number", "provider_id", "sub", "uid",
        "user_id",
    ]

    package static let none = DeveloperClaims()

    package let members: [String: JSON]

    /// - Parameter members: The claims by their names.
    /// - Throws: ``MintingError/reservedClaim(_:)`` with the alphabetically first reserved name;
    ///   ``MintingError/claimsTooLarge(bytes:)`` for more than 1000 bytes of JSON.
    package init(_ members: [String: JSON]) throws(MintingError) {
        if let name = members.keys.filter(Self.reservedNames.contains).min() { throw .reservedClaim(name) }
        let claims = JSON.object(members)
        if claims.serializedCountLimit > Self.maximumBytes {
            let size = claims.serialized().count
            guard size <= Self.maximumBytes else { throw .claimsTooLarge(bytes: size) }
        }
        self.members = members
    }

    private init() {
        members = [:]
    }
}
