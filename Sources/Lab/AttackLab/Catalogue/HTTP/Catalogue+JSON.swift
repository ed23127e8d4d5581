extension Catalogue {
    static let json = Section(.http, .medium, needs: []).attacks(
        .attack(
            "HT-11a", "A member is given twice, plain and escaped: one for us, one for a filter before us.",
            severity: .high, oracle: "400 duplicate_parameter.", source: "RFC 8259 4; CVE-2017-12635",
            reveals: [.duplicateMembers]
        ) { strike in
            let good = strike.nonceText.dropLast()
            for text in [
                #"\#(good),"client_id":"other-app"}"#, #"\#(good),"\u0063lient_id":"my-app"}"#,
                #"\#(good),"provider":"yahoo.com"}"#,
            ] {
                await strike.fire(.json("/v1/nonce", text: text), expecting: .malformed("duplicate_parameter"))
            }
        },
        .sweep(
            "HT-11b", "Numbers, arrays, objects, booleans and null stand where texts are due.",
            oracle: "400 malformed_body.", source: "CWE-843",
            over: ["1", "1.0", "true", "null", "[]", "{}", #"["my-app"]"#, #"{"$ne":""}"#, #""""#, "1e10"]
        ) { strike, value in
            await strike.fire(
                .json("/v1/nonce", text: #"{"client_id":\#(value),"provider":"yahoo.com"}"#),
                expecting: .malformed("malformed_body", "missing_field"))
            await strike.fire(
                .json("/v1/nonce", text: #"{"client_id":"my-app","provider":\#(value)}"#),
                expecting: .malformed("malformed_body", "missing_field"))
        },
        .sweep(
            "HT-11c", "A credential is a text, an array or empty, or its type is none.",
            oracle: "400, before anything is done.", source: "CWE-843",
            over: [
                #""id_token""#, "[]", "{}", "null", "7", #"{"type":7}"#, #"{"type":"ID_TOKEN"}"#,
                #"{"type":["id_token"]}"#, #"{"type":"id_token","id_token":["a"],"nonce":"b"}"#,
                #"{"type":"id_token","id_token":"a","nonce":7}"#,
            ]
        ) { strike, value in
            await strike.fire(
                .json(
                    "/v1/exchange",
                    text: #"{"client_id":"my-app","provider":"yahoo.com","credential":\#(value)}"#),
                expecting: .malformed("malformed_body", "missing_field", "unknown_credential_type"))
        },
        .attack(
            "HT-11d", "The body has additional members: isAdmin, __proto__, uid, constructor.",
            oracle: "400 unknown_field.", source: "CWE-915; CVE-2019-10744"
        ) { strike in
            let good = strike.nonceText.dropLast()
            for name in ["isAdmin", "__proto__", "constructor", "uid", "claims", "Client_ID", "client_id ", ""] {
                await strike.fire(
                    .json("/v1/nonce", text: #"\#(good),"\#(name)":"a"}"#), expecting: .malformed("unknown_field"))
            }
        },
        .sweep(
            "HT-11e", "Control characters hide in a text.", oracle: "400 malformed_body.", source: "jansson; CWE-158",
            over: [#"my-app\n"#, #"\tmy-app"#, #"my-app\u007f"#, #"my\u001b[31m-app"#, #"my-app\r\nX: a"#]
        ) { strike, text in
            await strike.fire(
                .json("/v1/nonce", text: #"{"client_id":"\#(text)","provider":"yahoo.com"}"#),
                expecting: .malformed("malformed_body"))
        },
    )

    static let garbage: [Attack] = [
        garbage(
            "HT-11f", "Text stands around a JSON object: trailing data, comments, a second object, a BOM.",
            { ["\($0) x", "\($0){}", "\($0)]", "/* c */\($0)", "\($0)// c", "\u{FEFF}\($0)", "\($0),", "x=\($0)"] }),
        garbage(
            "HT-11g", "What is almost JSON is posted: NaN, single quotes, trailing commas, hex, unquoted names.",
            { _ in
                [
                    "{'client_id':'my-app'}", #"{"client_id":"my-app",}"#, "{client_id:\"my-app\"}", #"{"a":NaN}"#,
                    #"{"a":Infinity}"#, #"{"a":0x10}"#, #"{"a":01}"#, #"{"a":+1}"#, #"{"a":.5}"#, #"{"a":"b}"#, "{", "",
                    " ", #"{"a"}"#, #"{"a":}"#, #"{"a":1 "b":2}"#, "{\"a\":\"\n\"}", #"{"a":"\x41"}"#,
                ]
            }),
        garbage(
            "HT-11h", "The document is no object: an array, a text, a number, null, true.",
            { ["[\($0)]", #""\#("a")""#, "1", "null", "true", "[]", "-0.0"] }),
        garbage(
            "HT-11i", "Arrays and objects are nested as deeply as 64 KB allow; a number has 60,000 digits.",
            { _ in
                [
                    String(repeating: "[", count: 60_000),
                    String(repeating: "[", count: 30_000)
                        + String(repeating: "]", count: 30_000),
                    String(repeating: #"{"a":"#, count: 10_000) + "1" + String(repeating: "}", count: 10_000),
                    #"{"client_id":"# + String(repeating: "1", count: 60_000) + "}",
                    #"{"client_id":1e"# + String(repeating: "9", count: 60_000) + "}",
                    #"{"client_id":-"# + String(repeating: "0", count: 60_000) + "}",
                ]
            }),
        garbage(
            "HT-11k", "Escapes stand for NUL, for lone surrogates, and for surrogates in the wrong order.",
            { _ in
                [#"my-app\u0000"#, #"\u0000my-app"#, #"\ud800"#, #"\udc00\ud800"#, #"\uD83D"#, #"\ud83dx"#].map {
                    #"{"client_id":"\#($0)","provider":"yahoo.com"}"#
                }
            }),
        Attack(
            "HT-11j", .http, .medium, "JSON comes in UTF-16, UTF-32 and Latin-1, and with bytes that are no UTF-8.",
            oracle: "400 malformed_body.", source: "RFC 8259 8.1", needs: [], reveals: [.crashOnGarbage]
        ) { strike in
            let text = Array(strike.nonceText.utf8)
            let little: [UInt8] = text.flatMap { [$0, 0] }
            let big: [UInt8] = text.flatMap { [0, 0, 0, $0] }
            let latin: [UInt8] = Array(#"{"client_id":"caf"#.utf8) + [0xE9] + Array(#""}"#.utf8)
            let overlong: [UInt8] = Array(#"{"client_id":""#.utf8) + [0xC0, 0x80] + Array(#""}"#.utf8)
            let marked: [UInt8] = [0xFF, 0xFE] + little
            let swapped: [UInt8] = [0xFE, 0xFF] + text.flatMap { [0, $0] }
            let bodies: [[UInt8]] = [little, marked, swapped, big, latin, overlong]
            for bytes in bodies {
                await strike.fire(.json("/v1/nonce", text: bytes), expecting: .status(400))
            }
        },
    ]

    private static func garbage(
        _ id: String, _ sentence: String, _ texts: @escaping @Sendable (String) -> [String]
    ) -> Attack {
        Attack(
            id, .http, .medium, sentence, oracle: "400 malformed_body, in constant memory.",
            source: "jansson; JSONTestSuite", needs: [], reveals: [.crashOnGarbage]
        ) { strike in
            for text in texts(strike.nonceText) {
                await strike.fire(.json("/v1/nonce", text: text), expecting: .malformed("malformed_body"))
            }
        }
    }
}
