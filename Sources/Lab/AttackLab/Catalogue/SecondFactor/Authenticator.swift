internal import Foundation
internal import OpenSSL

/// An authenticator application (RFC 6238) with HMAC-SHA-1, six digits and steps of 30 seconds.
///
/// The lab implements it a second time on purpose, so that it does not share a mistake of the server.
struct Authenticator: Sendable {
    /// The id of the factor.
    let id: String
    private let key: [UInt8]

    /// Returns `nil` if the secret is not base32 without padding (RFC 4648 §6).
    init?(_ id: String, _ secret: String) {
        var key: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for character in secret {
            guard let value = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567").firstIndex(of: character) else { return nil }
            buffer = (buffer << 5 | value) & 0xFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                key.append(UInt8(buffer >> bits & 0xFF))
            }
        }
        self.id = id
        self.key = key
    }

    /// Returns the code of a time step, counted from the one in which `now` is.
    func code(_ offset: Int64 = 0, now: Int64 = Self.now) -> String { text(of: now / 30 + offset) }

    /// Returns codes that the server accepts in no time step near `now`.
    func wrongCodes(_ count: Int, now: Int64 = Self.now) -> [String] {
        let right = Set((-10...10).map { code($0, now: now) })
        var codes: [String] = []
        for number in 0..<1_000_000 where codes.count < count {
            let code = Self.sixDigits(UInt32(number))
            if !right.contains(code) { codes.append(code) }
        }
        return codes
    }

    /// Seconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    private func text(of step: Int64) -> String {
        let message = stride(from: Int64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: step >> $0) }
        let digest = HMACSHA1.authenticationCode(for: message, key: key)
        // RFC 4226 §5.3: the low four bits of the last octet tell where the number begins.
        let begin = Int((digest.last ?? 0) & 0x0F)
        let number = digest[begin..<begin + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Self.sixDigits((number & 0x7FFF_FFFF) % 1_000_000)
    }

    private static func sixDigits(_ number: UInt32) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}
