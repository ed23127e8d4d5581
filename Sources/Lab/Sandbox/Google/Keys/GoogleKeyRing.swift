import Jansson
import OpenSSL

/// The keys that sign one kind of token, the newest last.
///
/// The first is made when it is first asked for: RSA keys take their time.
struct GoogleKeyRing: Sendable {
    private let owner: String
    private var published: [GoogleKey] = []
    private var foreign: GoogleKey?

    /// - `owner`: whose keys these are, for their certificates.
    init(owner: String) {
        self.owner = owner
    }

    /// The one that signs.
    mutating func current(now: Int64) throws(Refusal) -> GoogleKey {
        if let key = published.last { return key }
        let key = try GoogleKey(owner: owner, now: now)
        published = [key]
        return key
    }

    /// Signs under the current key's id, and is published nowhere.
    mutating func foreign(now: Int64) throws(Refusal) -> GoogleKey {
        if let foreign { return foreign }
        let key = try GoogleKey(owner: owner, now: now)
        foreign = key
        return key
    }

    mutating func rotate(keepingOld: Bool, now: Int64) throws(Refusal) -> GoogleKey {
        // What signed nothing yet has to be replaced all the same.
        _ = try current(now: now)
        let next = try GoogleKey(owner: owner, now: now)
        published = (keepingOld ? published : []) + [next]
        return next
    }

    /// RFC 7517 §5.
    mutating func keySet(now: Int64) throws(Refusal) -> JSON {
        _ = try current(now: now)
        return .object(["keys": .array(published.map(\.jwk))])
    }

    /// Certificates in PEM by key id, `{"kid": "-----BEGIN CERTIFICATE-----…"}`.
    mutating func certificates(now: Int64) throws(Refusal) -> JSON {
        _ = try current(now: now)
        return .object(Dictionary(published.map { ($0.id, .string($0.certificate)) }) { $1 })
    }

    /// Whether a key that is published, and has that id where one is given, made the signature.
    func isValid(signature: [UInt8], for message: [UInt8], keyID: String?) -> Bool {
        published.contains {
            (keyID == nil || $0.id == keyID) && $0.publicKey.isValid(signature: signature, for: message)
        }
    }
}
