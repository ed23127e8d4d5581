/// The verifying half of a key on the curve P-256.
package final class P256PublicKey: Sendable {
    /// Big-endian, 32 bytes.
    package let x: [UInt8]
    /// Big-endian, 32 bytes.
    package let y: [UInt8]

    private let template: DigestContext

    /// Takes the coordinates of a JWK (RFC 7518 §6.2.1), leniently: too many leading zero octets are dropped and
    /// missing ones added, since providers get both wrong.
    ///
    /// - Throws: ``KeyError/malformed`` for an empty coordinate, ``KeyError/pointNotOnCurve`` for any other pair that
    ///   is no public key.
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
        // Longer than 32 is above the field's prime.
        guard digits.count <= 32 else { throw .pointNotOnCurve }
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }

    /// ECDSA with SHA-256; the signature is r then s, 32 bytes each (RFC 7518 §3.4).
    ///
    /// With (r, s) the pair (r, n − s) is valid as well: two different signatures may stand for one message. False also
    /// where the library cannot tell.
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let signature = P256Signature(fixedWidth: signature) else { return false }
        return (try? template.verifies(signature.der, for: message)) ?? false
    }
}
