/// An ID token that is right in everything, until it is changed.
struct TokenDraft: Sendable {
    /// Whose key signs.
    enum Key: Sendable {
        /// The provider's, ES256.
        case provider
        /// The provider's other one, RS256; set `alg` and `kid` as ``useRSA(_:)`` does.
        case providerRSA
        /// ES256 by a key that is in no set.
        case foreign
        /// The provider's, (r, s) as (r, n − s).
        case malleated
        /// None: the third part is empty.
        case none
        /// What this makes of the signing input.
        case custom(@Sendable ([UInt8]) throws -> [UInt8])
    }

    var header: ForgedMembers
    var claims: ForgedMembers
    var key = Key.provider
    /// Changes the finished text.
    var finish: (@Sendable (String) -> String)?

    /// - `now`: seconds since 1970.
    init(keyID: String, issuer: String, audience: String, subject: String, nonce: String?, now: Int64) {
        header = ForgedMembers([("alg", "ES256"), ("kid", .text(keyID))])
        claims = ForgedMembers([
            ("iss", .text(issuer)), ("sub", .text(subject)), ("aud", .text(audience)), ("iat", .number(now)),
            ("exp", .number(now + 3600)), ("auth_time", .number(now)),
        ])
        if let nonce { claims["nonce"] = .text(nonce) }
    }

    mutating func useRSA(_ keyID: String) {
        key = .providerRSA
        header["alg"] = "RS256"
        header["kid"] = .text(keyID)
    }

    func token(by standIns: StandIns) async throws -> String {
        let text =
            switch key {
            case .provider: try await standIns.sign(header: header.bytes, payload: claims.bytes, key: "own")
            case .providerRSA: try await standIns.sign(header: header.bytes, payload: claims.bytes, key: "rsa")
            case .foreign: try await standIns.sign(header: header.bytes, payload: claims.bytes, key: "foreign")
            case .malleated: try await standIns.sign(header: header.bytes, payload: claims.bytes, key: "malleated")
            case .none: signingInput + "."
            case .custom(let signature):
                signingInput + "." + Base64.urlEncode(try signature(Array(signingInput.utf8)))
            }
        return finish?(text) ?? text
    }

    private var signingInput: String { Base64.urlEncode(header.bytes) + "." + Base64.urlEncode(claims.bytes) }
}
