import Jansson
import Sandbox
import Standards
import Testing
import Transport

@Suite("Pushed authorization requests", .serialized, .timeLimit(.minutes(5)))
struct PushedRequestTests {
    private static let ended = "This sign-in has ended"

    private static func path(_ requestURI: String, client: String = "my-app", further: [String: String] = [:]) -> String
    {
        "/authorize?" + Form.encoded(["client_id": client, "request_uri": requestURI].merging(further) { $1 })
    }

    private static func push(_ server: TestServer, _ changes: [String: String?] = [:]) async throws -> String {
        let response = try await server.form("/par", BrowserRequest.parameters.changing(changes))
        #expect(response.status == 201, "\(response.text)")
        return response.json?["request_uri"]?.string ?? ""
    }

    @Test("A pushed request has the effect of the same request in a link (RFC 9126)")
    func success() async throws {
        try await TestServer.open { server in
            let response = try await server.form("/par", BrowserRequest.parameters)
            #expect(response.status == 201)
            expectSafeHeader(response)
            #expect(response.json?.object?.keys.sorted() == ["expires_in", "request_uri"])
            #expect(response.json?["expires_in"] == 90)
            let uri = response.json?["request_uri"]?.string ?? ""
            #expect(uri.hasPrefix("urn:ietf:params:oauth:request_uri:"))
            #expect(!uri.contains("app.example.com"))
            var browser = TestBrowser(server)
            let left = try await browser.get(Self.path(uri))
            let finished = try await browser.get(try await browser.consent(at: left.location ?? ""))
            #expect(finished.told["state"] == BrowserRequest.state)
            expectToken(try await server.redeem(finished.told["code"] ?? ""))
        }
    }

    @Test("A request_uri can be used once")
    func again() async throws {
        try await TestServer.open { server in
            let uri = try await Self.push(server)
            var browser = TestBrowser(server)
            #expect(try await browser.get(Self.path(uri)).status == 303)
            try expectProblem(try await browser.get(Self.path(uri)), Self.ended)
            var other = TestBrowser(server)
            try expectProblem(try await other.get(Self.path(uri)), Self.ended)
        }
    }

    @Test("A request_uri is valid for ninety seconds")
    func expiry() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let first = try await Self.push(server)
            server.clock.advance(by: .seconds(89))
            #expect(try await browser.get(Self.path(first)).status == 303)
            let second = try await Self.push(server)
            server.clock.advance(by: .seconds(90))
            try expectProblem(try await browser.get(Self.path(second)), Self.ended)
        }
    }

    @Test("A request_uri belongs to its client, and no other text is one")
    func otherClient() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let uri = try await Self.push(server)
            try expectProblem(try await browser.get(Self.path(uri, client: "x-only")), Self.ended)
            try expectProblem(
                try await browser.get(Self.path(uri, client: "nobody")), "This application is not known here")
            for other in [
                "", "https://evil.example/request", "urn:ietf:params:oauth:request_uri:", uri + "A", uri + "=",
                String(uri.dropFirst(34)), uri.uppercased(), try await server.nonce().verifier,
                "urn:ietf:params:oauth:request_uri:" + (try await server.nonce().verifier),
            ] where !other.isEmpty {
                try expectProblem(try await browser.get(Self.path(other)), Self.ended)
            }
            #expect(try await browser.get(Self.path(uri)).status == 303)
        }
    }

    @Test("Other parameters of the link are ignored")
    func parametersBeside() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let uri = try await Self.push(server)
            let further = [
                "redirect_uri": "https://evil.example/cb", "provider": "twitter.com", "state": "other", "scope": "x",
                "code_challenge": "x",
            ]
            let left = try await browser.get(Self.path(uri, further: further))
            #expect(left.location?.hasPrefix(server.standIns.addresses.yahoo) ?? false)
            let finished = try await browser.get(try await browser.consent(at: left.location ?? ""))
            #expect(finished.location?.hasPrefix(BrowserRequest.redirectURI + "?") ?? false)
            #expect(finished.told["state"] == BrowserRequest.state)
        }
    }

    @Test(
        "An error of a request is returned when it is pushed",
        arguments: [
            (["redirect_uri": "https://evil.example/cb"], "redirect_uri_not_allowed"),
            (["redirect_uri": nil], "missing_field"), (["client_id": nil], "missing_field"),
            (["client_id": "nobody"], "unknown_client"), (["code_challenge": nil], "pkce_required"),
            (["code_challenge_method": "plain"], "pkce_required"), (["code_challenge": "short"], "malformed_body"),
            (["response_type": "token"], "unsupported_response_type"), (["response_type": nil], "missing_field"),
            (["provider": "nobody.example"], "unknown_provider"), (["intent": "link"], "id_token_missing"),
            (["request": "a.b.c"], "parameter_not_allowed"), (["response_mode": "fragment"], "malformed_body"),
            (["response_mode": "form_post", "redirect_uri": "com.example.app:/oauth"], "parameter_not_allowed"),
            (["response_mode": "web_message", "redirect_uri": "http://127.0.0.1/callback"], "parameter_not_allowed"),
            (["request_uri": "urn:ietf:params:oauth:request_uri:x"], "parameter_not_allowed"),
            (["client_id": "x-only", "redirect_uri": "https://other.example.com/cb"], "provider_disabled"),
            (["state": String(repeating: "a", count: 1025)], "malformed_body"),
            (["login_hint": String(repeating: "a", count: 3000)], "malformed_body"),
            (["scope": "mail-w"], "invalid_scope"), (["flow": "oauth1"], "parameter_not_allowed"),
        ] as [([String: String?], String)])
    func refusal(_ changes: [String: String?], reason: String) async throws {
        try await TestServer.open { server in
            try expectRefusal(try await server.form("/par", BrowserRequest.parameters.changing(changes)), reason)
        }
    }

    @Test("A client without the grant cannot push either")
    func unauthorizedClient() async throws {
        try await TestServer.open(.grants([.tokenExchange])) { server in
            try expectRefusal(try await server.form("/par", BrowserRequest.parameters), "unauthorized_client")
            var browser = TestBrowser(server)
            expectTold(try await browser.get(BrowserRequest.path()), "unauthorized_client")
        }
    }

    @Test("A bearer, or a page of another origin, pushes nothing")
    func bearer() async throws {
        try await TestServer.open { server in
            try expectRefusal(
                try await server.form(
                    "/par", BrowserRequest.parameters, header: [HeaderField("Authorization", "Bearer x")]),
                "unknown_client")
            try expectRefusal(
                try await server.form(
                    "/par", BrowserRequest.parameters, header: [HeaderField("Origin", "https://evil.example")]),
                "origin_not_allowed")
        }
    }
}
