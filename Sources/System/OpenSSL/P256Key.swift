internal import COpenSSL

/// A private key on the curve P-256.
package final class P256PrivateKey: Sendable {
    package let publicKey: P256PublicKey

    private let key: AsymmetricKey
    private let template: DigestContext
    private let maximumCount: Int

    /// Reads `PRIVATE KEY` (PKCS#8) or `EC PRIVATE KEY` (SEC 1), not encrypted.
    package convenience init(pem: String) throws(KeyError) {
        try self.init(takingOwnershipOf: try AsymmetricKey.privateKey(pem: pem))
    }

    init(takingOwnershipOf key: consuming AsymmetricKey) throws(KeyError) {
        publicKey = try P256PublicKey(of: key)
        do {
            template = try DigestContext.signing(with: key)
        } catch {
            throw .failed(error)
        }
        maximumCount = unsafe Int(EVP_PKEY_get_size(key.pointer))
        self.key = key
        let probe = Array("probe".utf8)
        guard let signature = try? signature(for: probe), publicKey.isValid(signature: signature, for: probe) else {
            throw .halvesDoNotMatch
        }
    }

    package static func generate() throws(OpenSSLError) -> P256PrivateKey {
        let key = try KeyContext(type: "EC").generateP256()
        do {
            return try P256PrivateKey(takingOwnershipOf: key)
        } catch {
            throw OpenSSLError(function: "P256PrivateKey.generate", reasons: ["\(error)"])
        }
    }

    /// Signs with ECDSA and SHA-256.
    ///
    /// The signature is r then s, 32 bytes each. Two signatures of one message differ.
    package func signature(for message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        let der = try template.signature(for: message, maximumCount: maximumCount)
        guard let signature = P256Signature(der: der) else {
            preconditionFailure("EVP_DigestSign wrote no ECDSA-Sig-Value")
        }
        return signature.fixedWidth
    }

    /// Returns the key as unencrypted PKCS#8, which the caller must protect.
    package func pem() throws(OpenSSLError) -> String {
        try key.privatePEM()
    }
}

/// A public key on the curve P-256.
package final class P256PublicKey: Sendable {
    /// The x coordinate, big-endian, 32 bytes.
    package let x: [UInt8]
    /// The y coordinate, big-endian, 32 bytes.
    package let y: [UInt8]

    private let template: DigestContext

    /// Makes a key from the coordinates of a JWK (RFC 7518 §6.2.1).
    ///
    /// Extra leading zero octets are dropped and missing ones added, since providers make both mistakes.
    ///
    /// - Throws: ``KeyError/malformed`` for an empty coordinate, ``KeyError/pointNotOnCurve`` for any other invalid
    ///   pair.
    package init(x: [UInt8], y: [UInt8]) throws(KeyError) {
        self.x = try Self.coordinate(x)
        self.y = try Self.coordinate(y)
        let key: AsymmetricKey
        do {
            key = try AsymmetricKey.p256Public(point: [4] + self.x + self.y)
        } catch {
            throw .pointNotOnCurve
        }
        do {
            template = try DigestContext.verification(with: key)
        } catch {
            throw .failed(error)
        }
    }

    /// Reads `PUBLIC KEY` or the key of a `CERTIFICATE`, whose dates and signature are not checked.
    package convenience init(pem: String) throws(KeyError) {
        try self.init(of: try AsymmetricKey.publicKey(pem: pem))
    }

    convenience init(of key: borrowing AsymmetricKey) throws(KeyError) {
        guard key.type == .p256 else { throw .wrongType(expected: .p256, found: key.type) }
        let x: [UInt8]
        let y: [UInt8]
        do {
            x = try key.number("qx", count: 32)
            y = try key.number("qy", count: 32)
        } catch {
            throw .failed(error)
        }
        try self.init(x: x, y: y)
    }

    private static func coordinate(_ octets: [UInt8]) throws(KeyError) -> [UInt8] {
        guard !octets.isEmpty else { throw .malformed }
        let digits = octets.withoutLeadingZeros
        // A number of more than 32 bytes exceeds the prime of the field.
        guard digits.count <= 32 else { throw .pointNotOnCurve }
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }

    /// Verifies an ECDSA signature with SHA-256: r then s, 32 bytes each (RFC 7518 §3.4).
    ///
    /// With (r, s) the pair (r, n − s) is valid as well, so one message may have two different valid signatures.
    /// Returns `false` also if the library fails.
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let signature = P256Signature(fixedWidth: signature) else { return false }
        return (try? template.verifies(signature.der, for: message)) ?? false
    }
}

/// An ECDSA signature in its two encodings: r‖s as in JOSE, and DER as in libcrypto.
struct P256Signature {
    /// The number r, big-endian, 32 bytes; `s` has the same form.
    private let r: [UInt8]
    private let s: [UInt8]

    /// Reads r then s; `nil` unless there are exactly 64 bytes (RFC 7518 §3.4).
    init?(fixedWidth bytes: [UInt8]) {
        guard bytes.count == 64 else { return nil }
        r = Array(bytes.prefix(32))
        s = Array(bytes.suffix(32))
    }

    /// Reads DER; `nil` unless it is one SEQUENCE of two INTEGERs of at most 256 bits, with nothing after it.
    ///
    /// It reads the output of libcrypto, so it does not check that the integers are positive.
    init?(der: [UInt8]) {
        // Two integers have at most 70 bytes, so all lengths are below 128 and take one byte each.
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der.dropFirst(2)
        guard let r = Self.integer(&rest), let s = Self.integer(&rest), rest.isEmpty else { return nil }
        self.r = r
        self.s = s
    }

    var fixedWidth: [UInt8] { r + s }

    /// The DER form (RFC 3279 §2.2.3): `SEQUENCE { r INTEGER, s INTEGER }`.
    var der: [UInt8] {
        let content = Self.integer(r) + Self.integer(s)
        return [0x30, UInt8(content.count)] + content
    }

    private static func integer(_ number: [UInt8]) -> [UInt8] {
        var digits = number.withoutLeadingZeros
        // X.690 §8.3: the first bit is the sign, and there is at least one octet.
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    private static func integer(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == 0x02, let count = rest.popFirst(), count >= 1, rest.count >= Int(count) else {
            return nil
        }
        let digits = Array(rest.prefix(Int(count))).withoutLeadingZeros
        rest = rest.dropFirst(Int(count))
        guard digits.count <= 32 else { return nil }
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
}
