internal import COpenSSL

/// A private RSA key of 2048 to 4096 bits.
///
/// Every signature is made in a context of its own, so several tasks may sign concurrently, but they contend for the
/// lock of the key's blinding. If throughput matters, use ``RSASigner``.
package final class RSAPrivateKey: Sendable {
    package let publicKey: RSAPublicKey

    private let key: AsymmetricKey
    private let template: DigestContext
    /// Whether the key is in a token, and cannot be copied.
    private let isShared: Bool

    /// Reads `PRIVATE KEY` (PKCS#8) or `RSA PRIVATE KEY` (PKCS#1), not encrypted.
    package convenience init(pem: String) throws(KeyError) {
        try self.init(takingOwnershipOf: try AsymmetricKey.privateKey(pem: pem))
    }

    init(takingOwnershipOf key: consuming AsymmetricKey, isShared: Bool = false) throws(KeyError) {
        publicKey = try RSAPublicKey(of: key)
        do {
            template = try DigestContext.signing(with: key)
        } catch {
            throw .failed(error)
        }
        self.key = key
        self.isShared = isShared
        // Without this check a file with parts of two keys would cause an error only at the first sign-in.
        let probe = Array("probe".utf8)
        guard let signature = try? signature(for: probe), publicKey.isValid(signature: signature, for: probe) else {
            throw .halvesDoNotMatch
        }
    }

    /// Makes a new key of 2048 bits with the exponent 65537, which may take seconds.
    package static func generate() throws(OpenSSLError) -> RSAPrivateKey {
        let key = try KeyContext(type: "RSA").generateRSA()
        do {
            return try RSAPrivateKey(takingOwnershipOf: key)
        } catch {
            throw OpenSSLError(function: "RSAPrivateKey.generate", reasons: ["\(error)"])
        }
    }

    /// Signs with RSASSA-PKCS1-v1_5 and SHA-256 (RFC 8017 §8.2.1).
    ///
    /// A fault in the arithmetic cannot leak the key: libcrypto verifies its CRT result with the public exponent and,
    /// if it is wrong, computes the signature again without CRT.
    package func signature(for message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        try template.signature(for: message, maximumCount: publicKey.modulus.count)
    }

    /// Returns the key as unencrypted PKCS#8, which the caller must protect.
    package func pem() throws(OpenSSLError) -> String {
        try key.privatePEM()
    }

    /// Makes a template with a copy of the key, for use by one thread only; with the key itself if it is in a token.
    func duplicateTemplate() throws(OpenSSLError) -> DigestContext {
        try DigestContext.signing(with: isShared ? try key.shared() : try key.duplicate())
    }
}

/// A public RSA key of 2048 to 4096 bits.
package final class RSAPublicKey: Sendable {
    /// The length of the modulus in bits.
    package let bitCount: Int
    /// The modulus, big-endian, without leading zeros.
    package let modulus: [UInt8]
    /// The exponent, big-endian, without leading zeros.
    package let exponent: [UInt8]

    private let key: AsymmetricKey
    /// The template for PKCS #1 and SHA-256, which nearly all issuers use.
    private let template: DigestContext

    /// Makes a key from the big-endian numbers of a JWK (RFC 7518 §6.3.1).
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
        // libcrypto itself limits the exponent to 64 bits for a modulus above 3072 bits. Here the limit applies to
        // all sizes.
        guard exponent.count <= 8, let last = exponent.last, last & 1 == 1, exponent != [1] else {
            throw .weakExponent
        }
        do {
            let key = try AsymmetricKey.rsaPublic(modulus: modulus, exponent: exponent)
            template = try DigestContext.verification(with: key, .pkcs1, .sha256)
            self.key = key
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

    /// Verifies an RSASSA-PKCS1-v1_5 signature with SHA-256 (RFC 8017 §8.2.2).
    ///
    /// Returns `false` also if the library fails.
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        isValid(signature: signature, for: message, .pkcs1, .sha256)
    }

    /// Verifies a signature with the given padding and hash function (RFC 8017 §8.1.2 and §8.2.2).
    ///
    /// Returns `false` also if the library fails.
    package func isValid(signature: [UInt8], for message: [UInt8], _ padding: RSAPadding, _ digest: SHA2) -> Bool {
        let isValid: Bool?
        switch (padding, digest) {
        case (.pkcs1, .sha256): isValid = try? template.verifies(signature, for: message)
        default:
            isValid = try? DigestContext.verification(with: key, padding, digest).verifies(signature, for: message)
        }
        return isValid ?? false
    }
}

extension [UInt8] {
    var withoutLeadingZeros: [UInt8] { Array(drop { $0 == 0 }) }
}
