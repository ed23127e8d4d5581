internal import JOSE
internal import Jansson
internal import Stores

/// The content of what a conflict hands out: the identity, and for what it can still be used.
struct PendingCredential {
    static let lifetime = Duration.seconds(600)

    enum Origin {
        /// Linking met another account: for the uid that provoked it, or to sign in as the account that holds it.
        case link(by: String)
        /// A first sign-in met accounts of its address: to be linked to one of these.
        case signIn(meeting: [String])
    }

    let id: String
    let expiresAt: NumericDate
    let origin: Origin
    /// Of the verification room, which alone opens it.
    let sealedIdentity: String

    var record: SpentRecord { Self.record(id: id, expiresAt: expiresAt) }

    static func record(id: String, expiresAt: NumericDate) -> SpentRecord {
        SpentRecord(.pendingCredential, of: [Array(id.utf8)], expiresAt: expiresAt + .seconds(60))
    }

    var json: JSON {
        var members: [String: JSON] = [
            "id": .string(id), "exp": .integer(expiresAt.seconds), "identity": .string(sealedIdentity),
        ]
        switch origin {
        case .link(let uid): members["provoked_by"] = .string(uid)
        case .signIn(let uids): members["meeting"] = .array(uids.map(JSON.string))
        }
        return .object(members)
    }

    init(id: String, expiresAt: NumericDate, origin: Origin, sealedIdentity: String) {
        self.id = id
        self.expiresAt = expiresAt
        self.origin = origin
        self.sealedIdentity = sealedIdentity
    }

    init?(_ content: JSON) {
        guard let id = content["id"]?.string, let expiry = content["exp"]?.integer,
            let identity = content["identity"]?.string
        else { return nil }
        if let uid = content["provoked_by"]?.string {
            origin = .link(by: uid)
        } else if let uids = content["meeting"]?.array {
            origin = .signIn(meeting: uids.compactMap(\.string))
        } else {
            return nil
        }
        self.id = id
        expiresAt = NumericDate(expiry)
        sealedIdentity = identity
    }
}
