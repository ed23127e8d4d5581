internal import Jansson
internal import OpenSSL

/// A user at a provider, and the proof of it.
struct Identity: Sendable {
    let provider: String
    let subject: String
    var profile: [String: JSON]
    let proof: String
    /// The claims of the ID token, if there was one.
    var claims: JSON?

    /// Adds the members of another profile that are absent here.
    ///
    /// An address keeps its own `email_verified`.
    mutating func complete(by other: [String: JSON]) {
        let keepsEmail = profile["email"] != nil
        for (name, value) in other where profile[name] == nil && !(keepsEmail && name == "email_verified") {
            profile[name] = value
        }
    }
}

/// The Firebase uid of each identity.
actor AccountTable {
    private var known: Set<String> = []
    private let environment: BackendEnvironment

    init(_ environment: BackendEnvironment) {
        self.environment = environment
    }

    /// Returns the uid of an identity, which is always the same and is unique to it.
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

/// An identity encrypted by this backend, for the mistake ``Mistake/identitySealed``.
///
/// It uses AES-256-GCM. Only a holder of the key can create one: the backend, and an attacker who can read its backups.
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
