import Fixtures
import JOSE
import Jansson
import Standards
import Testing

/// Tests of payloads with a valid signature.
@Suite("JWT payload")
struct PayloadTests {
    @Test(
        "IDT-31, IDT-32, IDT-36: a payload that is not one JSON object is refused",
        arguments: [
            "", " ", "x", "null", "\"text\"", "1", "[]", #"[{"sub":"a"}]"#, #"{"sub":"a"} x"#,
            #"{"sub":"a"}{"sub":"a"}"#,
            #"{"sub":"a""#, #"{"exp":01}"#, #"{"exp":1.}"#, #"{"exp":+1}"#,
            #"{"exp":1e}"#, #"{"exp":12345678901234567890x}"#,
            #"{"sub":"\u00"}"#, #"{"sub":"\x"}"#,
            "{\"a\":" + String(repeating: "[", count: 3000) + String(repeating: "]", count: 3000) + "}",
            "eyJhbGciOiJFUzI1NiJ9.e30.AAEC",
        ])
    func strictness(payload: String) throws {
        #expect(throws: JOSEError.malformedToken(.payload)) { try verified(Array(payload.utf8)) }
    }

    @Test(
        "IDT-30: a claim that is there twice is one that no rule accepts, whichever comes first, and the others stay",
        arguments: [
            #""sub":"victim","sub":"attacker""#, #""sub":"attacker","sub":"victim""#, #""sub":"a","s\u0075b":"b""#,
            #""sub":"a","sub":"a""#, #""sub":null,"sub":"a""#, #""sub":"a","sub":null"#,
        ])
    func twice(_ members: String) throws {
        let claims = try verified(Array(#"{"iss":"i",\#(members),"nonce":"n"}"#.utf8))
        #expect(
            claims["sub"] == .null && claims.subject == nil && claims.issuer == "i" && claims["nonce"]?.string == "n")
        #expect(throws: JOSEError.malformedClaim("sub")) { try claims.requiredText("sub") }
    }

    @Test(
        "A claim that cannot be represented is one that no rule accepts, and the others stay",
        arguments: [
            #""\u0000""#, #""a\u0000b""#, #""\ud800""#, #""\udc00\ud800""#, #""\ud800x""#, "1e999", "-1e999",
            "12345678901234567890", "-99999999999999999999", "\"a\nb\"", "\"\t\"",
        ])
    func unrepresentable(_ json: String) throws {
        for claim in ["sub", "odd"] {
            let claims = try verified(Array(#"{"iss":"i","\#(claim)":\#(json)}"#.utf8))
            #expect(claims[claim] == .null && claims.issuer == "i" && claims.subject == nil)
        }
    }

    @Test("Pairs of surrogates, large numbers that fit, and escaped control characters are kept")
    func representable() throws {
        let claims = try verified(
            Array(#"{"a":"\ud83d\ude00\u0000","b":"\ud83d\ude00","c":9223372036854775807,"d":1e300,"e":"a\nb"}"#.utf8))
        #expect(claims["a"] == .null && claims["b"] == .string("\u{1F600}"))
        #expect(claims["c"] == .integer(.max) && claims["d"] == .real(1e300) && claims["e"] == .string("a\nb"))
    }

    @Test("IDT-31: UTF-16 is refused, and a claim that is not UTF-8 is absent")
    func encodings() throws {
        let utf16 = #"{"sub":"a"}"#.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        let odd = Array(#"{"iss":"i","sub":""#.utf8) + [0xc0, 0x80] + Array(#""}"#.utf8)
        #expect(try verified(odd).subject == nil)
        #expect(try verified(odd).issuer == "i")
        for payload in [utf16, [0xff, 0xfe] + utf16] {
            #expect(throws: JOSEError.malformedToken(.payload)) { try verified(payload) }
        }
    }

    @Test("IDT-32: a payload of 100,000 members, or a text of a megabyte, makes a token too large")
    func sizes() throws {
        let members = (0..<100_000).map { "\"a\($0)\":1" }.joined(separator: ",")
        for payload in ["{\(members)}", "{\"a\":\"\(String(repeating: "a", count: 1_000_000))\"}"] {
            #expect(throws: JOSEError.tooLarge(maximumBytes: 16_384)) { try verified(Array(payload.utf8)) }
        }
    }

    @Test("A payload is not parsed if its signature is invalid")
    func signatureFirst() throws {
        let issuer = try TestIssuer()
        let jws = try CompactJWS.parse(try issuer.compact(header: Self.header, payload: Array("x".utf8)))
        let keys = try TestIssuer().keys
        #expect(throws: JOSEError.signatureInvalid) { try JWSVerifier.verify(jws, keys: keys, algorithms: [.es256]) }
    }

    @Test("A payload that is compressed is named, and zip beside one that is not is ignored")
    func compressed() throws {
        let issuer = try TestIssuer()
        func verify(_ payload: [UInt8]) throws -> Claims {
            let text = try issuer.compact(header: #"{"alg":"ES256","kid":"curve","zip":"DEF"}"#, payload: payload)
            return try JWSVerifier.verify(try CompactJWS.parse(text), keys: issuer.keys, algorithms: [.es256])
        }
        #expect(throws: JOSEError.malformedToken(.compressed)) {
            try verify([0xab, 0x56, 0x2a, 0x2e, 0x4d, 0x02, 0x00])
        }
        #expect(try verify(Array(#"{"sub":"a"}"#.utf8)).subject == "a")
    }

    @Test("The verified bytes of a payload need not be JSON")
    func bytes() throws {
        let issuer = try TestIssuer()
        let jws = try CompactJWS.parse(try issuer.compact(header: Self.header, payload: [0, 1, 0xff]))
        #expect(try JWSVerifier.verifiedPayload(of: jws, keys: issuer.keys, algorithms: [.es256]) == [0, 1, 0xff])
    }

    @Test("Unverified claims can be read, as a separate type")
    func unverified() throws {
        let jws = try CompactJWS.parse(
            try TestIssuer().compact(header: Self.header, payload: Array(#"{"sub":"a"}"#.utf8)))
        #expect(try UnverifiedClaims(of: jws).json == .object(["sub": .string("a")]))
        let other = try CompactJWS.parse(try TestIssuer().compact(header: Self.header, payload: Array("[]".utf8)))
        #expect(throws: JOSEError.malformedToken(.payload)) { try UnverifiedClaims(of: other) }
    }

    private static let header = #"{"alg":"ES256","kid":"curve"}"#

    private func verified(_ payload: [UInt8]) throws -> Claims {
        let issuer = try TestIssuer()
        let jws = try CompactJWS.parse(try issuer.compact(header: Self.header, payload: payload))
        return try JWSVerifier.verify(jws, keys: try issuer.keys, algorithms: [.es256])
    }
}
