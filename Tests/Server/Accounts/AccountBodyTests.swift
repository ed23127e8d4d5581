import Jansson
import Server
import Support
import Testing
import Transport

@Suite("Bodies of account calls", .serialized, .timeLimit(.minutes(5)))
struct AccountBodyTests {
    /// A well-formed body for the path.
    static let bodies: [(path: String, body: JSON, required: [String])] = [
        ("/v1/anonymous", ["client_id": "my-app"], ["client_id"]),
        ("/v1/account/link", Bodies.inventedCode, ["client_id", "provider", "credential"]),
        ("/v1/account/link", LinkFlowTests.handoff("c"), ["client_id"]),
        ("/v1/account/reauthenticate", Bodies.inventedCode, ["client_id", "provider", "credential"]),
        ("/v1/account/unlink", ["client_id": "my-app", "provider": "yahoo.com"], ["provider"]),
        ("/v1/account/merge", ["client_id": "my-app", "from_id_token": "a.b.c"], ["client_id", "from_id_token"]),
        (
            "/v1/account/merge", ["client_id": "my-app", "pending_credential": "a"],
            ["client_id", "pending_credential"]
        ),
        (
            "/v1/account/signout", ["client_id": "my-app", "provider": "yahoo.com", "token": "t"],
            ["provider", "token"]
        ),
        (
            "/v1/provider-token/revoke", ["client_id": "my-app", "provider": "yahoo.com", "token": "t"],
            ["client_id", "provider", "token"]
        ),
    ]

    @Test("An unknown or missing member is reported")
    func members() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            for (path, body, required) in Self.bodies {
                try expectRefusal(try await alice.post(path, body.setting("stranger", to: 1)), "unknown_field")
                for name in required {
                    try expectRefusal(try await alice.post(path, body.setting(name, to: nil)), "missing_field")
                }
            }
        }
    }

    @Test("Text is text, and as long as its limit", arguments: [7, true, ["a"], ["a": "b"], ""] as [JSON])
    func types(value: JSON) async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            for (path, body, _) in Self.bodies {
                for name in (body.object ?? [:]).keys where name != "credential" {
                    try expectRefusal(try await alice.post(path, body.setting(name, to: value)), "malformed_body")
                }
            }
            for name in ["code", "redirect_uri", "code_verifier"] {
                try expectRefusal(
                    try await alice.link(LinkFlowTests.handoff("c").setting("credential", name, to: value)),
                    "malformed_body")
            }
        }
    }

    @Test("A client's and a provider's id has 128 octets at most")
    func lengths() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let longer = JSON.string(String(repeating: "a", count: 129))
            for (path, body, _) in Self.bodies {
                for name in ["client_id", "provider"] where body[name] != nil {
                    try expectRefusal(try await alice.post(path, body.setting(name, to: longer)), "malformed_body")
                }
            }
        }
    }

    @Test("A body with a handoff has only the members of a handoff, and no provider")
    func handoff() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let body = LinkFlowTests.handoff("c")
            for path in ["/v1/account/link", "/v1/account/reauthenticate"] {
                for name in ["code", "redirect_uri", "code_verifier"] {
                    try expectRefusal(
                        try await alice.post(path, body.setting("credential", name, to: nil)), "missing_field")
                }
                try expectRefusal(
                    try await alice.post(path, body.setting("credential", "nonce", to: "n")), "unknown_field")
                try expectRefusal(
                    try await alice.post(path, body.setting("provider", to: "yahoo.com")), "unknown_field")
                try expectRefusal(
                    try await alice.post(path, body.setting("credential", "code_verifier", to: "short")),
                    "malformed_body")
                try expectRefusal(try await alice.post(path, body), "code_rejected")
                try expectRefusal(
                    try await alice.post(path, body.setting("credential", "type", to: "password")), "missing_field")
            }
            // It is no credential of /v1/exchange.
            let response = try await server.exchange(body.setting("provider", to: "yahoo.com"))
            try expectRefusal(response, "unknown_credential_type")
            #expect(
                response.json?["error_description"]?.string
                    == "This endpoint has no credential of this type. Use one of authorization_code, id_token, oauth1_token, "
                    + "access_token, callback, pending; at /v1/exchange also second_factor, and at /v1/account/link and "
                    + "/v1/account/reauthenticate handoff.")
        }
    }

    @Test("A second factor is no proof of an identity, and the response says what it is for")
    func secondFactor() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let body: JSON = [
                "client_id": "my-app",
                "credential": ["type": "second_factor", "pending_credential": "h", "totp": "123456"],
            ]
            for path in ["/v1/account/link", "/v1/account/reauthenticate"] {
                let response = try await alice.post(path, body)
                try expectRefusal(response, "unsupported_credential")
                let description = response.json?["error_description"]?.string ?? ""
                #expect(description.hasPrefix("A second factor proves no identity. Send it to /v1/exchange"))
            }
        }
    }

    @Test("A body of 64 KiB is read, and of one byte more is not")
    func limit() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            for (path, body, _) in Self.bodies {
                let whole = body.text + String(repeating: " ", count: 65_536 - body.text.utf8.count)
                let header = [HeaderField("Authorization", "Bearer " + alice.idToken)]
                #expect(try await server.post(path, text: whole, header: header).reason != "body_too_large")
                try expectRefusal(try await server.post(path, text: whole + " ", header: header), "body_too_large")
            }
        }
    }

    @Test(
        "A body that is not a strict JSON object is refused",
        arguments: ["", "[]", "null", "{", "{}{}", #"{"a": 1,}"#, "a=b"])
    func notJSON(text: String) async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let header = [HeaderField("Authorization", "Bearer " + alice.idToken)]
            for path in BearerTests.posts + ["/v1/anonymous"] {
                try expectRefusal(try await server.post(path, text: text, header: header), "malformed_body")
                try expectRefusal(
                    try await server.post(path, text: #"{"client_id": "a", "client_id": "a"}"#, header: header),
                    "duplicate_parameter")
            }
        }
    }

    @Test("Signing out needs nothing but the bearer; a provider's token needs its provider")
    func signOut() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let response = try await alice.post("/v1/account/signout", [:])
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json == ["sessions_revoked": false, "token_revoked": false])
            let unknown: JSON = ["provider": "nobody.example", "token": "t"]
            try expectRefusal(try await alice.post("/v1/account/signout", unknown), "unknown_provider")
        }
    }

    @Test("Account calls count as requests that end a sign-in, per address")
    func rate() async throws {
        try await TestServer.open(.limits { $0.exchangesPerAddress = .init(count: 3, period: .seconds(60)) }) {
            server in
            let alice = try await server.person(TestServer.alice)
            for _ in 0..<3 { #expect(try await alice.ask("GET", "/v1/account")?.status == 200) }
            for path in BearerTests.posts {
                try expectRefusal(try await alice.ask("POST", path, body: "["), "rate_limited", retry: "same")
            }
            try expectRefusal(try await alice.ask("DELETE", "/v1/account"), "rate_limited", retry: "same")
            try expectRefusal(
                try await server.raw(TestServer.request("GET /v1/account HTTP/1.1", header: [], body: "")),
                "rate_limited",
                retry: "same")
        }
    }
}
