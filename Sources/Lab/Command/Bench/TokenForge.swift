internal import Foundation
internal import JOSE
internal import Jansson
internal import OpenSSL

/// Signs the ID tokens of the bench.
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

    /// An ID token that is issued now, with this text as its nonce.
    ///
    /// Servers meet a thousand people again and again; their accounts are made while a load warms up.
    func token(nonce: String, person: Int) throws -> String {
        let number = person % 1_000
        let now = Int64(Date().timeIntervalSince1970)
        let token = UnsignedJWS(
            header: header,
            payload: .object([
                "iss": .string(issuer), "aud": .string(Self.audience), "sub": .string("subject-\(number)"),
                "iat": .integer(now), "exp": .integer(now + 3600), "nonce": .string(nonce),
                "name": .string("Alice Example"), "email": .string("person-\(number)@example.com"),
                "email_verified": .bool(true),
            ]))
        let input = Array(token.signingInput.utf8)
        return token.compact(
            signature: algorithm == .es256
                ? try credentials.p256.signature(for: input) : try credentials.rsa.signature(for: input))
    }
}
