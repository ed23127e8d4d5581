import JOSE
import OpenSSL
import Standards
import Testing

@Suite("JWK set")
struct JWKSetTests {
    @Test("Usable keys are kept, with the algorithm of their type")
    func baseline() throws {
        let issuer = try TestIssuer()
        let keys = try issuer.keys
        #expect(keys.keys.map(\.id) == [KeyID("curve"), KeyID("modulus")])
        #expect(keys.keys.map(\.algorithms) == [[.es256], [.rs256]])
        #expect(keys.refused.isEmpty)
    }

    @Test("kid, alg, use and key_ops are optional, and unknown members are ignored")
    func optionalMembers() throws {
        let issuer = try TestIssuer()
        for var key in [issuer.curveKey, issuer.rsaKey] {
            for name in ["kid", "alg", "use"] { key[name] = nil }
            #expect(try TestIssuer.keySet(key).keys.count == 1)
            key["key_ops"] = #"["sign", "verify"]"#
            key["x5c"] = #"["AAEC"]"#
            key["x5u"] = #""https://evil.example""#
            #expect(try TestIssuer.keySet(key).keys.count == 1)
        }
    }

    @Test(
        "IDT-08, JW-06: a key that cannot verify the supported algorithms is refused with the reason",
        arguments: [
            ("kty", nil, JWKRefusal.malformedMember("kty")), ("kty", "1", .malformedMember("kty")),
            ("kty", #""OKP""#, .curveNotSupported), ("kty", #""ec""#, .typeNotSupported),
            ("kty", #""oct""#, .symmetric),
            ("kty", #""RSA""#, .malformedMember("n")), ("k", #""AAEC""#, .symmetric), ("d", #""AAEC""#, .privateMember),
            ("use", #""enc""#, .useNotSignature), ("use", #""signature""#, .useNotSignature),
            ("use", "[]", .useNotSignature),
            ("key_ops", #"["encrypt"]"#, .operationNotVerify), ("key_ops", #""sign""#, .operationNotVerify),
            ("key_ops", #"["sign, verify"]"#, .operationNotVerify),
            ("alg", #""ES384""#, .algorithmDoesNotFit), ("alg", #""RS256""#, .algorithmDoesNotFit),
            ("alg", "1", .algorithmDoesNotFit), ("alg", #""es256""#, .algorithmDoesNotFit),
            ("alg", #""RSA""#, .algorithmDoesNotFit),
            ("crv", nil, .malformedMember("crv")), ("crv", #""P-384""#, .key(.pointNotOnCurve)),
            ("crv", #""secp256k1""#, .curveNotSupported), ("x", nil, .malformedMember("x")),
            ("x", #""""#, .key(.malformed)), ("x", #""A===""#, .malformedMember("x")),
            ("x", "1", .malformedMember("x")),
            ("y", nil, .malformedMember("y")), ("y", #""AAEC""#, .key(.pointNotOnCurve)),
            ("kid", "1", .malformedMember("kid")),
        ] as [(String, String?, JWKRefusal)])
    func refusedCurveKeys(member: String, json: String?, reason: JWKRefusal) throws {
        let issuer = try TestIssuer()
        var key = issuer.curveKey
        key[member] = json
        let keys = try TestIssuer.keySet(issuer.rsaKey, key)
        #expect(keys.refused.map(\.position) == [1])
        #expect(keys.refused.map(\.reason) == [reason])
        #expect(keys.keys.map(\.id) == [KeyID("modulus")])
    }

    @Test(
        "An empty member counts as absent, and the purpose and the type of a key are read in the spellings of providers",
        arguments: [
            ("use", #""""#), ("use", #""SIG""#), ("use", #""Sig""#), ("alg", #""""#), ("alg", #""RSA""#),
            ("key_ops", #""verify""#), ("key_ops", "[]"), ("key_ops", #""""#), ("kid", #""""#),
        ])
    func spellings(member: String, json: String) throws {
        let issuer = try TestIssuer()
        var key = issuer.rsaKey
        key[member] = json
        let keys = try TestIssuer.keySet(key)
        #expect(keys.keys.count == 1 && keys.refused.isEmpty)
        let jws = try CompactJWS.parse(
            issuer.compact(header: #"{"alg":"RS256"}"#, payload: Array("{}".utf8), signedBy: .rsa))
        _ = try JWSVerifier.verify(jws, keys: keys, algorithms: [.rs256])
    }

    @Test("A key without kid verifies a token with one, if no key has that kid")
    func keyWithoutID() throws {
        let (issuer, other) = (try TestIssuer(), try TestIssuer())
        var key = issuer.curveKey
        key["kid"] = nil
        let header = #"{"alg":"ES256","kid":"curve"}"#
        let jws = try CompactJWS.parse(issuer.compact(header: header, payload: Array("{}".utf8)))
        let keys = try TestIssuer.keySet(issuer.rsaKey, key)
        _ = try JWSVerifier.verify(jws, keys: keys, algorithms: [.es256])
        // The key may be newer than the document, so that the error is that of an unknown key.
        let forged = try CompactJWS.parse(other.compact(header: header, payload: Array("{}".utf8)))
        #expect(throws: JOSEError.unknownKey) { try JWSVerifier.verify(forged, keys: keys, algorithms: [.es256]) }
        // The named key alone counts if there is one.
        let named = try TestIssuer.keySet(key, other.curveKey)
        #expect(throws: JOSEError.signatureInvalid) { try JWSVerifier.verify(jws, keys: named, algorithms: [.es256]) }
    }

    @Test(
        "A weak or private RSA key is refused with the reason",
        arguments: [
            ("n", nil, JWKRefusal.malformedMember("n")), ("n", #""AAEC""#, .key(.unsupportedSize(bits: 9))),
            ("e", nil, .malformedMember("e")), ("e", #""AQ""#, .key(.weakExponent)), ("e", #""""#, .key(.weakExponent)),
            ("e", #""AAAB""#, .key(.weakExponent)), ("e", #""Ag""#, .key(.weakExponent)),
            ("d", #""AAEC""#, .privateMember), ("p", #""AAEC""#, .privateMember), ("q", "0", .privateMember),
            ("dp", #""AAEC""#, .privateMember), ("dq", #""AAEC""#, .privateMember), ("qi", #""AAEC""#, .privateMember),
            ("oth", "[]", .privateMember), ("alg", #""ES256""#, .algorithmDoesNotFit),
            ("alg", #""RSA-OAEP""#, .algorithmDoesNotFit), ("alg", #""HS256""#, .algorithmDoesNotFit),
        ] as [(String, String?, JWKRefusal)])
    func refusedRSAKeys(member: String, json: String?, reason: JWKRefusal) throws {
        let issuer = try TestIssuer()
        var key = issuer.rsaKey
        key[member] = json
        let keys = try TestIssuer.keySet(key, issuer.curveKey)
        #expect(keys.refused.map(\.position) == [0])
        #expect(keys.refused.map(\.reason) == [reason])
        #expect(keys.keys.map(\.id) == [KeyID("curve")])
    }

    @Test("An additional leading zero octet, which Yahoo sends, is accepted, and a modulus of 1,024 bits is refused")
    func leadingZeros() throws {
        let issuer = try TestIssuer()
        var curve = issuer.curveKey
        curve["x"] = "\"\(Base64URL.encode([0] + issuer.curve.publicKey.x))\""
        var rsa = issuer.rsaKey
        rsa["n"] = "\"\(Base64URL.encode([0] + issuer.rsa.publicKey.modulus))\""
        #expect(try TestIssuer.keySet(curve, rsa).keys.count == 2)
        rsa["n"] = "\"\(Base64URL.encode([0] + [UInt8](repeating: 0xff, count: 128)))\""
        #expect(try TestIssuer.keySet(rsa).refused.map(\.reason) == [.key(.unsupportedSize(bits: 1024))])
    }

    @Test("A modulus with the fingerprint of CVE-2017-15361 is refused")
    func factorableModulus() throws {
        // 2^k · M + 1 is the power 65537^0 modulo every prime of the product M.
        let primes = (3...167).filter { number in !(2..<number).contains { number.isMultiple(of: $0) } }
        var product: [UInt8] = [1]
        for prime in primes {
            var carry = 0
            for index in product.indices.reversed() {
                carry += Int(product[index]) * prime
                product[index] = UInt8(carry & 0xff)
                carry >>= 8
            }
            if carry > 0 { product.insert(UInt8(carry), at: 0) }
        }
        var modulus = product + [UInt8](repeating: 0, count: 257 - product.count)
        modulus[256] = 1
        var key = try TestIssuer().rsaKey
        key["n"] = "\"\(Base64URL.encode(modulus))\""
        #expect(try TestIssuer.keySet(key).refused.map(\.reason) == [.factorable])
        modulus[256] = 7
        key["n"] = "\"\(Base64URL.encode(modulus))\""
        #expect(try TestIssuer.keySet(key).refused.isEmpty)
    }

    @Test("Real-world 05: one key with several algorithms under one kid is one key, beside an entry for encryption")
    func severalEntriesOfOneKey() throws {
        let issuer = try TestIssuer()
        let signing = issuer.rsaKey.merging(["kid": #""K+1=""#]) { $1 }
        let keys = try TestIssuer.keySet(
            signing.merging(["alg": #""RS512""#]) { $1 }, signing,
            signing.merging(["alg": #""RSA-OAEP""#, "use": #""enc""#]) { $1 })
        #expect(keys.keys.map(\.algorithms) == [[.rs512, .rs256]])
        #expect(keys.refused.map(\.reason) == [.useNotSignature])
        var token = try TestToken()
        token.header = ["alg": #""RS256""#, "kid": #""K+1=""#]
        let payload = Array(TestIssuer.object(token.claims).utf8)
        let jws = try CompactJWS.parse(
            issuer.compact(header: TestIssuer.object(token.header), payload: payload, signedBy: .rsa))
        _ = try JWSVerifier.verify(jws, keys: keys, algorithms: [.rs256])
    }

    @Test("JW-06: a kid that several keys have stands for each that is usable for the algorithm of the token")
    func sharedKeyID() throws {
        let (issuer, other) = (try TestIssuer(), try TestIssuer())
        let shared = ["kid": #""curve""#]
        let keys = try TestIssuer.keySet(
            other.curveKey, issuer.curveKey, issuer.rsaKey.merging(shared) { $1 },
            ["kty": #""oct""#, "k": #""AAEC""#, "kid": #""curve""#])
        #expect(keys.refused.map(\.reason) == [.symmetric])
        let header = #"{"alg":"ES256","kid":"curve"}"#
        for signer in [issuer, other] {
            let jws = try CompactJWS.parse(signer.compact(header: header, payload: Array("{}".utf8)))
            _ = try JWSVerifier.verify(jws, keys: keys, algorithms: [.es256])
        }
        let forged = try CompactJWS.parse(TestIssuer().compact(header: header, payload: Array("{}".utf8)))
        #expect(throws: JOSEError.signatureInvalid) { try JWSVerifier.verify(forged, keys: keys, algorithms: [.es256]) }
    }

    @Test("Real-world 15: a token without kid is tried with at most eight keys")
    func withoutKeyID() throws {
        let issuers = try (0..<9).map { _ in try TestIssuer() }
        var entries: [String] = []
        for issuer in issuers {
            entries.append(TestIssuer.object(issuer.curveKey.filter { $0.key != "kid" }))
        }
        let keys = try JWKSet.parse(Array(#"{"keys":[\#(entries.joined(separator: ","))]}"#.utf8))
        for (index, issuer) in issuers.enumerated() {
            let jws = try CompactJWS.parse(issuer.compact(header: #"{"alg":"ES256"}"#, payload: Array("{}".utf8)))
            if index < 8 {
                _ = try JWSVerifier.verify(jws, keys: keys, algorithms: [.es256])
            } else {
                #expect(throws: JOSEError.signatureInvalid) {
                    try JWSVerifier.verify(jws, keys: keys, algorithms: [.es256])
                }
            }
        }
    }

    @Test("Real-world 14: numbers in ordinary base64, with padding and leading zeros, are read")
    func ordinaryBase64() throws {
        let issuer = try TestIssuer()
        func ordinary(_ bytes: [UInt8]) -> String { "\"\(Base64.encode([0] + bytes))\"" }
        let rsa = issuer.rsaKey.merging(["n": ordinary(issuer.rsa.publicKey.modulus), "kid": "null"]) { $1 }
        let curve = issuer.curveKey.merging(
            [
                "x": ordinary(issuer.curve.publicKey.x), "y": ordinary(issuer.curve.publicKey.y), "alg": "null",
                "use": "null",
            ]
        ) { $1 }
        let keys = try TestIssuer.keySet(rsa, curve)
        #expect(keys.refused.isEmpty)
        let jws = try CompactJWS.parse(
            issuer.compact(header: #"{"alg":"RS256"}"#, payload: Array("{}".utf8), signedBy: .rsa))
        _ = try JWSVerifier.verify(jws, keys: keys, algorithms: [.rs256])
    }

    @Test("Keys as servers of identities publish them")
    func publishedKeys() throws {
        let issuer = try TestIssuer()
        // Without the zero octet that a coordinate begins with.
        let short = issuer.curveKey.merging([
            "x": #""mGriUG8f8QTQQjCGHY9LSY9LxMbQCbMPdUTcEpuC0o0""#, "kid": #""short""#,
            "y": #""PMzApkYOCuMopNl9PHth2G_GKJwYnyUlEQxEG7B-lw""#,
        ]) { $1 }
        let odd = issuer.rsaKey.merging(["crv": #""""#, "x5c": "[\"MIIB\r\nMIIC\"]", "exp": #""""#, "kid": #""b""#]) {
            $1
        }
        let named = issuer.rsaKey.merging(["kid": #""b_RS256""#]) { $1 }
        let padded = issuer.rsaKey.merging(["n": "\"\(Base64URL.encode(issuer.rsa.publicKey.modulus)),,\""]) { $1 }
        let keys = try TestIssuer.keySet(short, odd.filter { $0.key != "alg" }, named, padded)
        #expect(keys.keys.map(\.id) == ["short", "b", "b_RS256"].map { KeyID($0) })
        #expect(keys.refused.map(\.reason) == [.malformedMember("n")])
        for kid in ["b", "b_RS256"] {
            let jws = try CompactJWS.parse(
                issuer.compact(
                    header: #"{"alg":"RS256","kid":"\#(kid)"}"#, payload: Array("{}".utf8), signedBy: .rsa))
            _ = try JWSVerifier.verify(jws, keys: keys, algorithms: [.rs256])
        }
    }

    @Test("Members that are null or cannot be represented, and a byte-order mark, do not cost the other keys")
    func oddMembers() throws {
        let issuer = try TestIssuer()
        let key = issuer.curveKey.merging(["x5t": "null", "note": #""a\u0000b""#, "created": "1e400"]) { $1 }
        let text = "\u{FEFF}{\"keys\": [\(TestIssuer.object(key))], \"more\": null}"
        #expect(try JWKSet.parse(Array(text.utf8)).keys.map(\.id) == [KeyID("curve")])
    }

    @Test("An entry that is not an object is refused, and the others are kept")
    func entries() throws {
        let issuer = try TestIssuer()
        let text = "{\"keys\": [1, null, [], \"x\", \(TestIssuer.object(issuer.curveKey))], \"more\": {}}"
        let keys = try JWKSet.parse(Array(text.utf8))
        #expect(keys.keys.count == 1)
        #expect(keys.refused.map(\.reason) == Array(repeating: .notAnObject, count: 4))
    }

    @Test(
        "JW-05, JW-11: a document that is not a key set is refused",
        arguments: [
            "", "null", "[]", "{}", "<html></html>", #"{"keys": null}"#, #"{"keys": {}}"#, #"{"keys": []"#,
            #"{"keys": [], "keys": []}"#, #"{"keys": [{"kid": "a", "kid": "a"}]}"#, #"{"Keys": []}"#,
            #"{"keys": [[[[[[[[[]]]]]]]]]}"#,
            "{\"keys\": [\(Array(repeating: "{}", count: 251).joined(separator: ","))]}",
        ])
    func malformed(text: String) {
        #expect(throws: JOSEError.malformedKeySet) { try JWKSet.parse(Array(text.utf8)) }
    }

    @Test("JW-02, JW-10: an empty set is accepted, and one of more than 256 KiB is refused")
    func sizes() throws {
        #expect(try JWKSet.parse(Array(#"{"keys": []}"#.utf8)).keys.isEmpty)
        let many = "{\"keys\": [\(Array(repeating: "{}", count: 250).joined(separator: ","))]}"
        #expect(try JWKSet.parse(Array(many.utf8)).refused.count == 250)
        let padded = Array(many.utf8) + [UInt8](repeating: 0x20, count: 256 * 1024 - many.utf8.count)
        #expect(throws: Never.self) { try JWKSet.parse(padded) }
        #expect(throws: JOSEError.tooLarge(maximumBytes: 262_144)) { try JWKSet.parse(padded + [0x20]) }
    }
}
