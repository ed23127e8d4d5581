import Jansson
import Support
import Testing
import Transport

@Suite("Bodies", .serialized, .timeLimit(.minutes(5)))
struct BodyTests {
    @Test("HT-11: a body that is not one strict JSON object is refused, and the next one is answered")
    func notJSON() async throws {
        try await TestServer.open { server in
            let nonce = Bodies.nonce.text
            let bodies: [String] = [
                "", " ", "null", "true", "7", #""text""#, "[]", "[\(nonce)]", "{", "\(nonce)\(nonce)", "\(nonce) x",
                "\u{FEFF}\(nonce)", #"{"client_id": "my-app", "provider": NaN}"#,
                #"{"client_id": "my-app", /* so */ "provider": "yahoo.com"}"#,
                #"{"client_id": "my-app", "provider": "yahoo.com",}"#,
                #"{"client_id": 'my-app', "provider": "yahoo.com"}"#,
                #"{"client_id": "my-app", "provider": "\ud800"}"#,
                #"{"client_id": "my-app", "provider": "\u0000"}"#,
                #"{"client_id": "my-app", "\u0000": 1, "provider": "yahoo.com"}"#,
                #"{"client_id": "my-app", "provider": "a\#u{0}b"}"#,
                #"{"client_id": "my-app", "provider": "a\#nb"}"#,
                #"{"client_id": "my-app", "provider": \#(String(repeating: "[", count: 10_000))"#,
                #"{"client_id": "my-app", "provider": \#(String(repeating: "[", count: 9) + String(repeating: "]", count: 9))}"#,
                #"{"client_id": "my-app", "provider": \#(String(repeating: "1", count: 60_000))}"#,
                #"{"client_id": "my-app", "provider": "\#(String(repeating: "a", count: 34_000))"}"#,
                #"{"client_id": "my-app", "provider": [\#(String(repeating: "1,", count: 600))1]}"#,
                "client_id=my-app&provider=yahoo.com",
            ]
            for body in bodies {
                let response = try await server.post("/v1/nonce", text: body)
                #expect(response.reason == "malformed_body", "\(body.prefix(80)): \(response.text)")
                #expect(response.status == 400)
            }
            #expect(try await server.post("/v1/nonce", Bodies.nonce).status == 200)
        }
    }

