import Fixtures
import Foundation
import JOSE
import OpenSSL

/// An issuer with a key of each kind, whose tokens verify unless a test changes them.
struct TestIssuer {
    enum Signer {
        case curve
        case rsa
    }

    /// The time of every test that is not about time.
    static let now = NumericDate(1_700_000_000)

    let curve: P256PrivateKey
    let rsa: RSAPrivateKey

    init() throws {
        curve = try P256PrivateKey.generate()
        rsa = try RSAPrivateKey(pem: try Fixtures.pem("rsa-2048"))
    }

    /// The members of the P-256 key, as JSON texts by name.
    var curveKey: [String: String] {
        [
            "kty": #""EC""#, "crv": #""P-256""#, "kid": #""curve""#, "alg": #""ES256""#, "use": #""sig""#,
            "x": "\"\(Base64URL.encode(curve.publicKey.x))\"", "y": "\"\(Base64URL.encode(curve.publicKey.y))\"",
        ]
    }

    var rsaKey: [String: String] {
        [
            "kty": #""RSA""#, "kid": #""modulus""#, "alg": #""RS256""#, "use": #""sig""#, "e": #""AQAB""#,
            "n": "\"\(Base64URL.encode(rsa.publicKey.modulus))\"",
        ]
    }

    var keys: JWKSet {
        get throws { try Self.keySet(curveKey, rsaKey) }
    }

    static func keySet(_ keys: [String: String]...) throws -> JWKSet {
        try JWKSet.parse(Array("{\"keys\": [\(keys.map(object).joined(separator: ","))]}".utf8))
    }

    /// Converts members to an object: `["sub": "\"x\""]` is `{"sub": "x"}`.
    static func object(_ members: [String: String]) -> String {
        "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
    }

    func compact(header: String, payload: [UInt8], signedBy signer: Signer = .curve) throws -> String {
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(payload)
        let signature =
            switch signer {
            case .curve: try curve.signature(for: Array(input.utf8))
            case .rsa: try rsa.signature(for: Array(input.utf8))
            }
        return input + "." + Base64URL.encode(signature)
    }
}
