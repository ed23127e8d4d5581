internal import JOSE
internal import Jansson

/// A statement that a signer makes a JWT of.
enum SignedStatement: Sendable {
    case customToken(CustomTokenClaims)
    case hookEvent(HookQuestion)

    /// The payload, which contains the service account as its issuer.
    func payload(issuer: String) -> JSON {
        switch self {
        case .customToken(let claims): claims.payload(issuer: issuer)
        case .hookEvent(let question): question.payload(issuer: issuer)
        }
    }

    /// The same for the process that holds the key, which has its own issuer and clock.
    var question: SigningRequest.Kind {
        switch self {
        case .customToken(let claims):
            .customToken(
                uid: claims.uid, claims: claims.developerClaims.members, tenantID: claims.tenantID,
                lifetime: claims.expiresIn)
        case .hookEvent(let question):
            .hookEvent(audience: question.audience, id: question.id, event: question.event)
        }
    }
}

/// The content of the JWT with which a hook is asked.
struct HookQuestion: Sendable {
    /// The JWT is sent at once, and a hook that got it late must not decide about it.
    private static let lifetime = Duration.seconds(60)

    /// The URL of the hook.
    let audience: String
    /// The `jti`.
    let id: String
    let event: JSON
    let issuedAt: NumericDate

    func payload(issuer: String) -> JSON {
        .object([
            "iss": .string(issuer), "sub": .string(issuer), "aud": .string(audience),
            "iat": .integer(issuedAt.seconds), "exp": .integer((issuedAt + Self.lifetime).seconds),
            "jti": .string(id), "event": event,
        ])
    }
}
