import OpenSSL

/// Generates unguessable texts for codes, tokens and secrets.
enum RandomText {
    /// The characters of Yahoo's codes.
    ///
    /// They are 32, so that all are equally likely.
    static let lowerCase = Array("abcdefghjkmnpqrstuvwxyz023456789".utf8)
    static let base64URL = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Draws characters with equal probability from an alphabet of 32 or 64.
    static func make(_ count: Int, of alphabet: [UInt8] = base64URL) throws(Refusal) -> String {
        let mask = UInt8(alphabet.count - 1)
        return String(decoding: try bytes(count).map { alphabet[Int($0 & mask)] }, as: UTF8.self)
    }

    /// Makes a uid as Firebase does: letters and digits, so that no command takes it for an option.
    static func uid() throws(Refusal) -> String { try make(28, of: lowerCase) }

    /// Draws decimal digits with equal probability.
    static func digits(_ count: Int) throws(Refusal) -> String {
        var digits: [UInt8] = []
        while digits.count < count {
            // 250 is the greatest multiple of ten in a byte. A greater limit would make some digits more likely.
            digits += try bytes(count).filter { $0 < 250 }.map { UInt8(ascii: "0") + $0 % 10 }
        }
        return String(decoding: digits.prefix(count), as: UTF8.self)
    }

    private static func bytes(_ count: Int) throws(Refusal) -> [UInt8] {
        do {
            return try SecureRandom.bytes(count)
        } catch {
            throw Refusal(.text("No randomness.", status: 500))
        }
    }
}
