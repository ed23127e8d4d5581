import Jansson
import Testing

@Suite("Refusals that name a parameter", .serialized, .timeLimit(.minutes(5)))
struct NamedParameterTests {
    @Test("A refusal names the parameter, unless the name is longer than 64 characters or not visible ASCII")
    func names() async throws {
        let longest = String(repeating: "a", count: 64)
        try await Street.open { street in
            for (name, reason) in [
                ("colour", "parameter_not_allowed"), ("state", "reserved_parameter"),
                ("oauth_token", "reserved_parameter"), (longest, "parameter_not_allowed"),
            ] {
                let answer = try await street.post("/v1/signin", Bodies.signIn.setting("parameters", to: [name: "x"]))
                try expectRefusal(answer, reason)
                #expect(answer.json?["parameter"]?.string == name)
            }
            for name in [longest + "a", "a b", "caf\u{E9}", "\u{212A}", "\u{202E}a", "a\u{7F}"] {
                let answer = try await street.post("/v1/signin", Bodies.signIn.setting("parameters", to: [name: "x"]))
                #expect(answer.reason == "parameter_not_allowed")
                #expect(answer.json?["parameter"] == nil, "\(answer.text)")
                #expect(!answer.text.contains(name))
            }
        }
    }

    @Test("The token endpoint names it, too")
    func tokenEndpoint() async throws {
        try await Street.open { street in
            for name in ["actor_token", "actor_token_type"] {
                let answer = try await street.form("/token", try await street.subjectToken().changing([name: "x"]))
                #expect(answer.reason == "parameter_not_allowed")
                #expect(answer.json?["parameter"]?.string == name)
            }
        }
    }

    @Test("CB-09: a description speaks of prompt=none only if the request had it")
    func silence() async throws {
        try await Street.open { street in
            for (parameters, isSilent): (JSON, Bool) in [(["prompt": "none"], true), (["prompt": "login"], false)] {
                let begun = try await street.post("/v1/signin", Bodies.signIn.setting("parameters", to: parameters))
                    .json
                let url = begun?["authorization_url"]?.string ?? ""
                let state = String(url.firstMatch(of: /[?&]state=([^&]*)/)?.output.1 ?? "")
                let answer = try await street.exchange(
                    Bodies.exchange(
                        "yahoo.com",
                        [
                            "type": "callback", "session": .string(begun?["session"]?.string ?? ""),
                            "callback_url": .string("com.example.app:/yahoo?error=login_required&state=" + state),
                        ]))
                try expectRefusal(answer, "login_required")
                #expect(answer.text.contains("prompt=none") == isSilent, "\(answer.text)")

                var visitor = Visitor(street)
                let prompt = parameters["prompt"]?.string ?? ""
                let left = try await visitor.get(Asking.path(["prompt": prompt])).location ?? ""
                let flow = String(left.firstMatch(of: /[?&]state=([^&]*)/)?.output.1 ?? "")
                let told = try await visitor.get("/callback/yahoo.com?error=login_required&state=" + flow)
                #expect(told.told["error"] == "login_required")
                #expect(told.told["error_description"]?.contains("prompt=none") == isSilent)
            }
        }
    }
}
