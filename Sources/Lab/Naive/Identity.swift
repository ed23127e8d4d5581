internal import AttackLab
internal import Jansson
internal import OpenSSL

/// Somebody at a provider, and how we know.
struct Identity: Sendable {
    let provider: String
    let subject: String
    var profile: [String: JSON]
    let proof: String
    /// Of the ID token, where there was one.
    var claims: JSON?

    /// Members of another profile where this one has none; an address keeps its own verdict.
    mutating func complete(by other: [String: JSON]) {
        let keepsEmail = profile["email"] != nil
        for (name, value) in other where profile[name] == nil && !(keepsEmail && name == "email_verified") {
            profile[name] = value
        }
    }
}

/// Who has which uid at Firebase.
actor AccountTable {
    private var known: Set<String> = []
    private let environment: BackendEnvironment

    init(_ environment: BackendEnvironment) {
        self.environment = environment
    }

    /// The same for the same person ever after, and for nobody else.
    func uid(of identity: Identity, asked: String?) -> (uid: String, isNew: Bool) {
        let uid = Self.uid(of: identity, asked: asked, environment: environment)
        return (uid, known.insert(uid).inserted)
    }

    private static func uid(of identity: Identity, asked: String?, environment: BackendEnvironment) -> String {
        if environment.makes(.uidFromBody), let asked { return asked }
        if environment.makes(.joinedByEmail), let email = identity.profile["email"]?.string {
            return BackendEnvironment.digest("email", email.lowercased())
        }
        let subject = environment.makes(.foldedSubject) ? identity.subject.lowercased() : identity.subject
        if environment.makes(.bareSubject) { return subject }
        return BackendEnvironment.digest(identity.provider, subject)
    }
}

/// A person under the seal of this backend, by the mistake ``Mistake/identitySealed``.
///
/// AES-256-GCM, so that only a holder of the key can make one: the backend, and every reader of its backups.
struct SealedIdentity: Sendable {
    private let key: [UInt8]

    init(key: [UInt8]) { self.key = key }

    /// Returns `nil` for a text that was sealed with another key or for another client.
    func identity(in text: String, client: String) -> Identity? {
        guard let pending = open(text, "pending_credential", holder: client),
            let id = pending["id"]?.string, let sealed = pending["identity"]?.string,
            let content = open(sealed, "identity", holder: client + "\0" + Self.record(id)),
            let provider = content["provider"]?.string, let subject = content["subject"]?.string
        else { return nil }
        return Identity(provider: provider, subject: subject, profile: [:], proof: "id_token_aud")
    }

    private func open(_ text: String, _ kind: String, holder: String) -> JSON? {
        guard let sealed = Base64Text.decode(text),
            let derived = try? HKDFSHA256.derive(
                from: key, salt: [], info: Array("token-exchange seal \(kind)".utf8), count: 32),
            let cipher = try? AES256GCM(key: derived),
            let content = cipher.open(sealed, authenticating: Array("token-exchange\0\(kind)\0\(holder)".utf8))
        else { return nil }
        return try? JSON.parse(content)
    }

    private static func record(_ id: String) -> String {
        let parts = ["token-exchange spent pending_credential", id]
        let message = parts.flatMap { part in
            (0..<8).map { UInt8(truncatingIfNeeded: part.utf8.count >> (56 - 8 * $0)) } + Array(part.utf8)
        }
        return Base64Text.encode(SHA256.hash(message))
    }
}
