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
        let fallback = [try Self.randomUID(random), try Self.randomUID(random)]
        guard case .template(let template) = self else { return fallback }
        for form in [Self.isPlain(subject) ? subject : Self.digest(subject), Self.digest(subject)] {
            let uid = Self.filled(template, provider: provider.text, subject: form)
            if UID(uid) != nil { return [uid] + fallback }
        }
        return fallback
    }

    /// With a prefix of their own, so that nobody takes one for a person's; `anonymous` is no provider's id.
    static func anonymousCandidates(_ random: RandomSource) throws(RandomFailure) -> [String] {
        ["anonymous:" + (try randomUID(random)), "anonymous:" + (try randomUID(random))]
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

    /// 28 of 62 characters are 166 bits; octets that would favour the first characters are thrown away.
    private static func randomUID(_ random: RandomSource) throws(RandomFailure) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var uid: [UInt8] = []
        while uid.count < 28 {
            let octets = try random.bytes(28).filter { $0 < 248 }
            uid += octets.prefix(28 - uid.count).map { alphabet[Int($0) % alphabet.count] }
        }
        return String(decoding: uid, as: UTF8.self)
    }
}
