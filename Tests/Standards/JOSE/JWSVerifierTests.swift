import Fixtures
import JOSE
import Jansson
import OpenSSL
import Standards
import Testing

@Suite("JWS verifier")
struct JWSVerifierTests {
    @Test("The example of RFC 7515, appendix A.3, verifies")
    func standardExample() throws {
        let keys = try TestIssuer.keySet([
            "kty": #""EC""#, "crv": #""P-256""#, "x": #""f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU""#,
            "y": #""x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0""#,
        ])
        let jws = try CompactJWS.parse(
            """
            eyJhbGciOiJFUzI1NiJ9\
            .eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ\
            .DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
            """)
        let claims = try JWSVerifier.verify(jws, keys: keys, algorithms: [.es256])
        #expect(claims.issuer == "joe")
        #expect(claims.expiry == NumericDate(1_300_819_380))
        #expect(claims["http://example.com/is_root"] == .bool(true))
        #expect(claims["is_root"] == nil)
    }

    @Test("The baseline verifies with either key, with and without kid")
    func baseline() throws {
        var token = try TestToken()
        #expect(try token.verified().subject == "subject")
        token.header["kid"] = nil
        #expect(try token.verified().subject == "subject")
        token.header = ["alg": #""RS256""#, "kid": #""modulus""#]
        #expect(try token.verified(signedBy: .rsa).subject == "subject")
    }

    @Test(
        "IDT-02, IDT-06, IDT-07: an algorithm whose name is not exactly an allowed one is refused",
        arguments: [
            "", "none", "None", "NONE", "nOnE", "HS256", "HS384", "HS512", "RS384", "RS512", "PS256", "ES384", "ES512",
            "EdDSA", "ES256K", "RS1", "es256", "rs256", "ES256 ", " ES256", "ES256\\u0020", "RS256,ES256",
        ])
    func algorithms(name: String) throws {
        var token = try TestToken()
        token.header["alg"] = "\"\(name)\""
        #expect(throws: JOSEError.algorithmNotAllowed) { try token.verified() }
    }

    @Test("A supported algorithm that is not allowed for the issuer is refused")
    func algorithmOfOthers() throws {
        var token = try TestToken()
        #expect(throws: JOSEError.algorithmNotAllowed) { try token.verified(algorithms: [.rs256]) }
        token.header = ["alg": #""RS256""#, "kid": #""modulus""#]
        #expect(throws: JOSEError.algorithmNotAllowed) { try token.verified(signedBy: .rsa, algorithms: [.es256]) }
    }

    @Test("IDT-06: a token with an HMAC of a known secret is refused", arguments: ["", "\u{0}", "secret"])
    func symmetric(secret: String) throws {
        var token = try TestToken()
        token.header["alg"] = #""HS256""#
        let input = try token.compact().split(separator: ".").prefix(2).joined(separator: ".")
        let code = HMACSHA256.authenticationCode(for: Array(input.utf8), key: Array(secret.utf8))
        let jws = try CompactJWS.parse("\(input).\(Base64URL.encode(code))")
        let keys = try token.issuer.keys
        #expect(throws: JOSEError.algorithmNotAllowed) {
            try JWSVerifier.verify(jws, keys: keys, algorithms: [.es256, .rs256])
        }
    }

    @Test("IDT-08: the kid of a key for another algorithm is refused")
    func keyForOtherAlgorithm() throws {
        var token = try TestToken()
        token.header["kid"] = #""modulus""#
        #expect(throws: JOSEError.keyForOtherAlgorithm) { try token.verified() }
        token.header = ["alg": #""RS256""#, "kid": #""curve""#]
        #expect(throws: JOSEError.keyForOtherAlgorithm) { try token.verified(signedBy: .rsa) }
    }

    @Test("IDT-09: the signature of another key under the kid of the issuer is refused")
    func otherSigner() throws {
        let token = try TestToken()
        let keys = try TestIssuer().keys
        let jws = try CompactJWS.parse(try token.compact())
        #expect(throws: JOSEError.signatureInvalid) { try JWSVerifier.verify(jws, keys: keys, algorithms: [.es256]) }
    }

    @Test("IDT-10, IDT-12: a key in the header of the token is not used")
    func keyInHeader() throws {
        let attacker = try TestIssuer()
        var token = try TestToken()
        token.header["jwk"] = TestIssuer.object(attacker.curveKey)
        for name in ["jku", "x5u", "x5c", "x5t"] { token.header[name] = #""https://evil.example/keys""# }
        #expect(try token.verified().subject == "subject")
        let forged = try CompactJWS.parse(
            try attacker.compact(
                header: TestIssuer.object(token.header), payload: Array(TestIssuer.object(token.claims).utf8)))
        let keys = try token.issuer.keys
        #expect(throws: JOSEError.signatureInvalid) { try JWSVerifier.verify(forged, keys: keys, algorithms: [.es256]) }
        token.header["jwk"] = #""https://evil.example/key""#
        token.header["kid"] = #""unknown""#
        #expect(throws: JOSEError.unknownKey) { try token.verified() }
    }

    @Test(
        "IDT-13: a kid that names no key is refused",
        arguments: [
            "other", "Curve", "curve ", "curv", "../../../../dev/null", "/dev/null", "x' UNION SELECT '1';--",
            "|sleep 10",
            "https://evil.example/", #"{\"kty\":\"oct\"}"#, "\u{ff43}urve",
        ])
    func unknownKey(keyID: String) throws {
        var token = try TestToken()
        token.header["kid"] = "\"\(keyID)\""
        #expect(throws: JOSEError.unknownKey) { try token.verified() }
    }

    @Test("A token without a kid is verified by any key of its algorithm")
    func ambiguousKey() throws {
        var token = try TestToken()
        token.header["kid"] = nil
        let jws = try CompactJWS.parse(try token.compact())
        let other = try TestIssuer().curveKey.merging(["kid": #""other""#]) { $1 }
        let both = try TestIssuer.keySet(token.issuer.curveKey, other)
        _ = try JWSVerifier.verify(jws, keys: both, algorithms: [.es256])
        let none = try TestIssuer.keySet(token.issuer.rsaKey)
        #expect(throws: JOSEError.unknownKey) { try JWSVerifier.verify(jws, keys: none, algorithms: [.es256]) }
    }

    @Test(
        "IDT-16: a token of another type is refused",
        arguments: [
            "at+jwt", "logout+jwt", "dpop+jwt", "secevent+jwt", "application/at+jwt", "application/logout+jwt",
            "text/jwt",
            "application/", "application/application/jwt", "JOSE", "", "JWT ", "J\\u0057E",
        ])
    func otherTypes(type: String) throws {
        var token = try TestToken()
        token.header["typ"] = "\"\(type)\""
        #expect(throws: JOSEError.typeNotAllowed) { try token.verified() }
    }

    @Test(
        "IDT-16: a token of type JWT, also with application/ before it (RFC 7515 4.1.9), or without a type is accepted",
        arguments: [#""JWT""#, #""jwt""#, #""application/jwt""#, #""Application/JWT""#, nil])
    func ownType(type: String?) throws {
        var token = try TestToken()
        token.header["typ"] = type
        #expect(try token.verified().subject == "subject")
    }

    @Test("IDT-03, IDT-56: a signature that is cut, changed, too long, DER or zero is refused")
    func spoiltSignatures() throws {
        let token = try TestToken()
        let jws = try CompactJWS.parse(try token.compact())
        let input = String(decoding: jws.signingInput, as: UTF8.self)
        let zero = [UInt8](repeating: 0, count: 32)
        let one: [UInt8] = zero.dropLast() + [1]
        var changed = jws.signature
        changed[40] ^= 1
        let der = [0x30, 0x44, 0x02, 0x20] + jws.signature.prefix(32) + [0x02, 0x20] + jws.signature.suffix(32)
        let spoilt: [[UInt8]] = [
            Array(jws.signature.dropLast(3)), Array(jws.signature.dropLast()), jws.signature + [0], changed,
            zero + zero,
            one + one, zero + one, one + zero, der, [UInt8](repeating: 0, count: 96), [0],
        ]
        let keys = try token.issuer.keys
        for signature in spoilt {
            let forged = try CompactJWS.parse("\(input).\(Base64URL.encode(signature))")
            #expect(throws: JOSEError.signatureInvalid) {
                try JWSVerifier.verify(forged, keys: keys, algorithms: [.es256])
            }
        }
    }

    @Test("A changed header or payload is refused")
    func changedInput() throws {
        let token = try TestToken()
        let parts = try token.compact().split(separator: ".").map(String.init)
        var other = token
        other.claims["sub"] = #""another""#
        other.header["typ"] = #""JWT""#
        let others = try other.compact().split(separator: ".").map(String.init)
        let keys = try token.issuer.keys
        for text in ["\(parts[0]).\(others[1]).\(parts[2])", "\(others[0]).\(parts[1]).\(parts[2])"] {
            let jws = try CompactJWS.parse(text)
            #expect(throws: JOSEError.signatureInvalid) {
                try JWSVerifier.verify(jws, keys: keys, algorithms: [.es256])
            }
        }
    }

    @Test("IDT-41: the second valid signature (r, n − s) verifies, with the same signing input")
    func malleability() throws {
        let token = try TestToken()
        let jws = try CompactJWS.parse(try token.compact())
        let input = String(decoding: jws.signingInput, as: UTF8.self)
        let twin = jws.signature.prefix(32) + negated(Array(jws.signature.suffix(32)))
        let second = try CompactJWS.parse("\(input).\(Base64URL.encode(Array(twin)))")
        let claims = try JWSVerifier.verify(second, keys: try token.issuer.keys, algorithms: [.es256])
        #expect(claims.subject == "subject")
        #expect(second.signature != jws.signature)
        #expect(second.signingInput == jws.signingInput)
    }

    @Test("IDT-42: one of the 16 spellings of the last character of a signature is accepted", arguments: [0, 1])
    func tailBits(signer: Int) throws {
        var token = try TestToken()
        if signer == 1 { token.header = ["alg": #""RS256""#, "kid": #""modulus""#] }
        let text = try token.compact(signedBy: signer == 1 ? .rsa : .curve)
        let keys = try token.issuer.keys
        let last = try #require(text.last)
        var accepted: [Character] = []
        for character in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
            guard let jws = try? CompactJWS.parse(text.dropLast() + String(character)),
                (try? JWSVerifier.verify(jws, keys: keys, algorithms: [.es256, .rs256])) != nil
            else { continue }
            accepted.append(character)
        }
        #expect(accepted == [last])
    }

    /// Returns n − s in 32 bytes.
    private func negated(_ s: [UInt8]) -> [UInt8] {
        let n: [UInt8] =
            [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0] + [UInt8](repeating: 0xff, count: 8) + [
                0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51,
            ]
        var difference = n
        var borrow = 0
        for index in n.indices.reversed() {
            let digit = Int(n[index]) - Int(s[index]) - borrow
            borrow = digit < 0 ? 1 : 0
            difference[index] = UInt8(digit & 0xff)
        }
        return difference
    }
}
