extension Catalogue {
    static let json = Section(.http, .medium, needs: []).attacks(
        .attack(
            "HT-11a", "A JSON member is given twice, plain and escaped, so that server and filter read different ones.",
            severity: .high, oracle: "The server responds with 400 duplicate_parameter.",
            source: "RFC 8259 4; CVE-2017-12635",
            reveals: [.duplicateMembers]
        ) { context in
            let good = context.nonceText.dropLast()
            for text in [
                #"\#(good),"client_id":"other-app"}"#, #"\#(good),"\u0063lient_id":"my-app"}"#,
                #"\#(good),"provider":"yahoo.com"}"#,
            ] {
                await context.fire(.json("/v1/nonce", text: text), expecting: .malformed("duplicate_parameter"))
            }
        },
        .sweep(
            "HT-11b", "Numbers, arrays, objects, booleans and null are sent instead of strings.",
            oracle: "The server responds with 400 malformed_body.", source: "CWE-843",
            over: ["1", "1.0", "true", "null", "[]", "{}", #"["my-app"]"#, #"{"$ne":""}"#, #""""#, "1e10"]
        ) { context, value in
            await context.fire(
                .json("/v1/nonce", text: #"{"client_id":\#(value),"provider":"yahoo.com"}"#),
                expecting: .malformed("malformed_body", "missing_field"))
            await context.fire(
                .json("/v1/nonce", text: #"{"client_id":"my-app","provider":\#(value)}"#),
                expecting: .malformed("malformed_body", "missing_field"))
        },
        .sweep(
            "HT-11c", "A credential is a string, an array or empty, or its type is invalid.",
            oracle: "The server responds with 400 and verifies nothing.", source: "CWE-843",
            over: [
                #""id_token""#, "[]", "{}", "null", "7", #"{"type":7}"#, #"{"type":"ID_TOKEN"}"#,
                #"{"type":["id_token"]}"#, #"{"type":"id_token","id_token":["a"],"nonce":"b"}"#,
                #"{"type":"id_token","id_token":"a","nonce":7}"#,
            ]
        ) { context, value in
            await context.fire(
                .json(
                    "/v1/exchange",
                    text: #"{"client_id":"my-app","provider":"yahoo.com","credential":\#(value)}"#),
                expecting: .malformed("malformed_body", "missing_field", "unknown_credential_type"))
        },
        .attack(
            "HT-11d", "The body has additional members: isAdmin, __proto__, uid, constructor.",
            oracle: "The server responds with 400 unknown_field.", source: "CWE-915; CVE-2019-10744"
        ) { context in
            let good = context.nonceText.dropLast()
            for name in ["isAdmin", "__proto__", "constructor", "uid", "claims", "Client_ID", "client_id ", ""] {
                await context.fire(
                    .json("/v1/nonce", text: #"\#(good),"\#(name)":"a"}"#), expecting: .malformed("unknown_field"))
            }
        },
        .sweep(
            "HT-11e", "A JSON string contains control characters.",
            oracle: "The server responds with 400 malformed_body.", source: "jansson; CWE-158",
            over: [#"my-app\n"#, #"\tmy-app"#, #"my-app\u007f"#, #"my\u001b[31m-app"#, #"my-app\r\nX: a"#]
        ) { context, text in
            await context.fire(
                .json("/v1/nonce", text: #"{"client_id":"\#(text)","provider":"yahoo.com"}"#),
                expecting: .malformed("malformed_body"))
        },
    )

    static let garbage: [Attack] = [
        garbage(
            "HT-11f", "A JSON object is surrounded by trailing data, comments, a second object or a BOM.",
            { ["\($0) x", "\($0){}", "\($0)]", "/* c */\($0)", "\($0)// c", "\u{FEFF}\($0)", "\($0),", "x=\($0)"] }),
        garbage(
            "HT-11g",
            "Invalid JSON is posted: NaN, single quotes, trailing commas, hexadecimal numbers, unquoted names.",
            { _ in
                [
                    "{'client_id':'my-app'}", #"{"client_id":"my-app",}"#, "{client_id:\"my-app\"}", #"{"a":NaN}"#,
                    #"{"a":Infinity}"#, #"{"a":0x10}"#, #"{"a":01}"#, #"{"a":+1}"#, #"{"a":.5}"#, #"{"a":"b}"#, "{", "",
                    " ", #"{"a"}"#, #"{"a":}"#, #"{"a":1 "b":2}"#, "{\"a\":\"\n\"}", #"{"a":"\x41"}"#,
                ]
            }),
        garbage(
            "HT-11h", "The document is not an object: an array, a string, a number, null, true.",
            { ["[\($0)]", #""\#("a")""#, "1", "null", "true", "[]", "-0.0"] }),
        garbage(
            "HT-11i", "Arrays and objects are nested as deeply as 64 KB allow, or a number has 60,000 digits.",
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
            "HT-11k", "Escapes encode NUL, lone surrogates, and surrogates in the wrong order.",
            { _ in
                [#"my-app\u0000"#, #"\u0000my-app"#, #"\ud800"#, #"\udc00\ud800"#, #"\uD83D"#, #"\ud83dx"#].map {
                    #"{"client_id":"\#($0)","provider":"yahoo.com"}"#
                }
            }),
        Attack(
            "HT-11j", .http, .medium, "JSON is sent in UTF-16, UTF-32 and Latin-1, and with bytes that are not UTF-8.",
            oracle: "The server responds with 400 malformed_body.", source: "RFC 8259 8.1", needs: [],
            reveals: [.crashOnGarbage]
        ) { context in
            let text = Array(context.nonceText.utf8)
            let little: [UInt8] = text.flatMap { [$0, 0] }
            let big: [UInt8] = text.flatMap { [0, 0, 0, $0] }
            let latin: [UInt8] = Array(#"{"client_id":"caf"#.utf8) + [0xE9] + Array(#""}"#.utf8)
            let overlong: [UInt8] = Array(#"{"client_id":""#.utf8) + [0xC0, 0x80] + Array(#""}"#.utf8)
            let marked: [UInt8] = [0xFF, 0xFE] + little
            let swapped: [UInt8] = [0xFE, 0xFF] + text.flatMap { [0, $0] }
            let bodies: [[UInt8]] = [little, marked, swapped, big, latin, overlong]
            for bytes in bodies {
                await context.fire(.json("/v1/nonce", text: bytes), expecting: .status(400))
            }
        },
    ]

    private static func garbage(
        _ id: String, _ sentence: String, _ texts: @escaping @Sendable (String) -> [String]
    ) -> Attack {
        Attack(
            id, .http, .medium, sentence,
            oracle: "The server responds with 400 malformed_body and needs no more memory than usual.",
            source: "jansson; JSONTestSuite", needs: [], reveals: [.crashOnGarbage]
        ) { context in
            for text in texts(context.nonceText) {
                await context.fire(.json("/v1/nonce", text: text), expecting: .malformed("malformed_body"))
            }
        }
    }
}

extension Catalogue {
    static let forms: [Attack] = [
        form(
            "HT-10a", "A parameter is given twice, with equal and different values, plain and percent-encoded.",
            "duplicate_parameter",
            [
                "grant_type=authorization_code&code=a&code=b", "grant_type=authorization_code&code=a&code=a",
                "grant_type=authorization_code&grant_type=urn:x", "client_id=my-app&client_id=other-app",
                "grant_type=authorization_code&code=a&c%6fde=b", "client_id=a&redirect_uri=b&redirect%5Furi=c",
                "grant_type=authorization_code&code=&code=a",
            ]),
        form(
            "HT-10b", "Parameters are spelled as arrays and maps: `code[]=a`, `code[x]=a`, `code.a=b`.",
            "missing_field",
            [
                "grant_type=authorization_code&client_id=my-app&code[]=a&redirect_uri=b&code_verifier=\(verifier)",
                "grant_type=authorization_code&client_id=my-app&code[x]=a&redirect_uri=b&code_verifier=\(verifier)",
                "grant_type=authorization_code&client_id[]=my-app&code=a&redirect_uri=b&code_verifier=\(verifier)",
                "grant_type=authorization_code&client_id=my-app&code.a=b&redirect_uri=b&code_verifier=\(verifier)",
                "grant_type[]=authorization_code", "grant_type%00=authorization_code&a=b".replacing("%00", with: "%20"),
            ]),
        form(
            "HT-10c", "Percent-encoding is invalid, or encodes NUL, an overlong form or half a character.",
            "malformed_body",
            [
                "grant_type=%zz", "grant_type=%", "grant_type=%1", "code=%00", "code=a%00b", "%00=a", "code=%c0%af",
                "code=%ed%a0%80", "code=%ff", "code=%f5%80%80%80", "code=%0a", "code=%7f", "code=%u0041",
            ]),
        form(
            "HT-10d", "A form has ten thousand parameters, names of 30 KB or empty parts.",
            "malformed_body",
            [
                (0..<10_000).map { "a\($0)=" }.joined(separator: "&").prefix(65_000).description,
                String(repeating: "&", count: 60_000), String(repeating: "=", count: 60_000),
                String(repeating: "a", count: 30_000) + "=b&" + String(repeating: "b", count: 30_000) + "=c", "", "&",
                "=",
            ], or: ["missing_field", "duplicate_parameter"]),
        Attack(
            "HT-10e", .http, .medium, "A form contains raw bytes that are not UTF-8.",
            oracle: "The server responds with 400 malformed_body.",
            source: "CWE-20", needs: [], reveals: [.crashOnGarbage]
        ) { context in
            for bytes: [UInt8] in [
                [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0x61, 0x3D, 0xC3], [0x80, 0x3D, 0x80],
            ] {
                var request = Request.form("/token", [])
                request.body = bytes
                await context.fire(request, expecting: .malformed("malformed_body"))
            }
        },
        Attack(
            "HT-10f", .http, .medium, "A query of the browser flow has the same flaws as the forms.",
            oracle: "The server responds with an error page.", source: "RFC 6749 3.1", needs: [.browserFlow]
        ) { context in
            for query in [
                "code=a&code=b&state=c", "state=a&state=b&code=c", "code=%zz&state=a", "code=%00&state=a",
                "code=%c0%af&state=a", "code[]=a&state=b", String(repeating: "&", count: 5000), "%", "=", "code&state",
            ] {
                await context.fire(
                    .get("/callback/\(context.lab.application.provider)?" + query), expecting: .page(400))
                await context.fire(.get("/authorize?" + query), expecting: .page(400))
            }
        },
    ]

    private static let verifier = String(repeating: "v", count: 43)

    private static func form(
        _ id: String, _ sentence: String, _ reason: String, _ texts: [String], or others: Set<String> = []
    ) -> Attack {
        Attack(
            id, .http, .medium, sentence, oracle: "The server responds with 400 \(reason).",
            source: "RFC 6749 3.2; CWE-235", needs: []
        ) { context in
            for text in texts {
                var request = Request.form("/token", [])
                request.body = Array(text.utf8)
                await context.fire(
                    request,
                    expecting: Expectation(
                        statuses: [400], errors: ["invalid_request"], reasons: others.union([reason])))
            }
        }
    }
}
