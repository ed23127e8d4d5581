internal import JOSE
internal import OAuth
internal import OpenSSL

/// How the uid of a new account is chosen.
///
/// | rule | identity | uid |
/// | --- | --- | --- |
/// | `{provider}:{subject}` | yahoo.com, `UQIDWJNW` | `yahoo.com:UQIDWJNW` |
/// | `{provider}:{subject}` | yahoo.com, `a/b` | `yahoo.com:~` and 43 characters, the SHA-256 of the subject |
/// | random | any | 28 letters and digits |
///
/// Two identities of one provider never share a subject's form: a plain one holds letters, digits and `-._@+=` alone and
/// does not begin with `~`. Where a template joins two different identities all the same, the store gives the second a
/// random uid, since a uid is never given twice.
package enum UIDRule: Sendable, Equatable {
    case random
    /// With `provider` and `subject` in it, once each.
    case template([Segment])

    package enum Segment: Sendable, Equatable {
        case text(String)
        case provider
        case subject
    }

    /// What to try, in this order.
    func candidates(provider: ProviderID, subject: String, random: RandomSource) throws(RandomFailure) -> [String] {
        let fallback = try Self.randomUIDs(2, random)
        guard case .template(let template) = self else { return fallback }
        for form in [Self.isPlain(subject) ? subject : Self.digest(subject), Self.digest(subject)] {
            let uid = Self.filled(template, provider: provider.text, subject: form)
            if UID(uid) != nil { return [uid] + fallback }
        }
        return fallback
    }

    /// With a prefix of their own, so that nobody takes one for a person's; `anonymous` is no provider's id.
    static func anonymousCandidates(_ random: RandomSource) throws(RandomFailure) -> [String] {
        try randomUIDs(2, random).map { "anonymous:" + $0 }
    }

    private static func filled(_ template: [Segment], provider: String, subject: String) -> String {
        template.map { segment in
            switch segment {
            case .text(let text): text
            case .provider: provider
            case .subject: subject
            }
        }.joined()
    }

    private static func isPlain(_ subject: String) -> Bool {
        !subject.isEmpty && subject.first != "~"
            && subject.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || "@+=".utf8.contains($0) }
    }

    private static func digest(_ subject: String) -> String {
        "~" + Base64URL.encode(SHA256.hash(Array(subject.utf8)))
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// 28 of 62 characters are 166 bits; octets that would favour the first characters are thrown away.
    private static func randomUIDs(_ count: Int, _ random: RandomSource) throws(RandomFailure) -> [String] {
        let alphabet = alphabet
        var characters: [UInt8] = []
        while characters.count < count * 28 {
            for octet in try random.bytes(count * 28 + 8) where octet < 248 {
                characters.append(alphabet[Int(octet) % alphabet.count])
            }
        }
        return (0..<count).map { String(decoding: characters[($0 * 28)..<($0 * 28 + 28)], as: UTF8.self) }
    }
}
