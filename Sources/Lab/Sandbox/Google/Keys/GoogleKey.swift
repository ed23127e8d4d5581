import JOSE
import Jansson
import OpenSSL

/// An RSA key of the stand-in's own, published as JWK and as X.509 certificate.
struct GoogleKey: Sendable {
    /// 40 hexadecimal digits, as Google's are.
    let id: String
    let privateKey: RSAPrivateKey
    /// PEM, by the key for itself, good for some weeks around the time it was made.
    let certificate: String

    var publicKey: RSAPublicKey { privateKey.publicKey }

    /// - `owner`: the common name of the certificate, up to 64 characters.
    /// - `now`: seconds since 1970-01-01T00:00:00Z.
    init(owner: String, now: Int64) throws(Refusal) {
        do {
            privateKey = try RSAPrivateKey.generate(bitCount: 2048)
            id = Hexadecimal.encode(SHA1.hash(privateKey.publicKey.modulus))
            certificate = try privateKey.selfSignedCertificate(
                commonName: String(owner.prefix(64)), serialNumber: 1, notBefore: max(0, now - 86400),
                notAfter: max(0, now) + 30 * 86400)
        } catch {
            throw GoogleError.noKey
        }
    }

    var jwk: JSON {
        .object([
            "kty": .string("RSA"), "alg": .string("RS256"), "use": .string("sig"), "kid": .string(id),
            "n": .string(Base64URL.encode(publicKey.modulus)), "e": .string(Base64URL.encode(publicKey.exponent)),
        ])
    }
}
