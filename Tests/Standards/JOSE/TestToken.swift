import JOSE

/// A token that meets every expectation until one of its values, which are JSON texts, is changed.
struct TestToken {
    let issuer: TestIssuer
    var header = ["alg": #""ES256""#, "kid": #""curve""#]
    var claims = [
        "iss": #""https://issuer.example""#, "sub": #""subject""#, "aud": #""client""#, "nonce": #""nonce""#,
        "iat": "1700000000", "exp": "1700003600",
    ]

    init() throws {
        issuer = try TestIssuer()
    }

    /// Makes the baseline token with one claim set to `json`, or removed if `json` is `nil`.
    init(_ claim: String, _ json: String?) throws {
        try self.init()
        claims[claim] = json
    }

    func compact(signedBy signer: TestIssuer.Signer = .curve) throws -> String {
        try issuer.compact(
            header: TestIssuer.object(header), payload: Array(TestIssuer.object(claims).utf8), signedBy: signer)
    }

    func verified(
        signedBy signer: TestIssuer.Signer = .curve, algorithms: Set<Algorithm> = [.es256, .rs256]
    ) throws -> Claims {
        let jws = try CompactJWS.parse(try compact(signedBy: signer))
        return try JWSVerifier.verify(jws, keys: try issuer.keys, algorithms: algorithms)
    }
}
