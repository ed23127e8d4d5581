import JOSE
import Jansson
import OpenSSL

/// An RSA key of a stand-in with a known private key, for tokens with RS256.
struct StandInRSAKey: Sendable {
    /// The key id: 40 hexadecimal digits, like Yahoo's.
    let id: String
    let privateKey: RSAPrivateKey

    /// Yahoo's key of this process.
    ///
    /// It is generated at its first use, because that takes time.
    static let yahoo = Result { () throws(OpenSSLError) in try StandInRSAKey() }
    /// The key of this process with which every OpenID Provider of ``ProviderStandIn`` signs.
    static let providers = Result { () throws(OpenSSLError) in try StandInRSAKey() }

    private init() throws(OpenSSLError) {
        privateKey = try RSAPrivateKey.generate()
        id = Hexadecimal.encode(SHA1.hash(privateKey.publicKey.modulus))
    }

    /// The key as a JWK, without the leading zero of Yahoo's own keys in `n`.
    var json: JSON {
        Self.json(id, modulus: Base64URL.encode(privateKey.publicKey.modulus))
    }

    /// An RSA key with the exponent 65537.
    static func json(_ id: String, modulus: String) -> JSON {
        .object([
            "kty": .string("RSA"), "alg": .string("RS256"), "use": .string("sig"), "kid": .string(id),
            "e": .string("AQAB"), "n": .string(modulus),
        ])
    }

    var publicPEM: String {
        PublicKeyPEM.text(modulus: privateKey.publicKey.modulus, exponent: privateKey.publicKey.exponent)
    }
}

extension CompactJWS {
    /// Joins header, payload and the signature that `sign` makes of both.
    static func text(
        header: [UInt8], payload: [UInt8], sign: ([UInt8]) throws(OpenSSLError) -> [UInt8]
    ) throws(OpenSSLError) -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(try sign(Array(input.utf8)))
    }
}
