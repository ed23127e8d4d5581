package import Jansson
package import OpenSSL

/// A private key of this server, and the algorithm with which it signs JWSs.
///
/// Nothing that prints a value shows more than the algorithm.
package struct JWSSigner: Sendable {
    private enum Key: Sendable {
        case curve(P256PrivateKey)
        case rsa(RSAPrivateKey)
    }

    private let key: Key

    /// Reads an unencrypted private key: one on P-256 signs with ES256, an RSA key with RS256 (RFC 7518 §3.3, §3.4).
    ///
    /// - Throws: `KeyError.wrongType`, whose `found` is never `rsa` or `p256`, for every other kind of key.
    package init(pem: String) throws(KeyError) {
        do throws(KeyError) {
            key = .curve(try P256PrivateKey(pem: pem))
        } catch {
            guard case .wrongType(_, .rsa) = error else { throw error }
            key = .rsa(try RSAPrivateKey(pem: pem))
        }
    }

    package var algorithm: Algorithm {
        switch key {
        case .curve: .es256
        case .rsa: .rs256
        }
    }

    /// Signs claims.
    ///
    /// - Parameter keyID: The `kid` by which the verifier finds the public key; `nil` for none.
    /// - Returns: The JWT in compact serialization, whose `typ` is `JWT`.
    package func jwt(_ claims: JSON, keyID: String?) throws(OpenSSLError) -> String {
        var header: [String: JSON] = ["alg": .string(algorithm.rawValue), "typ": .string("JWT")]
        header["kid"] = keyID.map(JSON.string)
        let input = JWSSigningInput(header: .object(header), payload: claims)
        let octets = Array(input.text.utf8)
        let signature =
            switch key {
            // RFC 7518 §3.4: r and s, 32 octets each.
            case .curve(let key): try key.signature(for: octets)
            case .rsa(let key): try key.signature(for: octets)
            }
        return input.compact(signature: signature)
    }
}

extension JWSSigner: Equatable {
    /// Compares the public keys: each was checked to belong to its private key.
    package static func == (one: Self, other: Self) -> Bool {
        switch (one.key, other.key) {
        case (.curve(let one), .curve(let other)):
            one.publicKey.x == other.publicKey.x && one.publicKey.y == other.publicKey.y
        case (.rsa(let one), .rsa(let other)):
            one.publicKey.modulus == other.publicKey.modulus && one.publicKey.exponent == other.publicKey.exponent
        case (.curve, _), (.rsa, _): false
        }
    }
}

extension JWSSigner: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[\(algorithm.rawValue) key elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
