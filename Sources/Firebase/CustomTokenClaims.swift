package import JOSE
internal import Jansson

/// The payload of a Firebase custom token: these members and no others.
///
/// `{"aud","claims","exp","iat","iss","sub","tenant_id","uid"}`; `claims` and `tenant_id` only where there are any.
///
/// - SeeAlso: <https://firebase.google.com/docs/auth/admin/create-custom-tokens>
package struct CustomTokenClaims: Sendable {
    package static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"
    package static let maximumLifetime = Duration.seconds(3600)

    /// 1 to 128 characters; not checked here.
    package let uid: String
    /// Within what ``DeveloperClaims`` allows.
    package let developerClaims: DeveloperClaims
    package let tenantID: String?
    package let issuedAt: NumericDate
    /// Cut to an hour, the most that Firebase takes.
    package let lifetime: Duration

    package init(
        uid: String, developerClaims: DeveloperClaims, tenantID: String?, issuedAt: NumericDate, lifetime: Duration
    ) {
        self.uid = uid
        self.developerClaims = developerClaims
        self.tenantID = tenantID
        self.issuedAt = issuedAt
        self.lifetime = min(lifetime, Self.maximumLifetime)
    }

    /// Seconds.
    package var expiresIn: Int64 { lifetime.components.seconds }

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
