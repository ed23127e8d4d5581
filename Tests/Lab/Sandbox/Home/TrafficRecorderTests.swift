import Jansson
import Sandbox
import Testing
import Transport

/// Tests of the recording of messages to the stand-ins during a run.
@Suite("Recorder of provider traffic")
struct TrafficRecorderTests {
    private static let callback = ScriptedServer.url + "/callback/yahoo.com"

    /// Gives Alice's consent at Yahoo with a cookie of the browser.
    private static func consent(_ visitor: HomeVisitor, cookie: String) async throws -> Reply {
        try await visitor.client.post(
            visitor.client.addresses.yahoo + "/oauth2/request_auth/decision",
            form: visitor.client.authorization(["redirect_uri": callback])
                + [("user", "alice"), ("decision", "allow")],
            header: ["Cookie: \(cookie)"])
    }

    @Test("The callbacks of the server and of the home page are registered at both stand-ins")
    func registration() async throws {
        try await HomeVisitor.visit { visitor in
            let ours = try await visitor.client.control("GET", "/applications")["ours"]
            for provider in ["yahoo.com", "twitter.com"] {
                let uris = ours?[provider]?["redirect_uris"]?.array?.compactMap(\.string) ?? []
                #expect(uris.contains("\(ScriptedServer.url)/callback/\(provider)"))
                #expect(uris.contains(visitor.origin + "/signin-callback/" + provider))
            }
        }
    }

    @Test("Messages of the browser are assigned to a run by its cookie, and messages of the server by the code")
    func browser() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            let begun = try await visitor.begin("browser-yahoo")
            let reply = try await Self.consent(visitor, cookie: begun.cookie)
            let code = reply.locationParameters["code"] ?? ""
            #expect(try await visitor.client.redeem(code, redirectURI: Self.callback).status == 200)
            let page = try await visitor.get(begun.path).text
            #expect(page.contains("The user decides, and the provider sends the browser back"))
            #expect(page.contains("GET \(Self.callback)"))
            #expect(page.contains("code = \(code)"))
            #expect(page.contains("The server redeems the code at the provider"))
            #expect(page.contains("<code>id_token</code>, decoded"))
        }
    }

    @Test("A secret of the server is mentioned but not shown")
    func secrets() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            let begun = try await visitor.begin("browser-yahoo")
            let code = try await Self.consent(visitor, cookie: begun.cookie).locationParameters["code"] ?? ""
            let ours = SandboxApplication.ours.yahoo
            _ = try await visitor.client.post(
                visitor.client.addresses.yahoo + "/oauth2/get_token",
                form: [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.callback)],
                header: [SandboxClient.basic(ours.clientID, ours.clientSecret)])
            let page = try await visitor.get(begun.path).text
            #expect(page.contains("Authorization: Basic (client id and client secret)"))
            #expect(!page.contains(ours.clientSecret))
        }
    }

    @Test("A message that belongs to no run is not recorded")
    func others() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            let begun = try await visitor.begin("browser-yahoo")
            _ = try await Self.consent(visitor, cookie: "other=1")
            _ = try await Self.consent(visitor, cookie: "sandbox_run=unknown")
            #expect(!(try await visitor.get(begun.path).text.contains("The user decides")))

            await visitor.answerNonce()
            await visitor.server.answer("/v1/exchange", HomeVisitor.success)
            let ended = try await visitor.begin("library-yahoo")
            _ = try await Self.consent(visitor, cookie: ended.cookie)
            #expect(!(try await visitor.get(ended.path).text.contains("The user decides")))
        }
    }

    @Test("A replay of the callback has no cookie, and a replay at a stand-in is not recorded as a step")
    func replays() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            await visitor.server.refuse("/callback/yahoo.com", "state_mismatch")
            let begun = try await visitor.begin("browser-yahoo")
            let reply = try await Self.consent(visitor, cookie: begun.cookie)
            _ = try await visitor.client.redeem(
                reply.locationParameters["code"] ?? "", redirectURI: Self.callback)
            for step in 3...5 { _ = try await visitor.press(begun.path + "/steps/\(step)/replay") }
            let sent = await visitor.server.requests(at: "/callback/yahoo.com")
            #expect(sent.map(\.url) == [reply[field: "location"] ?? ""])
            #expect(sent.first?.header.isEmpty == true)
            let page = try await visitor.get(begun.path).text
            #expect(page.contains("reason <code>state_mismatch</code>"))
            #expect(page.contains("The provider itself refuses this."))
            #expect(!page.contains("id=\"step-6\""))
        }
    }

    @Test("The defence is explained even if a page of the server contains no reason")
    func page() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            await visitor.server.answer(
                "/callback/yahoo.com",
                OutboundResponse(
                    status: 400, header: [HeaderField("Content-Type", "text/html")], body: Array("<h1>No</h1>".utf8)))
            let begun = try await visitor.begin("browser-yahoo")
            _ = try await Self.consent(visitor, cookie: begun.cookie)
            _ = try await visitor.press(begun.path + "/steps/4/replay")
            let page = try await visitor.get(begun.path).text
            #expect(page.contains(Defence.sentence(for: "state_mismatch") ?? "?"))
        }
    }

    @Test("A request token of OAuth 1.0a is assigned to the run in which it is used")
    func requestToken() async throws {
        try await HomeVisitor.visit { visitor in
            let token = try await visitor.client.requestToken(callback: visitor.origin + "/signin-callback/twitter.com")
            let url = visitor.client.addresses.x + "/oauth/authenticate?oauth_token=" + token.name
            await visitor.server.answer(
                "/v1/signin", .object(["authorization_url": .string(url), "session": .string("s")]))
            let begun = try await visitor.begin("redirect-x-oauth1")
            let page = try await visitor.get(begun.path).text
            #expect(page.contains("The server asks the provider for a request token"))
            #expect(page.contains("oauth_consumer_key"))
        }
    }
}
