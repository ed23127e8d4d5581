import Jansson
import OAuth
import Sandbox
import Testing
import Transport

@Suite("Pushed authorization requests", .serialized, .timeLimit(.minutes(5)))
struct PushedRequestTests {
    private static let ended = "This sign-in has ended"

    private static func path(_ requestURI: String, client: String = "my-app", further: [String: String] = [:]) -> String
    {
        "/authorize?" + Form.encoded(["client_id": client, "request_uri": requestURI].merging(further) { $1 })
    }

    private static func push(_ street: Street, _ changes: [String: String?] = [:]) async throws -> String {
        let answer = try await street.form("/par", Asking.parameters.changing(changes))
        #expect(answer.status == 201, "\(answer.text)")
        return answer.json?["request_uri"]?.string ?? ""
    }

    @Test("A pushed request leads where the same one in a link leads (RFC 9126)")
    func success() async throws {
        try await Street.open { street in
            let answer = try await street.form("/par", Asking.parameters)
            #expect(answer.status == 201)
            expectSafeHeader(answer)
            #expect(answer.json?.object?.keys.sorted() == ["expires_in", "request_uri"])
            #expect(answer.json?["expires_in"] == 90)
            let uri = answer.json?["request_uri"]?.string ?? ""
            #expect(uri.hasPrefix("urn:ietf:params:oauth:request_uri:"))
            #expect(!uri.contains("app.example.com"))
            var visitor = Visitor(street)
            let left = try await visitor.get(Self.path(uri))
            let finished = try await visitor.get(try await visitor.consent(at: left.location ?? ""))
            #expect(finished.told["state"] == Asking.state)
            expectToken(try await street.redeem(finished.told["code"] ?? ""))
        }
    }

    @Test("A request_uri is good once")
    func again() async throws {
        try await Street.open { street in
            let uri = try await Self.push(street)
            var visitor = Visitor(street)
            #expect(try await visitor.get(Self.path(uri)).status == 303)
            try expectProblem(try await visitor.get(Self.path(uri)), Self.ended)
            var other = Visitor(street)
            try expectProblem(try await other.get(Self.path(uri)), Self.ended)
        }
    }

    @Test("It is good for ninety seconds, and not a second longer")
    func expiry() async throws {
        try await Street.open { street in
            var visitor = Visitor(street)
            let first = try await Self.push(street)
            street.clock.advance(by: .seconds(89))
            #expect(try await visitor.get(Self.path(first)).status == 303)
            let second = try await Self.push(street)
            street.clock.advance(by: .seconds(90))
            try expectProblem(try await visitor.get(Self.path(second)), Self.ended)
        }
    }

    @Test("It is its client's alone, and nothing else is one")
    func otherClient() async throws {
        try await Street.open { street in
            var visitor = Visitor(street)
            let uri = try await Self.push(street)
            try expectProblem(try await visitor.get(Self.path(uri, client: "x-only")), Self.ended)
            try expectProblem(
                try await visitor.get(Self.path(uri, client: "nobody")), "This application is not known here")
            for other in [
                "", "https://evil.example/request", "urn:ietf:params:oauth:request_uri:", uri + "A", uri + "=",
                String(uri.dropFirst(34)), uri.uppercased(), try await street.nonce().verifier,
                "urn:ietf:params:oauth:request_uri:" + (try await street.nonce().verifier),
            ] where !other.isEmpty {
                try expectProblem(try await visitor.get(Self.path(other)), Self.ended)
            }
            #expect(try await visitor.get(Self.path(uri)).status == 303)
        }
    }

    @Test("What stands beside it in the link is passed over")
    func parametersBeside() async throws {
        try await Street.open { street in
            var visitor = Visitor(street)
            let uri = try await Self.push(street)
            let further = [
                "redirect_uri": "https://evil.example/cb", "provider": "twitter.com", "state": "other", "scope": "x",
                "code_challenge": "x",
            ]
            let left = try await visitor.get(Self.path(uri, further: further))
            #expect(left.location?.hasPrefix(street.standIns.addresses.yahoo) ?? false)
            let finished = try await visitor.get(try await visitor.consent(at: left.location ?? ""))
            #expect(finished.location?.hasPrefix(Asking.redirectURI + "?") ?? false)
            #expect(finished.told["state"] == Asking.state)
        }
    }

    @Test(
        "What is wrong with a request is said when it is pushed",
        arguments: [
            (["redirect_uri": "https://evil.example/cb"], "redirect_uri_not_allowed"),
            (["redirect_uri": nil], "missing_field"), (["client_id": nil], "missing_field"),
            (["client_id": "nobody"], "unknown_client"), (["code_challenge": nil], "pkce_required"),
            (["code_challenge_method": "plain"], "pkce_required"), (["code_challenge": "short"], "malformed_body"),
            (["response_type": "token"], "unsupported_response_type"), (["response_type": nil], "missing_field"),
            (["provider": "nobody.example"], "unknown_provider"), (["intent": "link"], "id_token_missing"),
            (["request": "a.b.c"], "parameter_not_allowed"), (["response_mode": "form_post"], "malformed_body"),
            (["request_uri": "urn:ietf:params:oauth:request_uri:x"], "parameter_not_allowed"),
            (["client_id": "x-only", "redirect_uri": "https://other.example.com/cb"], "provider_disabled"),
            (["state": String(repeating: "a", count: 1025)], "malformed_body"),
            (["login_hint": String(repeating: "a", count: 3000)], "malformed_body"),
            (["scope": "mail-w"], "invalid_scope"), (["flow": "oauth1"], "parameter_not_allowed"),
        ] as [([String: String?], String)])
    func refusal(_ changes: [String: String?], reason: String) async throws {
        try await Street.open { street in
            try expectRefusal(try await street.form("/par", Asking.parameters.changing(changes)), reason)
        }
    }

    @Test("A client without the grant cannot push either")
    func unauthorizedClient() async throws {
        try await Street.open(.grants([.tokenExchange])) { street in
            try expectRefusal(try await street.form("/par", Asking.parameters), "unauthorized_client")
            var visitor = Visitor(street)
            expectTold(try await visitor.get(Asking.path()), "unauthorized_client")
        }
    }

    @Test("A bearer, or a page of another origin, pushes nothing")
    func bearer() async throws {
        try await Street.open { street in
            try expectRefusal(
                try await street.form("/par", Asking.parameters, header: [HeaderField("Authorization", "Bearer x")]),
                "unknown_client")
            try expectRefusal(
                try await street.form(
                    "/par", Asking.parameters, header: [HeaderField("Origin", "https://evil.example")]),
                "origin_not_allowed")
        }
    }
}
