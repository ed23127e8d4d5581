internal import JOSE
internal import OpenSSL
package import Providers
internal import Standards

/// The rule by which the uid of a new account is chosen.
///
/// | rule | identity | uid |
/// | --- | --- | --- |
/// | `{provider}:{subject}` | yahoo.com, `UQIDWJNW` | `yahoo.com:UQIDWJNW` |
/// | `{provider}:{subject}` | yahoo.com, `a/b` | `yahoo.com:~` and 43 characters, the SHA-256 of the subject |
/// | random | any | 28 letters and digits |
///
/// Two identities of one provider never have the same form of the subject: the plain form contains only letters, digits
/// and `-._@+=`, and does not begin with `~`. If a template gives two identities the same uid nevertheless, the store
/// gives the second one a random uid, because a uid is never assigned twice.
package enum UIDRule: Sendable, Equatable {
    case random
    /// A template that contains `provider` and `subject`, each once, and no other placeholder.
    case template(IdentityTemplate)

    /// Returns the uids to try, in this order.
    func candidates(provider: ProviderID, subject: Subject, random: RandomSource) throws -> [UID] {
        let fallback = try Self.randomUIDs(2, random)
        guard case .template(let template) = self else { return fallback }
        for form in [Self.isPlain(subject) ? subject.text : Self.digest(subject), Self.digest(subject)] {
            let text = template.filled { $0 == .provider ? provider.text : form }
            if let uid = UID(text) { return [uid] + fallback }
        }
        return fallback
    }

    /// Returns the uids to try for an anonymous account.
    ///
    /// The prefix `anonymous:` distinguishes these uids from those of the standard template, because no provider has the
    /// id `anonymous`.
    static func anonymousCandidates(_ random: RandomSource) throws -> [UID] {
        try randomUIDs(2, random).map { UID($0, after: "anonymous:") }
    }

    private static func isPlain(_ subject: Subject) -> Bool {
        subject.text.first != "~"
            && subject.text.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || "@+=".utf8.contains($0) }
    }

    private static func digest(_ subject: Subject) -> String {
        "~" + Base64URL.encode(SHA256.hash(Array(subject.text.utf8)))
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Returns uids of 28 characters out of 62, which are 166 bits.
    ///
    /// Bytes from 248 on are discarded: the remainder by 62 would favour the first characters.
    private static func randomUIDs(_ count: Int, _ random: RandomSource) throws -> [UID] {
        let alphabet = alphabet
        var characters: [UInt8] = []
        while characters.count < count * 28 {
            for octet in try random.bytes(count * 28 + 8) where octet < 248 {
                characters.append(alphabet[Int(octet) % alphabet.count])
            }
        }
        return (0..<count).compactMap { UID(String(decoding: characters[($0 * 28)..<($0 * 28 + 28)], as: UTF8.self)) }
    }
}
