internal import OpenSSL
package import Standards
internal import Stores

/// A code with which a person proves a second factor.
package enum FactorCode: Sendable {
    /// Six digits of an authenticator application.
    case totp(Secret)
    case recoveryCode(RecoveryCode)

    /// Parses six digits; spaces and hyphens between them do not matter, because authenticator applications show some.
    ///
    /// Returns `nil` for any other text.
    package static func totp(_ text: String) -> Self? {
        let digits = text.utf8.filter { !" -".utf8.contains($0) }
        guard digits.count == TOTP.digits, digits.allSatisfy(isDigit) else { return nil }
        return .totp(Secret(String(decoding: digits, as: UTF8.self)))
    }

    /// Parses a code that a person typed; spaces and hyphens do not matter.
    ///
    /// Returns `nil` if the text is neither six digits nor a recovery code.
    package init?(typed text: String) {
        guard text.utf8.count <= 64 else { return nil }
        if let code = Self.totp(text) {
            self = code
        } else if let code = RecoveryCode(typed: text) {
            self = .recoveryCode(code)
        } else {
            return nil
        }
    }

    private static func isDigit(_ octet: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) }
}

/// A code that replaces a lost second factor once: 80 random bits as 16 characters of base32.
///
/// With so many bits, a reader of the database cannot find a code by its digest.
package struct RecoveryCode: Sendable {
    private static let length = 16

    private let secret: Secret

    /// The text that a person keeps: `ABCD-EFGH-IJKL-MNOP`.
    package var text: Secret {
        let characters = Array(secret.secretText)
        return Secret(
            stride(from: 0, to: Self.length, by: 4).map { String(characters[$0..<$0 + 4]) }.joined(separator: "-"))
    }

    /// Parses a code that a person typed; letter case, spaces and hyphens do not matter.
    ///
    /// Returns `nil` if the text is not a code.
    package init?(typed text: String) {
        guard text.utf8.count <= 64 else { return nil }
        let characters = text.utf8.filter { !" -".utf8.contains($0) }.map { octet in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet) ? octet - 32 : octet
        }
        guard characters.count == Self.length, characters.allSatisfy(Base32.alphabet.contains) else { return nil }
        secret = Secret(String(decoding: characters, as: UTF8.self))
    }

    init(random: RandomSource) throws {
        secret = Secret(Base32.encode(try random.bytes(Self.length * 5 / 8)))
    }

    /// The digest by which the store finds the code of an account, 32 bytes.
    func digest(for holder: FactorHolder) -> [UInt8] {
        SHA256.hash(Array("token-exchange recovery code\0\(holder.tenant)\0\(holder.uid)\0\(secret.secretText)".utf8))
    }
}
