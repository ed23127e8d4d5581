internal import JOSE
internal import OpenSSL

/// Time-based one-time passwords (RFC 6238) by HMAC-SHA-1, with six digits and steps of 30 seconds.
///
/// These are the values that every authenticator application supports. The order of HMAC does not depend on the
/// resistance of SHA-1 to collisions (RFC 6194 §3.3).
struct TOTP {
    /// Seconds.
    static let period: Int64 = 30
    static let digits = 6
    /// RFC 4226 §4 (R6) recommends 160 bits.
    static let secretLength = 20

    let secret: [UInt8]

    /// Returns the code of a time step (RFC 4226 §5.3).
    func code(in step: Int64) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * Int64($0))) }
        let digest = HMACSHA1.authenticationCode(for: counter, key: secret)
        let offset = Int(digest[19] & 15)
        let number = digest[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let text = String(number % 1_000_000)
        return String(repeating: "0", count: Self.digits - text.count) + text
    }

    /// Returns the time step in which a code is valid.
    ///
    /// One step before and one after the current one are accepted, for clocks that differ and for the time that a
    /// person needs to type (RFC 6238 §5.2).
    ///
    /// - Returns: The step; `nil` if the code is valid in none of the three.
    func step(of code: String, at now: NumericDate) -> Int64? {
        let current = now.seconds / Self.period
        return (current - 1...current + 1).first { step in
            constantTimeEqual(Array(code.utf8), Array(self.code(in: step).utf8))
        }
    }
}

/// Base32 without padding (RFC 4648 §6), in which authenticator applications read secrets.
enum Base32 {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for byte in bytes {
            buffer = buffer << 8 | Int(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[buffer >> bits & 31])
            }
            buffer &= 1 << bits - 1
        }
        if bits > 0 { text.append(alphabet[buffer << (5 - bits) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }
}
