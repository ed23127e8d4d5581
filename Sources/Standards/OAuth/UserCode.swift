internal import OpenSSL

/// The code that a person reads on a device and types in a browser (RFC 8628 §6.1).
///
/// It consists of eight consonants, which are 34 bits. Without vowels it contains no word, and no letter looks like a
/// digit.
package struct UserCode: Sendable, Equatable, CustomStringConvertible {
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
    private static let length = 8

    /// Eight capital letters.
    package let text: String

    /// The form that the device shows: `WDJB-MJHT`.
    package var description: String { text.prefix(4) + "-" + text.suffix(4) }

    /// Parses a typed code; letter case, spaces and punctuation do not matter (RFC 8628 §6.1).
    ///
    /// Returns `nil` if the text is not a code.
    package init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let letters = typed.utf8.filter { !Self.isDecoration($0) }.map(Self.capital)
        guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// Makes a random code.
    ///
    /// Octets from 240 on are dropped, because they would make the first letters more frequent.
    package init(random: RandomSource) throws(RandomFailure) {
        var letters: [UInt8] = []
        while letters.count < Self.length {
            let octets = try random.bytes(Self.length).filter { $0 < 240 }
            letters += octets.prefix(Self.length - letters.count).map { Self.alphabet[Int($0) % Self.alphabet.count] }
        }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// The 32 octets by which the store finds the grant.
    package var digest: [UInt8] { SHA256.hash(Array("token-exchange user code\0\(text)".utf8)) }

    private static func isDecoration(_ octet: UInt8) -> Bool { " -_.".utf8.contains(octet) }

    private static func capital(_ octet: UInt8) -> UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet) ? octet - 32 : octet
    }
}
