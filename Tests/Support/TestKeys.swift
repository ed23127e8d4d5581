internal import JOSE
internal import Jansson
package import OpenSSL

/// Keys that protect nothing, generated once per process.
package final class TestKeys: Sendable {
    package enum Signer: Sendable {
        /// The provider's P-256 key.
        case curve
        /// The provider's RSA key.
        case rsa
        /// A P-256 key of another issuer.
        case foreignCurve
        /// An RSA key of another issuer.
        case foreignRSA
    }

    package static let curveKeyID = "curve-1"
    package static let rsaKeyID = "rsa-1"

    package static var shared: TestKeys {
        get throws { try made.get() }
    }

    private static let made = Result { try TestKeys() }

    package let curve: P256PrivateKey
    package let rsa: RSAPrivateKey
    package let foreignCurve: P256PrivateKey
    package let foreignRSA: RSAPrivateKey
    /// The key of the service account.
    package let account: RSAPrivateKey

    private init() throws {
        curve = try P256PrivateKey.generate()
        rsa = try RSAPrivateKey.generate()
        foreignCurve = try P256PrivateKey.generate()
        foreignRSA = try RSAPrivateKey.generate()
        account = try RSAPrivateKey.generate()
    }

    package func signature(for message: [UInt8], by signer: Signer) throws -> [UInt8] {
        switch signer {
        case .curve: try curve.signature(for: message)
        case .rsa: try rsa.signature(for: message)
        case .foreignCurve: try foreignCurve.signature(for: message)
        case .foreignRSA: try foreignRSA.signature(for: message)
        }
    }

    /// Returns the provider's key set.
    package func keySet() -> String {
        keySet([entry(curve.publicKey, id: Self.curveKeyID), entry(rsa.publicKey, id: Self.rsaKeyID)])
    }

    /// Returns the foreign keys with the given key ids, as if the provider had changed its keys to them.
    package func rotatedKeySet(curve curveID: String, rsa rsaID: String) -> String {
        keySet([entry(foreignCurve.publicKey, id: curveID), entry(foreignRSA.publicKey, id: rsaID)])
    }

    private func keySet(_ entries: [JSON]) -> String {
        String(decoding: JSON.object(["keys": .array(entries)]).serialized(), as: UTF8.self)
    }

    private func entry(_ key: ECPublicKey, id: String) -> JSON {
        .object([
            "kty": .string("EC"), "crv": .string("P-256"), "alg": .string("ES256"), "use": .string("sig"),
            "kid": .string(id), "x": .string(Base64URL.encode(key.x)), "y": .string(Base64URL.encode(key.y)),
        ])
    }

    private func entry(_ key: RSAPublicKey, id: String) -> JSON {
        .object([
            "kty": .string("RSA"), "alg": .string("RS256"), "use": .string("sig"), "kid": .string(id),
            "n": .string(Base64URL.encode(key.modulus)), "e": .string(Base64URL.encode(key.exponent)),
        ])
    }
}
