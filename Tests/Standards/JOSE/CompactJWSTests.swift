import JOSE
import Testing

@Suite("Compact JWS")
struct CompactJWSTests {
    @Test("A JWS is parsed into its three parts, and the signing input is the received text")
    func parts() throws {
        let jws = try CompactJWS.parse("eyJhbGciOiJFUzI1NiIsICJraWQiOiJrIiwidHlwIjoiSldUIn0.Zm9v.AAEC")
        #expect(jws.header.algorithm == "ES256")
        #expect(jws.header.keyID == KeyID("k"))
        #expect(jws.header.type == "JWT")
        #expect(jws.payload == Array("foo".utf8))
        #expect(jws.signature == [0, 1, 2])
        #expect(jws.signingInput == Array("eyJhbGciOiJFUzI1NiIsICJraWQiOiJrIiwidHlwIjoiSldUIn0.Zm9v".utf8))
    }

    @Test(
        "IDT-03, IDT-04, IDT-36: any other number of parts, and an empty header or signature, are refused",
        arguments: [
            "", ".", "..", "...", "eyJhbGciOiJFUzI1NiJ9", "eyJhbGciOiJFUzI1NiJ9.Zm9v", "eyJhbGciOiJFUzI1NiJ9.Zm9v.",
            ".Zm9v.AAEC", "eyJhbGciOiJFUzI1NiJ9.Zm9v.AAEC.", "eyJhbGciOiJFUzI1NiJ9.Zm9v.AAEC.AAEC",
            "eyJhbGciOiJFUzI1NiJ9.AAEC.AAEC.AAEC.AAEC", "enc.AAEC.AAEC.AAEC.AAEC",
            String(repeating: ".", count: 10_000),
        ])
    func segments(text: String) {
        #expect(throws: JOSEError.malformedToken(.segments)) { try CompactJWS.parse(text) }
    }

