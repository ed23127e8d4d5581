import Flows
import Jansson
import Standards
import Stores
import Support
import Testing
import Transport

/// With `prompt=none` no page is shown (OpenID Connect Core §3.1.2.1): the application receives an error instead.
@Suite("Requests with prompt=none", .serialized, .timeLimit(.minutes(5)))
struct SilentTests {
    private static let scheme = "com.example.app:/oauth"
    private static let loopback = "http://127.0.0.1:51004/callback"

    private static func silent(_ changes: [String: String?]) -> [String: String?] {
        changes.merging(["prompt": "none"]) { first, _ in first }
    }

    /// Goes through a provider that knows `prompt=none`, and returns the callback.
    ///
    /// The stand-in is Yahoo's, which does not know it.
    private static func callback(_ browser: inout TestBrowser) async throws -> String {
        let left = try await browser.get(BrowserRequest.path(silent(["provider": "asking.example"])))
        #expect(left.told["prompt"] == "none", "\(left.location ?? left.text)")
        return try await consent(at: left, &browser)
    }

    private static func consent(at left: OutboundResponse, _ browser: inout TestBrowser) async throws -> String {
        try await browser.consent(at: (left.location ?? "").replacing("&prompt=none", with: ""))
    }

    private static func push(_ server: TestServer, _ changes: [String: String?]) async throws -> String {
        let pushed = try await server.form("/par", BrowserRequest.parameters.changing(silent(changes)))
        return LinkFlowTests.path(pushed)
    }

    @Test(
        "Where the page before the provider would stand, the application receives an error, pushed or not",
        arguments: [
            (["provider": nil], "account_selection_required"),
            (["redirect_uri": scheme], "interaction_required"),
            (["redirect_uri": scheme, "provider": nil], "account_selection_required"),
            (["redirect_uri": loopback], "interaction_required"),
            (["redirect_uri": loopback, "provider": nil], "account_selection_required"),
            // These providers would show a page, because they do not know `prompt` or its value.
            ([:], "login_required"),
            (["provider": "twitter.com"], "login_required"),
            (["provider": "twitter.com", "flow": "oauth1"], "login_required"),
            (["prompt": "none login"], "invalid_request"), (["prompt": " none"], "invalid_request"),
        ] as [([String: String?], String)])
    func beforeProvider(_ changes: [String: String?], _ error: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let redirectURI = (changes["redirect_uri"] ?? nil) ?? BrowserRequest.redirectURI
            expectTold(
                try await browser.get(BrowserRequest.path(Self.silent(changes))), error, redirectURI: redirectURI)
            guard error != "invalid_request" else { return }
            let pushed = try await Self.push(server, changes)
            expectTold(try await browser.get(pushed), error, redirectURI: redirectURI)
            #expect(browser.cookies.isEmpty)
            #expect(try await server.standIns.calls() == 0)
        }
    }

    @Test("The error has the response mode of the request", arguments: ["form_post", "web_message"])
    func modes(mode: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(
                BrowserRequest.path(Self.silent(["response_mode": mode, "provider": nil])))
            #expect(page.text.contains("value=\"account_selection_required\""))
            expectProtectedPage(page)
        }
    }

    @Test("A sign-in that needs no page succeeds")
    func success() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let finished = try await browser.get(try await Self.callback(&browser))
            expectToken(
                try await server.redeem(finished.told["code"] ?? ""),
                uid: "asking.example:ALICEWJNWVNQD4GXZ5NGMZUST4")
        }
    }

    @Test("An invalid client or redirect URI still leads to a page, since there is no application to tell")
    func untrusted() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for (changes, heading) in [
                (["client_id": "nobody"], "This application is not known here"),
                (["redirect_uri": "https://evil.example/cb"], "This sign-in cannot continue"),
            ] {
                try expectProblem(try await browser.get(BrowserRequest.path(Self.silent(changes))), heading)
            }
        }
    }

    @Test("A flow with an intent needs its page", arguments: ["link", "reauthenticate"])
    func intent(_ intent: String) async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            var browser = TestBrowser(server)
            let pushed = try await LinkFlowTests.push(
                alice, ["intent": intent, "prompt": "none", "provider": "yahoo.com"])
            expectTold(try await browser.get(LinkFlowTests.path(pushed)), "interaction_required")
            // The page of a flow of `/v1/signin` tells the application as the provider would.
            let body = Bodies.signIn.setting("intent", to: .string(intent))
                .setting("parameters", to: ["prompt": "none"])
            let begun = try await alice.post("/v1/signin", body)
            let told = try await browser.get(begun.json?["authorization_url"]?.string ?? "")
            #expect(told.status == 303 && told.told["error"] == "interaction_required", "\(told.text)")
            #expect(told.location?.hasPrefix("com.example.app:/yahoo?") == true && browser.cookies.isEmpty)
            let proof = Bodies.exchange(
                "yahoo.com",
                [
                    "type": "callback", "session": .string(begun.json?["session"]?.string ?? ""),
                    "callback_url": .string(told.location ?? ""),
                ])
            let answer = intent == "link" ? try await alice.link(proof) : try await alice.reauthenticate(proof)
            try expectRefusal(answer, "interaction_required")
        }
    }

    @Test("A conflict is not settled on a page, and its reason is not told")
    func conflict() async throws {
        let plan = Plan.with {
            $0.emails = .oneAccountEach
            $0.rules.settlesConflicts = true
        }
        try await TestServer.open(plan) { server in
            _ = try await server.atX("alice")
            var browser = TestBrowser(server)
            expectTold(try await browser.get(try await Self.callback(&browser)), "interaction_required")
        }
    }

    @Test(
        "Errors that a page shows are sent to the application: an expired or used request, a late or foreign callback")
    func problems() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let pushed = try await Self.push(server, ["provider": "asking.example"])
            let first = try await Self.consent(at: try await browser.get(pushed), &browser)
            let second = try await Self.consent(at: try await browser.get(pushed), &browser)
            #expect(try await browser.get(first).told["code"] != nil)
            expectTold(try await browser.get(second), "interaction_required")
            let late = try await Self.push(server, ["provider": "asking.example"])
            server.clock.advance(by: .seconds(90))
            expectTold(try await browser.get(late), "interaction_required")
            // A callback at the path of another provider, then a second use, then a late one.
            let callback = try await Self.callback(&browser)
            let foreign = callback.replacing("/callback/asking.example", with: "/callback/twitter.com")
            let told = try await browser.get(foreign)
            expectTold(told, "interaction_required")
            #expect(
                told.told["error_description"]
                    == "The callback has the path of another provider than this sign-in. Begin again.")
            let before = browser
            #expect(try await browser.get(callback).told["code"] != nil)
            browser = before
            expectTold(try await browser.get(callback), "interaction_required")
            let old = try await Self.callback(&browser)
            server.clock.advance(by: .seconds(600))
            expectTold(try await browser.get(old), "interaction_required")
        }
    }
}
