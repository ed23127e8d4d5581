internal import AttackLab
internal import Jansson

/// What is sent to prove who somebody is.
enum Credential: Sendable {
    case code(String, redirectURI: String, verifier: String?, nonce: String?)
    case idToken(String, nonce: String?, accessToken: String?)
    /// `claimedID`: what nobody has checked.
    case pair(token: String, secret: String, nonce: String?, claimedID: String?)
    case accessToken(String)
    /// Taken only by mistake.
    case pending(String)
    /// A type that the contract knows and this backend never began.
    case foreign

    init(_ object: JSON, kit: Kit) throws(Refusal) {
        guard let type = object["type"] else { throw .missing("credential.type") }
        let known = try Self.known(type.string ?? "", kit)
        let fields = try Fields(object, known: ["type"] + known + (kit.makes(.uidFromBody) ? ["uid"] : []))
        switch type.string {
        case "authorization_code":
            self = .code(
                try fields.text("code", upTo: 4096), redirectURI: try fields.text("redirect_uri"),
                verifier: try fields.optionalText("code_verifier", upTo: 1024),
                nonce: try fields.optionalText("nonce"))
        case "id_token":
            self = .idToken(
                try fields.text("id_token", upTo: kit.makes(.unboundedBody) ? Int.max : 32 * 1024),
                nonce: try fields.text("nonce"),
                accessToken: try fields.optionalText("access_token", upTo: 16 * 1024))
        case "oauth1_token":
            self = .pair(
                token: try fields.text("oauth_token"), secret: try fields.text("oauth_token_secret"),
                nonce: try fields.optionalText("nonce"),
                claimedID: kit.makes(.pairUnverified) ? try fields.optionalText("user_id") : nil)
        case "access_token":
            self = .accessToken(try fields.text("access_token", upTo: 16 * 1024))
            _ = try fields.optionalText("nonce")
        case "pending" where kit.makes(.identitySealed):
            self = .pending(try fields.text("pending_credential", upTo: 60 * 1024))
        default:
            for name in known { _ = try fields.text(name, upTo: 60 * 1024) }
            self = .foreign
        }
    }

    /// The type says which members there may be: two kinds of evidence at once are none.
    private static func known(_ type: String, _ kit: Kit) throws(Refusal) -> [String] {
        switch type {
        case "authorization_code": ["code", "redirect_uri", "code_verifier", "nonce"]
        case "id_token": ["id_token", "nonce", "access_token"]
        case "oauth1_token":
            ["oauth_token", "oauth_token_secret", "nonce"] + (kit.makes(.pairUnverified) ? ["user_id"] : [])
        case "access_token": ["access_token", "nonce"]
        case "callback": ["session", "callback_url"]
        case "pending": ["pending_credential"]
        default: throw .unknownCredentialType.with(input: type)
        }
    }
}