    @Test(
        "An encrypted token is refused by its name",
        arguments: [
            #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"k1","cty":"JWT"}"#, #"{"alg":"dir","enc":"A256GCM"}"#,
            #"{"alg":"RSA-OAEP","enc":"A256GCM","zip":"DEF"}"#,
        ])
    func encrypted(header: String) {
        #expect(throws: JOSEError.encrypted) {
            try CompactJWS.parse("\(Base64URL.encode(Array(header.utf8))).AAEC.AAEC.AAEC.AAEC")
        }
        #expect(JOSEError.encrypted.sentence.contains("encrypted"))
    }

    @Test("IDT-33: a token of more than 16 KiB is refused before it is parsed")
    func size() throws {
        let token = "eyJhbGciOiJFUzI1NiJ9.Zm9v."
        let longest = token + String(repeating: "A", count: CompactJWS.maximumBytes - token.count - 2)
        #expect(throws: Never.self) { try CompactJWS.parse(longest) }
        for count in [CompactJWS.maximumBytes + 1, 1_000_000] {
            #expect(throws: JOSEError.tooLarge(maximumBytes: 16_384)) {
                try CompactJWS.parse(token + String(repeating: "A", count: count - token.count))
            }
        }
    }

    @Test("IDT-34, IDT-43: base64url is strict in all three parts, and nothing may surround a token")
    func base64url() {
        let header = "eyJhbGciOiJFUzI1NiJ9"
        for fault in ["=", "+", "/", " ", "\n", "\t", "?", "#", "%3D"] {
            for text in ["\(header)\(fault).Zm9v.AAEC", "\(header).Zm9v\(fault).AAEC", "\(header).Zm9v.AAEC\(fault)"] {
                #expect(throws: JOSEError.malformedBase64URL) { try CompactJWS.parse(text) }
            }
        }
        for text in ["\(header).Zn.AAEC", "\(header).Zm9v.AAF", "\(header).Zm9v.A", "\(header).Z.AAEC"] {
            #expect(throws: JOSEError.malformedBase64URL) { try CompactJWS.parse(text) }
        }
        for text in [" \(header).Zm9v.AAEC", "Bearer \(header).Zm9v.AAEC", "\(header).Zm9v.AAEC\n"] {
            #expect(throws: JOSEError.malformedBase64URL) { try CompactJWS.parse(text) }
        }
        #expect(throws: JOSEError.malformedToken(.segments)) { try CompactJWS.parse("\(header)%2EZm9v%2EAAEC") }
    }

    @Test(
        "IDT-35: a JWS in JSON serialization is refused",
        arguments: [
            #"{"payload":"Zm9v","protected":"eyJhbGciOiJFUzI1NiJ9","signature":"AAEC"}"#,
            #"{"payload":"Zm9v","signatures":[{"protected":"eyJhbGciOiJFUzI1NiJ9","signature":"AAEC"}]}"#,
            #"{"a":"eyJhbGciOiJFUzI1NiJ9.Zm9v.AAEC"}"#,
        ])
    func jsonSerialization(text: String) {
        #expect(throws: JOSEError.self) { try CompactJWS.parse(text) }
    }

    @Test(
        "A header that is not one strict JSON object is refused",
        arguments: [
            "", "x", "null", "\"ES256\"", "[]", "[\"alg\"]", #"{"alg":"ES256"} "x""#, #"{"alg":"ES256""#,
            "\u{feff}{\"alg\":\"ES256\"}", #"{"alg":"none","alg":"ES256"}"#, #"{"alg":"ES256","kid":"a","kid":"b"}"#,
            #"{"alg":"ES256","kid":"\u0000"}"#, #"{"alg":"ES256","a":[[[[[[[[[]]]]]]]]]}"#,
        ])
    func header(json: String) throws {
        let text = "\(Base64URL.encode(Array(json.utf8))).Zm9v.AAEC"
        let expected: JOSEError = json.isEmpty ? .malformedToken(.segments) : .malformedToken(.header)
        #expect(throws: expected) { try CompactJWS.parse(text) }
    }

    @Test(
        "IDT-02: a missing alg, or one that is not a text, is refused",
        arguments: [
            "{}", #"{"alg":null}"#, #"{"alg":0}"#, #"{"alg":true}"#, #"{"alg":["RS256"]}"#, #"{"Alg":"ES256"}"#,
        ])
    func algorithm(json: String) throws {
        #expect(throws: JOSEError.malformedToken(.algorithm)) { try parse(header: json) }
    }

    @Test(
        "IDT-13: a kid that is not a text of 1 to 256 printable bytes is refused",
        arguments: [
            "1", "[\"k\"]", "{}", "true", #""a\u0001""#, #""\n""#, #""\u007f""#, #""\u0085""#,
            "\"" + String(repeating: "k", count: 257) + "\"", "\"" + String(repeating: "k", count: 10_000) + "\"",
        ])
    func keyID(json: String) throws {
        #expect(throws: JOSEError.malformedToken(.keyID)) { try parse(header: #"{"alg":"ES256","kid":\#(json)}"#) }
    }

    @Test("A kid of 256 bytes is accepted")
    func longestKeyID() throws {
        let longest = String(repeating: "k", count: 256)
        #expect(try parse(header: #"{"alg":"ES256","kid":"\#(longest)"}"#).header.keyID == KeyID(longest))
    }

    @Test("Key IDs are compared byte by byte")
    func keyIDEquality() {
        // KELVIN SIGN is canonically equivalent to K.
        #expect("\u{212a}" == "K")
        #expect(KeyID("\u{212a}") != KeyID("K"))
        #expect(Set([KeyID("\u{212a}"), KeyID("K"), KeyID("K"), KeyID("k")]).count == 3)
    }

    @Test(
        "IDT-15: crit in any form, and b64, are refused",
        arguments: [
            #""crit":["bork"]"#, #""crit":[]"#, #""crit":"exp""#, #""crit":null"#, #""b64":false"#, #""b64":true"#,
            #""b64":false,"crit":["b64"]"#,
        ])
    func criticalHeader(members: String) throws {
        #expect(throws: JOSEError.criticalHeader) { try parse(header: #"{"alg":"ES256",\#(members)}"#) }
    }

    @Test("A typ that is not a text is refused", arguments: ["1", "[\"JWT\"]"])
    func type(json: String) throws {
        #expect(throws: JOSEError.malformedToken(.type)) { try parse(header: #"{"alg":"ES256","typ":\#(json)}"#) }
    }

    private func parse(header: String) throws -> CompactJWS {
        try CompactJWS.parse("\(Base64URL.encode(Array(header.utf8))).Zm9v.AAEC")
    }
}
