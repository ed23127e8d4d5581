internal import Firebase
internal import Foundation
internal import JOSE
internal import Jansson
internal import OpenSSL

/// The keys of the benchmark: those of the provider and of a service account.
struct Credentials: Sendable {
    let p256: P256PrivateKey
    let rsa: RSAPrivateKey

    /// Reads the files that ``make(in:)`` wrote.
    init(folder: String) throws {
        p256 = try P256PrivateKey(pem: String(contentsOfFile: folder + "/ec.pem", encoding: .utf8))
        rsa = try RSAPrivateKey(pem: String(contentsOfFile: folder + "/rsa.pem", encoding: .utf8))
    }

    static func make(in folder: String) throws {
        let p256 = try P256PrivateKey.generate()
        let rsa = try RSAPrivateKey.generate()
        try write(Array(p256.pem().utf8), folder + "/ec.pem")
        try write(Array(rsa.pem().utf8), folder + "/rsa.pem")
        try write(keySet(p256.publicKey, rsa.publicKey), folder + "/jwks.json")
        try write(try ServiceAccount.made(for: "bench"), folder + "/service-account.json")
    }

    /// The provider's key set as JSON.
    var keySet: [UInt8] { Self.keySet(p256.publicKey, rsa.publicKey) }

    private static func keySet(_ p256: ECPublicKey, _ rsa: RSAPublicKey) -> [UInt8] {
        JSON.object([
            "keys": .array([
                .object([
                    "kty": .string("EC"), "crv": .string("P-256"), "kid": .string("ec"), "alg": .string("ES256"),
                    "use": .string("sig"), "x": .string(Base64URL.encode(p256.x)),
                    "y": .string(Base64URL.encode(p256.y)),
                ]),
                .object([
                    "kty": .string("RSA"), "kid": .string("rsa"), "alg": .string("RS256"), "use": .string("sig"),
                    "n": .string(Base64URL.encode(rsa.modulus)), "e": .string(Base64URL.encode(rsa.exponent)),
                ]),
            ])
        ]).serialized()
    }

    /// Writes a file that only its owner can read, because the server refuses other key files.
    private static func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}

/// Signs the ID tokens of the benchmark.
struct TokenForge: Sendable {
    enum Algorithm: String, CaseIterable {
        case es256 = "ES256"
        case rs256 = "RS256"
    }

    static let audience = "bench-audience"

    let issuer: String
    private let algorithm: Algorithm
    private let credentials: Credentials
    private let header: JSON

    init(_ credentials: Credentials, issuer: String, algorithm: Algorithm) {
        self.credentials = credentials
        self.issuer = issuer
        self.algorithm = algorithm
        header = .object([
            "alg": .string(algorithm.rawValue), "kid": .string(algorithm == .es256 ? "ec" : "rsa"),
        ])
    }

    /// Returns an ID token that is issued now and has this nonce.
    ///
    /// A thousand users sign in repeatedly. Their accounts are created during the warm-up.
    func token(nonce: String, person: Int) throws -> String {
        let number = person % 1_000
        let now = Int64(Date().timeIntervalSince1970)
        let token = JWSSigningInput(
            header: header,
            payload: .object([
                "iss": .string(issuer), "aud": .string(Self.audience), "sub": .string("subject-\(number)"),
                "iat": .integer(now), "exp": .integer(now + 3600), "nonce": .string(nonce),
                "name": .string("Alice Example"), "email": .string("person-\(number)@example.com"),
                "email_verified": .bool(true),
            ]))
        let input = Array(token.text.utf8)
        return token.compact(
            signature: algorithm == .es256
                ? try credentials.p256.signature(for: input) : try credentials.rsa.signature(for: input))
    }
}
