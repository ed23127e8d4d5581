import Jansson
import Support
import Testing

@Suite("Refusals that name a parameter", .serialized, .timeLimit(.minutes(5)))
struct NamedParameterTests {
    @Test("A refusal names the parameter, unless the name is longer than 64 characters or not visible ASCII")
    func names() async throws {
        let longest = String(repeating: "a", count: 64)
        try await TestServer.open { server in
            for (name, reason) in [
                ("colour", "parameter_not_allowed"), ("state", "reserved_parameter"),
                ("oauth_token", "reserved_parameter"), (longest, "parameter_not_allowed"),
            ] {
                let response = try await server.post("/v1/signin", Bodies.signIn.setting("parameters", to: [name: "x"]))
                try expectRefusal(response, reason)
                #expect(response.json?["parameter"]?.string == name)
            }
            for name in [longest + "a", "a b", "caf\u{E9}", "\u{212A}", "\u{202E}a", "a\u{7F}"] {
                let response = try await server.post("/v1/signin", Bodies.signIn.setting("parameters", to: [name: "x"]))
                #expect(response.reason == "parameter_not_allowed")
                #expect(response.json?["parameter"] == nil, "\(response.text)")
                #expect(!response.text.contains(name))
            }
        }
    }

    @Test("The token endpoint names it, too")
    func tokenEndpoint() async throws {
        try await TestServer.open { server in
            for name in ["actor_token", "actor_token_type"] {
                let response = try await server.form("/token", try await server.subjectToken().changing([name: "x"]))
                #expect(response.reason == "parameter_not_allowed")
                #expect(response.json?["parameter"]?.string == name)
            }
        }
    }

    @Test("CB-09: a description mentions prompt=none only if the request had it")
    func silence() async throws {
        try await TestServer.open { server in
            for (parameters, isSilent): (JSON, Bool) in [(["prompt": "none"], true), (["prompt": "login"], false)] {
                let begun = try await server.post("/v1/signin", Bodies.signIn.setting("parameters", to: parameters))
                    .json
                let url = begun?["authorization_url"]?.string ?? ""
                let state = String(url.firstMatch(of: /[?&]state=([^&]*)/)?.output.1 ?? "")
                let response = try await server.exchange(
                    Bodies.exchange(
                        "yahoo.com",
                        [
                            "type": "callback", "session": .string(begun?["session"]?.string ?? ""),
                            "callback_url": .string("com.example.app:/yahoo?error=login_required&state=" + state),
                        ]))
                try expectRefusal(response, "login_required")
                #expect(response.text.contains("prompt=none") == isSilent, "\(response.text)")

                var browser = TestBrowser(server)
                let prompt = parameters["prompt"]?.string ?? ""
                let asked = ["provider": "asking.example", "prompt": prompt]
                let left = try await browser.get(BrowserRequest.path(asked)).location ?? ""
                let flow = String(left.firstMatch(of: /[?&]state=([^&]*)/)?.output.1 ?? "")
                let told = try await browser.get("/callback/asking.example?error=login_required&state=" + flow)
                #expect(told.told["error"] == "login_required")
                #expect(told.told["error_description"]?.contains("prompt=none") == isSilent)
            }
        }
    }
}
