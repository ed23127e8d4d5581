/// The verifying half of an RSA key of 2048 to 4096 bits.
package final class RSAPublicKey: Sendable {
    /// The length of the modulus.
    package let bitCount: Int
    /// Big-endian, without leading zeros.
    package let modulus: [UInt8]
    /// Big-endian, without leading zeros.
    package let exponent: [UInt8]

    private let template: DigestContext

    /// Takes the numbers of a JWK, big-endian (RFC 7518 §6.3.1).
    ///
    /// Leading zero octets, which the RFC forbids and Yahoo sends, are dropped.
    ///
    /// - Throws: ``KeyError/unsupportedSize(bits:)``; ``KeyError/weakExponent`` for an exponent that is even, 1 or
    ///   longer than 64 bits; ``KeyError/malformed`` for an even modulus.
    package init(modulus: [UInt8], exponent: [UInt8]) throws(KeyError) {
        let modulus = modulus.withoutLeadingZeros
        let exponent = exponent.withoutLeadingZeros
        let bitCount = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        try Self.check(bitCount: bitCount)
        // The product of two odd primes is odd.
        guard modulus.last.map({ $0 & 1 == 1 }) == true else { throw .malformed }
        // RFC 8017 §3.1: "the RSA public exponent e is an integer between 3 and n - 1" and prime to λ(n), hence odd.
        // libcrypto itself stops at 64 bits for a modulus above 3072; here that holds for all.
        guard exponent.count <= 8, let last = exponent.last, last & 1 == 1, exponent != [1] else {
            throw .weakExponent
        }
        do {
            let key = try AsymmetricKey.rsaPublic(modulus: modulus, exponent: exponent)
            template = try DigestContext.verification(with: key)
        } catch {
            throw .failed(error)
        }
        self.bitCount = bitCount
        self.modulus = modulus
        self.exponent = exponent
    }

    /// Reads `PUBLIC KEY` or the key of a `CERTIFICATE`, whose dates and signature are not checked.
    package convenience init(pem: String) throws(KeyError) {
        try self.init(of: try AsymmetricKey.publicKey(pem: pem))
    }

    convenience init(of key: borrowing AsymmetricKey) throws(KeyError) {
        guard key.type == .rsa else { throw .wrongType(expected: .rsa, found: key.type) }
        let modulus: [UInt8]
        let exponent: [UInt8]
        do {
            modulus = try key.number("n")
            exponent = try key.number("e")
        } catch {
            throw .failed(error)
        }
        try self.init(modulus: modulus, exponent: exponent)
    }

    static func check(bitCount: Int) throws(KeyError) {
        guard (2048...4096).contains(bitCount) else { throw .unsupportedSize(bits: bitCount) }
    }

    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2.2).
    ///
    /// False also where the library cannot tell; nothing is accepted for want of an answer.
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        (try? template.verifies(signature, for: message)) ?? false
    }
}

extension [UInt8] {
    var withoutLeadingZeros: [UInt8] { Array(drop { $0 == 0 }) }
}
