internal import COpenSSL

package final class P256PrivateKey: Sendable {
    package let publicKey: ECPublicKey

    private let key: AsymmetricKey
    private let template: DigestContext
    private let maximumCount: Int

    /// Reads `PRIVATE KEY` (PKCS#8) or `EC PRIVATE KEY` (SEC 1), not encrypted.
    package convenience init(pem: String) throws(KeyError) {
        try self.init(takingOwnershipOf: try AsymmetricKey.privateKey(pem: pem))
    }

    init(takingOwnershipOf key: consuming AsymmetricKey) throws(KeyError) {
        publicKey = try ECPublicKey(of: key)
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
        guard let signature = ECDSASignature(der: der, on: .p256) else {
            preconditionFailure("EVP_DigestSign wrote no ECDSA-Sig-Value")
        }
        return signature.fixedWidth
    }

    /// Returns the key as unencrypted PKCS#8, which the caller must protect.
    package func pem() throws(OpenSSLError) -> String {
        try key.privatePEM()
    }
}

/// An elliptic curve of RFC 7518 §6.2.1.1.
package enum Curve: String, Sendable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    var bitCount: Int {
        switch self {
        case .p256: 256
        case .p384: 384
        case .p521: 521
        }
    }

    /// The number of bytes of a coordinate, and of each number of a signature.
    package var byteCount: Int { (bitCount + 7) / 8 }

    /// The hash function of the curve's only ECDSA algorithm (RFC 7518 §3.4).
    var digest: SHA2 {
        switch self {
        case .p256: .sha256
        case .p384: .sha384
        case .p521: .sha512
        }
    }
}

package final class ECPublicKey: Sendable {
    package let curve: Curve
    /// The x coordinate, big-endian, with ``Curve/byteCount`` bytes.
    package let x: [UInt8]
    /// The y coordinate, big-endian, with ``Curve/byteCount`` bytes.
    package let y: [UInt8]

    private let template: DigestContext

    /// Makes a key from the coordinates of a JWK (RFC 7518 §6.2.1).
    ///
    /// Extra leading zero octets are dropped and missing ones added, since providers make both mistakes.
    ///
    /// - Throws: ``KeyError/malformed`` for an empty coordinate, ``KeyError/pointNotOnCurve`` for any other invalid
    ///   pair.
    package init(_ curve: Curve = .p256, x: [UInt8], y: [UInt8]) throws(KeyError) {
        self.curve = curve
        self.x = try Self.coordinate(x, on: curve)
        self.y = try Self.coordinate(y, on: curve)
        let key: AsymmetricKey
        do {
            key = try AsymmetricKey.curvePublic(on: curve, point: [4] + self.x + self.y)
        } catch {
            throw .pointNotOnCurve
        }
        do {
            template = try DigestContext.verification(with: key, curve.digest)
        } catch {
            throw .failed(error)
        }
    }

    /// Reads a key on P-256 from `PUBLIC KEY` or `CERTIFICATE`, whose dates and signature are not checked.
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

    private static func coordinate(_ octets: [UInt8], on curve: Curve) throws(KeyError) -> [UInt8] {
        guard !octets.isEmpty else { throw .malformed }
        let digits = octets.withoutLeadingZeros
        // A longer number exceeds the prime of the field.
        guard digits.count <= curve.byteCount else { throw .pointNotOnCurve }
        return [UInt8](repeating: 0, count: curve.byteCount - digits.count) + digits
    }

    /// Verifies an ECDSA signature with the hash function of the curve: r then s, ``Curve/byteCount`` bytes each (RFC 7518
    /// §3.4).
    ///
    /// With (r, s) the pair (r, n − s) is valid as well, so one message may have two different valid signatures.
    /// Returns `false` also if the library fails.
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let signature = ECDSASignature(fixedWidth: signature, on: curve) else { return false }
        return (try? template.verifies(signature.der, for: message)) ?? false
    }
}

/// A public key of Ed25519 (RFC 8032 §5.1).
package final class Ed25519PublicKey: Sendable {
    package let bytes: [UInt8]

    private let template: DigestContext

    /// Makes a key from the `x` of a JWK (RFC 8037 §2).
    ///
    /// - Throws: ``KeyError/malformed`` unless there are 32 bytes.
    package init(_ bytes: [UInt8]) throws(KeyError) {
        guard bytes.count == 32 else { throw .malformed }
        self.bytes = bytes
        do {
            template = try DigestContext.ed25519Verification(with: try AsymmetricKey.ed25519Public(bytes))
        } catch {
            throw .failed(error)
        }
    }

    /// Verifies a signature of 64 bytes.
    ///
    /// Returns `false` also if the library fails.
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        (try? template.verifies(signature, for: message)) ?? false
    }
}

/// An ECDSA signature in its two encodings: r‖s as in JOSE, and DER as in libcrypto.
struct ECDSASignature {
    /// The numbers r then s, big-endian, each with the byte count of the curve.
    let fixedWidth: [UInt8]

    /// Reads r then s; `nil` unless there are exactly twice the curve's bytes (RFC 7518 §3.4).
    init?(fixedWidth bytes: [UInt8], on curve: Curve) {
        guard bytes.count == 2 * curve.byteCount else { return nil }
        fixedWidth = bytes
    }

    /// Reads DER; `nil` unless it is one SEQUENCE of two INTEGERs of the curve's length, with nothing after it.
    ///
    /// It reads the output of libcrypto for a private key, whose curve is P-256, so it does not check that the integers are
    /// positive, and all lengths are below 128.
    init?(der: [UInt8], on curve: Curve) {
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var rest = der.dropFirst(2)
        guard let r = Self.integer(&rest, curve.byteCount), let s = Self.integer(&rest, curve.byteCount), rest.isEmpty
        else { return nil }
        fixedWidth = r + s
    }

    /// The DER form (RFC 3279 §2.2.3): `SEQUENCE { r INTEGER, s INTEGER }`.
    var der: [UInt8] {
        let half = fixedWidth.count / 2
        var content: [UInt8] = []
        // Each number may have two octets before it and one that shows that it is positive, and the sequence three.
        content.reserveCapacity(fixedWidth.count + 9)
        Self.append(fixedWidth[..<half], to: &content)
        Self.append(fixedWidth[half...], to: &content)
        let count = content.count
        content.insert(UInt8(count), at: 0)
        // X.690 §8.1.3.5: a length of 128 or more, which only P-521 reaches, is written after its own number of octets.
        if count >= 0x80 { content.insert(0x81, at: 0) }
        content.insert(0x30, at: 0)
        return content
    }

    private static func append(_ number: ArraySlice<UInt8>, to der: inout [UInt8]) {
        let digits = number.drop { $0 == 0 }
        // X.690 §8.3: the first bit is the sign, and there is at least one octet.
        let isPadded = digits.first.map { $0 >= 0x80 } ?? true
        der.append(0x02)
        der.append(UInt8(digits.count + (isPadded ? 1 : 0)))
        if isPadded { der.append(0) }
        der += digits
    }

    private static func integer(_ rest: inout ArraySlice<UInt8>, _ byteCount: Int) -> [UInt8]? {
        guard rest.popFirst() == 0x02, let count = rest.popFirst(), count >= 1, rest.count >= Int(count) else {
            return nil
        }
        let digits = Array(rest.prefix(Int(count))).withoutLeadingZeros
        rest = rest.dropFirst(Int(count))
        guard digits.count <= byteCount else { return nil }
        return [UInt8](repeating: 0, count: byteCount - digits.count) + digits
    }
}
