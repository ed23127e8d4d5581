import Jansson
import OpenSSL
import Sandbox
import Testing
import Transport

@Suite("Browser flow of the home page")
struct BrowserFlowTests {
    private actor Noted {
        private(set) var statuses: [Int?] = []

        func note(_ status: Int?) {
            statuses.append(status)
        }
    }

    private static func callback(_ begun: HomeVisitor.Begun, _ changes: [String: String?] = [:]) -> String {
        var parameters: [String: String] = [
            "code": "the-code", "state": begun.parameters["state"] ?? "",
            "iss": SandboxClient.encoded(ScriptedServer.url),
        ]
        for (name, value) in changes { parameters[name] = value }
        return "/callback?"
            + parameters.sorted { $0.key < $1.key }.map { $0.key + "=" + $0.value }.joined(separator: "&")
    }

    @Test(
        "The browser is sent to /authorize with PKCE, a state and the provider",
        arguments: [
            ("browser-yahoo", "yahoo.com", nil), ("browser-x", "twitter.com", nil),
            ("browser-x-oauth1", "twitter.com", "oauth1"),
        ] as [(String, String, String?)])
    func begin(scenario: String, provider: String, flow: String?) async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            let begun = try await visitor.begin(scenario)
            #expect(begun.location.hasPrefix(ScriptedServer.url + "/authorize?"))
            #expect(begun.parameters["response_type"] == "code")
            #expect(begun.parameters["client_id"] == "sandbox")
            #expect(begun.parameters["provider"] == provider)
            #expect(begun.parameters["flow"] == flow)
            #expect(begun.parameters["code_challenge_method"] == "S256")
            #expect(begun.parameters["redirect_uri"]?[...].removingPercent == visitor.origin + "/callback")
            #expect(begun.cookie.hasPrefix("sandbox_run="))
        }
    }

    @Test("The code and the verifier are exchanged for a custom token, which is shown decoded")
    func end() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            await visitor.server.answer("/token", HomeVisitor.success)
            let begun = try await visitor.begin("browser-yahoo")
            let reply = try await visitor.get(Self.callback(begun), cookie: begun.cookie)
            #expect(reply.status == 303)
            #expect(reply[field: "location"] == begun.path)
            let form = await visitor.server.requests(at: "/token").first?.form ?? [:]
            #expect(form["grant_type"] == "authorization_code")
            #expect(form["code"] == "the-code")
            #expect(form["client_id"] == "sandbox")
            #expect(form["redirect_uri"] == visitor.origin + "/callback")
            let challenge = IDToken.decode(begun.parameters["code_challenge"] ?? "")
            #expect(challenge == SHA256.hash(Array((form["code_verifier"] ?? "").utf8)))

            let page = try await visitor.get(begun.path).text
            #expect(page.contains("A custom token for Alice &lt;b&gt;Example&lt;/b&gt;"))
            #expect(page.contains("&quot;uid&quot;: &quot;yahoo.com:ALICE&quot;"))
            #expect(page.contains("2023-11-14 22:18:20 UTC"))
            #expect(page.contains(AudienceProofNote.sentence(for: "id_token_aud") ?? "?"))
        }
    }

    @Test(
        "A callback that does not belong to this browser's sign-in is refused, and its code is not redeemed",
        arguments: ["no cookie", "another cookie", "another state", "no state"])
    func foreign(change: String) async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            let begun = try await visitor.begin("browser-yahoo")
            let other = try await visitor.begin("browser-yahoo")
            let cookie: String? =
                switch change {
                case "no cookie": nil
                case "another cookie": other.cookie
                default: begun.cookie
                }
            let changes: [String: String?] =
                switch change {
                case "another state": ["state": other.parameters["state"] ?? ""]
                case "no state": ["state": nil]
                default: [:]
                }
            let reply = try await visitor.get(Self.callback(begun, changes), cookie: cookie)
            #expect(reply.status == 400)
            #expect(reply.text.contains("state_mismatch"))
            #expect(await visitor.server.requests(at: "/token").isEmpty)
        }
    }

    @Test("A person who cancels on the page of the server reads that no one is signed in")
    func cancelled() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            let begun = try await visitor.begin("browser-yahoo")
            let callback = Self.callback(begun, ["code": nil, "error": "access_denied"])
            _ = try await visitor.get(callback, cookie: begun.cookie)
            let page = try await visitor.get(begun.path).text
            #expect(page.contains("<h2 id=\"head\">No one is signed in</h2>"))
            #expect(page.contains("<p>The user refused, so no one is signed in.</p>"))
            #expect(await visitor.server.requests(at: "/token").isEmpty)
        }
    }

    @Test("A callback is accepted once")
    func twice() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            await visitor.server.answer("/token", HomeVisitor.success)
            let begun = try await visitor.begin("browser-yahoo")
            _ = try await visitor.get(Self.callback(begun), cookie: begun.cookie)
            #expect(try await visitor.get(Self.callback(begun), cookie: begun.cookie).status == 400)
            #expect(await visitor.server.requests(at: "/token").count == 1)
        }
    }

    @Test("One of two parallel callbacks is accepted")
    func atOnce() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            await visitor.server.answer("/token", HomeVisitor.success)
            let begun = try await visitor.begin("browser-yahoo")
            let second = Noted()
            await visitor.server.before("/token") {
                await second.note(try? await visitor.get(Self.callback(begun), cookie: begun.cookie).status)
            }
            _ = try await visitor.get(Self.callback(begun), cookie: begun.cookie)
            #expect(await second.statuses == [400])
            #expect(await visitor.server.requests(at: "/token").count == 1)
        }
    }

    @Test(
        "A code from another issuer, without an issuer, or twice in the URL is not redeemed",
        arguments: [["iss": "http%3A%2F%2Fevil.example"], ["iss": nil], ["x": "1&code=other"]] as [[String: String?]])
    func mixUp(changes: [String: String?]) async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            let begun = try await visitor.begin("browser-yahoo")
            _ = try await visitor.get(Self.callback(begun, changes), cookie: begun.cookie)
            #expect(await visitor.server.requests(at: "/token").isEmpty)
            #expect(try await visitor.get(begun.path).text.contains("The run ended here"))
        }
    }

    @Test("A refusal at the provider is shown, and no code is redeemed")
    func denied() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            let begun = try await visitor.begin("browser-yahoo")
            _ = try await visitor.get(
                Self.callback(begun, ["code": nil, "error": "access_denied"]), cookie: begun.cookie)
            #expect(await visitor.server.requests(at: "/token").isEmpty)
            #expect(try await visitor.get(begun.path).text.contains("error = access_denied"))
        }
    }

    @Test("Metadata of another issuer is not used")
    func issuer() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata(issuer: "http://evil.example")
            let begun = try await visitor.begin("browser-yahoo")
            #expect(begun.location.hasPrefix("/runs/"))
        }
    }

    @Test("An unreachable server is shown as a failed step")
    func unreachable() async throws {
        try await HomeVisitor.visit { visitor in
            let begun = try await visitor.begin("browser-yahoo")
            let page = try await visitor.get(begun.location)
            #expect(page.status == 200)
            #expect(page.text.contains("No server answers at 127.0.0.1."))
            #expect(page.text.contains("scripts/run"))
        }
    }
}