    @Test(
        "The log has what is wrong with a body",
        arguments: [
            ("", "the body is empty"), ("[]", "the body is a JSON list, and must be an object"),
            (#"{"client_id": "my-app",}"#, "the body is not the text of a JSON object (line 1, column "),
            (#"{"client_id": "my"#, "the body is cut off (line 1, column "),
            (#"{"client_id": {"a": 1, "a": 2}}"#, "a name occurs twice in one object of the body (line 1, column "),
            (#"{"client_id": 7, "provider": "b"}"#, "client_id is not a text"),
            (#"{"client_id": "", "provider": "b"}"#, "client_id has 0 octets, and must have 1 to "),
            (#"{"client_id": "a\n", "provider": "b"}"#, "client_id contains a control character, such as a line break"),
            (#"{"client_id": "a", "Provider": "b"}"#, "provider is missing, and the request has Provider"),
            (
                #"{"client_id": "\#(String(repeating: "a", count: 34_000))"}"#,
                "A text of the body has more than 33792 octets. Send a shorter one."
            ),
            (#"{"client_id": "\u0000"}"#, "the body has a character or a number that this server does not read, "),
        ])
    func finding(body: String, finding: String) async throws {
        try await TestServer.open { server in
            #expect(try await server.post("/v1/nonce", text: body).status == 400)
            #expect(server.log.text.contains(finding), "\(server.log.text)")
            try expectRefusal(try await server.post("/v1/nonce?a=b", Bodies.nonce), "malformed_body")
            #expect(server.log.text.contains("the URL has a query"), "\(server.log.text)")
        }
    }

    @Test("HT-11: text that is not UTF-8 is refused")
    func encodings() async throws {
        try await TestServer.open { server in
            let nonce = Array(Bodies.nonce.text.utf8)
            let utf16: [UInt8] = nonce.flatMap { [$0, 0] }
            let latin1 = Array(#"{"client_id": "my-app", "provider": "caf"#.utf8) + [0xE9] + Array(#""}"#.utf8)
            let overlong = Array(#"{"client_id": "my-app", "provider": ""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8)
            for bytes in [utf16, [0xFF, 0xFE] + utf16, [0xEF, 0xBB, 0xBF] + nonce, latin1, overlong] {
                let head = TestServer.request(body: "").replacing(
                    "Content-Length: 0", with: "Content-Length: \(bytes.count)")
                let response = try await Wire.connect(to: server.publicPort) { wire in
                    try await wire.send(Array(head.utf8) + bytes)
                    return try await wire.response()
                }
                try expectRefusal(response, "malformed_body")
            }
            #expect(server.log.text.contains("the body is not UTF-8 (line 1, column "), "\(server.log.text)")
            #expect(server.log.text.contains("the body is in UTF-16, or begins with a byte order mark, and must be "))
        }
    }

    @Test("HT-10: a repeated name is refused, in every spelling and at every place")
    func duplicates() async throws {
        try await TestServer.open { server in
            for body in [
                #"{"client_id": "my-app", "client_id": "other", "provider": "yahoo.com"}"#,
                #"{"client_id": "my-app", "client\u005fid": "my-app", "provider": "yahoo.com"}"#,
                #"{"client_id": "my-app", "provider": {"a": 1, "a": 1}}"#,
            ] {
                try expectRefusal(try await server.post("/v1/nonce", text: body), "duplicate_parameter")
            }
        }
    }

    @Test(
        "HT-11: a number, an array or an object in place of text is refused",
        arguments: [7, true, ["my-app"], ["a": "b"], ""] as [JSON])
    func types(value: JSON) async throws {
        try await TestServer.open { server in
            for member in ["client_id", "provider"] {
                try expectRefusal(
                    try await server.post("/v1/nonce", Bodies.nonce.setting(member, to: value)), "malformed_body")
            }
            try expectRefusal(
                try await server.exchange(Bodies.inventedCode.setting("credential", "code", to: value)),
                "malformed_body")
            if value.object == nil {
                try expectRefusal(
                    try await server.exchange(Bodies.inventedCode.setting("credential", to: value)), "malformed_body")
                try expectRefusal(
                    try await server.post("/v1/signin", Bodies.signIn.setting("parameters", to: value)),
                    "malformed_body")
            }
            if value.array == nil {
                try expectRefusal(
                    try await server.post("/v1/signin", Bodies.signIn.setting("scopes", to: value)), "malformed_body")
            }
        }
    }

    @Test("A member that is null is absent, as serializers write optional values")
    func null() async throws {
        try await TestServer.open { server in
            var body = Bodies.signIn
            for member in ["scopes", "parameters", "flow", "intent"] { body = body.setting(member, to: .null) }
            #expect(try await server.post("/v1/signin", body).status == 200)
            for member in ["client_id", "provider"] {
                try expectRefusal(
                    try await server.post("/v1/nonce", Bodies.nonce.setting(member, to: .null)), "missing_field")
            }
            try expectRefusal(
                try await server.exchange(Bodies.inventedCode.setting("credential", "code", to: .null)),
                "missing_field")
            try expectRefusal(
                try await server.post("/v1/nonce", Bodies.nonce.setting("stranger", to: .null)), "unknown_field")
        }
    }

    @Test(
        "A member that belongs elsewhere is named, and any other one is not",
        arguments: [
            ("nonce_verifier", "the member nonce_verifier, which this endpoint does not support there"),
            ("stranger", "a member that this endpoint does not support"),
        ])
    func misplaced(member: String, found: String) async throws {
        try await TestServer.open { server in
            let response = try await server.post("/v1/nonce", Bodies.nonce.setting(member, to: "x"))
            try expectRefusal(response, "unknown_field")
            #expect(
                response.json?["error_description"]?.string
                    == "The request has \(found). Supported members: client_id, provider.")
        }
    }

    @Test("Text is as long as its limit and no longer")
    func lengths() async throws {
        try await TestServer.open { server in
            let long = JSON.string(String(repeating: "a", count: 128))
            let longer = JSON.string(String(repeating: "a", count: 129))
            try expectRefusal(
                try await server.post("/v1/nonce", Bodies.nonce.setting("client_id", to: long)), "unknown_client")
            try expectRefusal(
                try await server.post("/v1/nonce", Bodies.nonce.setting("client_id", to: longer)), "malformed_body")
            try expectRefusal(
                try await server.post("/v1/nonce", Bodies.nonce.setting("provider", to: longer)), "malformed_body")
            try expectRefusal(
                try await server.post(
                    "/v1/signin", Bodies.signIn.setting("scopes", to: .array(Array(repeating: "a", count: 51)))),
                "malformed_body")
        }
    }

    @Test("A body of exactly 64 KiB is read, and of one byte more is not")
    func limit() async throws {
        try await TestServer.open { server in
            let nonce = Bodies.nonce.text
            let whole = nonce + String(repeating: " ", count: 65_536 - nonce.utf8.count)
            #expect(try await server.post("/v1/nonce", text: whole).status == 200)
            try expectRefusal(try await server.post("/v1/nonce", text: whole + " "), "body_too_large")
        }
    }

    @Test(
        "HT-12, EX-17: only application/json in UTF-8 is read",
        arguments: zip(
            [
                "application/json", "Application/JSON", "application/json; charset=utf-8",
                "application/json;charset=\"UTF-8\"", "application/json; charset=utf-16", "application/jsonx",
                "application/json+x", "application/problem+json", "text/plain", "text/json",
                "multipart/form-data; boundary=a", "application/x-www-form-urlencoded",
                "application/json, text/plain", "application/json; charset=utf-8; charset=utf-16", "",
            ], [true, true, true, true] + Array(repeating: false, count: 11)))
    func types(type: String, isRead: Bool) async throws {
        try await TestServer.open { server in
            let response = try await server.raw(TestServer.request(header: ["Content-Type: \(type)"]))
            if isRead {
                #expect(response?.status == 200)
            } else {
                try expectRefusal(response, "unsupported_media_type")
            }
        }
    }

    @Test(
        "HT-12: a body without type, with two, or compressed is not read",
        arguments: [
            [], ["Content-Type: application/json", "Content-Type: application/json"],
            ["Content-Type: application/json", "Content-Encoding: gzip"],
            ["Content-Type: application/json", "Content-Encoding: identity"],
        ])
    func header(header: [String]) async throws {
        try await TestServer.open { server in
            try expectRefusal(try await server.raw(TestServer.request(header: header)), "unsupported_media_type")
        }
    }
}
