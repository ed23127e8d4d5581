import JOSE
import Jansson
import OpenSSL

/// A header on the first line and a payload after it.
///
/// Both are signed, so that only their content decides.
enum ClaimsTarget {
    private static let now = NumericDate(1_700_000_000)
    private static let skew = Duration.seconds(60)
    private static let accessToken = "access-token"
    private static let key = demanded(try? P256PrivateKey.generate(), "a key can be made")
    private static let keys = demanded(try? keySet(), "the key can be published")
    private static let expectation = ClaimsExpectation(
        issuers: ["https://op.example"], audiences: ["my-app", "my-phone"], nonce: .oneOf(["n"]),
        maximumAge: .seconds(600), maximumLifetime: .seconds(86_400), clockSkew: skew)

    static func check(_ input: [UInt8]) {
        let parts = Input(input, parts: 2)
        let signingInput = Base64URL.encode(parts[0]) + "." + Base64URL.encode(parts[1])
        let signature = demanded(try? key.signature(for: Array(signingInput.utf8)), "a signature can be made")
        guard let jws = try? CompactJWS.parse(signingInput + "." + Base64URL.encode(signature)) else { return }
        guard let claims = try? JWSVerifier.verify(jws, keys: keys, algorithms: [.es256]) else { return }
        checkHeader(parts[0])
        let payload = demanded(
            try? JSON.parse(tolerantly: parts[1], maximumBytes: parts[1].count), "verified claims are JSON")
        demand(claims.json.serialized() == payload.serialized(), "the claims are those of the payload")
        if (try? expectation.check(claims, at: now)) != nil { checkClaims(payload) }
        if (try? AccessTokenHash.check(claims, accessToken: accessToken)) != nil {
            let found = payload["at_hash"]?.string?.utf8.filter { $0 != octet("=") }.count
            demand(found == 22, "at_hash is half a digest")
        }
    }

    private static func checkHeader(_ bytes: [UInt8]) {
        let header = demanded(try? JSON.parse(bytes, maximumBytes: .max), "a verified header is JSON")
        demand(isText(header["alg"], "ES256"), "the algorithm is the one that was allowed")
        demand(header["crit"] == nil && header["b64"] == nil, "no extension is ignored")
        let named = header["kid"] ?? .null
        demand(named == .null || isText(named, "") || isText(named, "key"), "the key is the one that kid names")
        if let type = header["typ"], type != .null {
            demand(type.string.map { areSame($0.lowercased(), "jwt") } == true, "a token of another kind is refused")
        }
    }

    private static func checkClaims(_ payload: JSON) {
        demand(isText(payload["iss"], "https://op.example"), "the issuer is the expected one")
        let audiences = payload["aud"]?.array ?? [payload["aud"] ?? .null]
        demand(!audiences.isEmpty && audiences.allSatisfy(isOurs), "each audience is one of ours")
        demand(isText(payload["nonce"], "n"), "the nonce is the expected one")
        demand(payload["sub"]?.string.map { (1...255).contains($0.utf8.count) } == true, "there is a subject")
        demand(audiences.count == 1 || payload["azp"] != nil, "several audiences need an authorized party")
        if let party = payload["azp"] { demand(isOurs(party), "the authorized party is one of ours") }
        let expiry = demanded(seconds(payload["exp"]), "there is an expiry")
        let issued = demanded(seconds(payload["iat"]), "there is a time of issue")
        demand(expiry > 1_700_000_000 - 60, "the token has not expired")
        demand((1_700_000_000 - 660...1_700_000_000 + 60).contains(issued), "the token was issued recently")
        demand(expiry <= issued + 86_400, "the lifetime of the token is not too long")
        if let start = payload["nbf"] {
            demand(seconds(start).map { $0 <= 1_700_000_000 + 60 } == true, "the time of nbf has come")
        }
    }

    private static func isOurs(_ value: JSON) -> Bool { isText(value, "my-app") || isText(value, "my-phone") }

    private static func isText(_ value: JSON?, _ text: String) -> Bool {
        value?.string.map { areSame($0, text) } ?? false
    }

    private static func seconds(_ value: JSON?) -> Double? {
        switch value {
        case .integer(let seconds): Double(seconds)
        case .real(let seconds): seconds.rounded(.down)
        default: nil
        }
    }

    private static func keySet() throws -> JWKSet {
        let entry: [String: JSON] = [
            "kty": .string("EC"), "crv": .string("P-256"), "kid": .string("key"),
            "x": .string(Base64URL.encode(key.publicKey.x)), "y": .string(Base64URL.encode(key.publicKey.y)),
        ]
        return try JWKSet.parse(JSON.object(["keys": .array([.object(entry)])]).serialized())
    }
}
