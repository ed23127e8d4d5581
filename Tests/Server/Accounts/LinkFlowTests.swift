import Jansson
import Standards
import Support
import Testing
import Transport

/// Flows with the intent to link or reauthenticate: valid for one account, one purpose and one browser.
@Suite("Flows with an intent", .serialized, .timeLimit(.minutes(5)))
struct LinkFlowTests {
    /// The body that an application posts after the browser has returned with a code.
    static func handoff(_ code: String) -> JSON {
        [
            "client_id": "my-app",
            "credential": [
                "type": "handoff", "code": .string(code), "redirect_uri": .string(BrowserRequest.redirectURI),
                "code_verifier": .string(BrowserRequest.verifier),
            ],
        ]
    }

    /// Begins the browser flow at `/par`, for that person's account.
    static func push(_ person: Person, _ changes: [String: String?] = ["intent": "link"]) async throws
        -> OutboundResponse
    {
        try await person.server.form(
            "/par", BrowserRequest.parameters.changing(["provider": "twitter.com"]).changing(changes),
            header: [HeaderField("Authorization", "Bearer " + person.idToken)])
    }

    static func path(_ pushed: OutboundResponse) -> String {
        "/authorize?" + Form.encoded(["client_id": "my-app", "request_uri": pushed.json?["request_uri"]?.string ?? ""])
    }

    /// Runs the complete flow in one browser.
    ///
    /// - Returns: The handoff code.
    static func go(_ browser: inout TestBrowser, _ pushed: OutboundResponse, as user: String) async throws -> String {
        let url = try await leave(&browser, pushed)
        return try await browser.get(try await browser.consent(at: url, as: user)).told["code"] ?? ""
    }

    /// Submits the page before the provider, which https redirect URIs have as well.
    ///
    /// - Returns: The URL at which the provider asks the user.
    static func leave(_ browser: inout TestBrowser, _ pushed: OutboundResponse) async throws -> String {
        let page = try await browser.get(path(pushed))
        #expect(page.status == 200 && page.location == nil)
        let choice = page.buttons("provider").first ?? ""
        let left = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": choice])
        return left.location ?? ""
    }

    @Test("LK-09: a flow that was begun to link ends at link, and nothing is linked before")
    func handoff() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            var browser = TestBrowser(server)
            let pushed = try await Self.push(alice)
            #expect(pushed.status == 201, "\(pushed.text)")
            let code = try await Self.go(&browser, pushed, as: "alice")
            #expect(code.utf8.count == 43)
            #expect(try await alice.providers() == ["yahoo.com"], "Nothing is linked at the callback.")
            let response = try await alice.link(Self.handoff(code))
            #expect(response.status == 200, "\(response.text)")
            #expect(try await alice.providers() == ["twitter.com", "yahoo.com"])
            try expectRefusal(try await alice.link(Self.handoff(code)), "replayed")
        }
    }

    @Test("The page before the provider names the purpose of the flow")
    func question() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            for (intent, heading) in [
                ("link", "Add another way to sign in to My App"),
                ("reauthenticate", "Confirm for My App that it is you"),
            ] {
                var browser = TestBrowser(server)
                let pushed = try await Self.push(alice, ["intent": intent, "provider": nil])
                let page = try await browser.get(Self.path(pushed))
                #expect(page.status == 200)
                #expect(page.heading == heading)
            }
        }
    }

    @Test("LK-09: whose account it was begun for, the code links to, and to no other's")
    func otherAccount() async throws {
        try await TestServer.open { server in
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atYahoo("bjorn"))
            var browser = TestBrowser(server)
            let code = try await Self.go(&browser, try await Self.push(alice), as: "carol")
            try expectRefusal(try await bjorn.link(Self.handoff(code)), "user_mismatch")
            #expect(try await bjorn.providers() == ["yahoo.com"])
            #expect(try await alice.link(Self.handoff(code)).status == 200)
        }
    }

    @Test("LK-09: the provider URL of one user's flow does not work in another browser")
    func otherBrowser() async throws {
        try await TestServer.open { server in
            let mallory = try await server.atYahoo("mallory")
            var attacker = TestBrowser(server)
            let url = try await Self.leave(&attacker, try await Self.push(mallory))
            var victim = TestBrowser(server)
            let callback = try await victim.consent(at: url, as: "alice")
            try expectProblem(try await victim.get(callback), "This sign-in has ended")
            #expect(try await server.tokenRequests() == 1, "The provider is asked nothing for it.")
            #expect(try await mallory.providers() == ["yahoo.com"])
        }
    }

    @Test("A code of one purpose is none of another")
    func purposes() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            var browser = TestBrowser(server)
            let toLink = try await Self.go(&browser, try await Self.push(alice), as: "alice")
            let toProve = try await Self.go(
                &browser, try await Self.push(alice, ["intent": "reauthenticate", "provider": "yahoo.com"]), as: "alice"
            )
            let toSignIn = try await browser.signIn()
            for code in [toLink, toProve] { try expectRefusal(try await server.redeem(code), "intent_mismatch") }
            for code in [toProve, toSignIn] {
                try expectRefusal(try await alice.link(Self.handoff(code)), "intent_mismatch")
            }
            for code in [toLink, toSignIn] {
                try expectRefusal(try await alice.reauthenticate(Self.handoff(code)), "intent_mismatch")
            }
            #expect(try await alice.reauthenticate(Self.handoff(toProve)).status == 200)
            #expect(try await alice.link(Self.handoff(toLink)).status == 200)
            expectToken(try await server.redeem(toSignIn))
        }
    }

    @Test("A handoff code needs its redirect URI and its verifier, and dies of five failures")
    func binding() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            var browser = TestBrowser(server)
            let body = Self.handoff(try await Self.go(&browser, try await Self.push(alice), as: "alice"))
            let other = JSON.string(String(repeating: "w", count: 43))
            try expectRefusal(
                try await alice.link(body.setting("credential", "code_verifier", to: other)), "pkce_mismatch")
            try expectRefusal(
                try await alice.link(body.setting("credential", "redirect_uri", to: "com.example.app:/oauth")),
                "code_rejected")
            try expectRefusal(
                try await alice.link(body.setting("client_id", to: "x-only")), "code_rejected")
            for _ in 0..<3 {
                try expectRefusal(
                    try await alice.link(body.setting("credential", "code_verifier", to: other)), "pkce_mismatch")
            }
            try expectRefusal(try await alice.link(body), "code_rejected")
        }
    }

    @Test("An intent needs a bearer at /par, which is not read without an intent")
    func authenticator() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            try expectRefusal(
                try await server.form("/par", BrowserRequest.parameters.changing(["intent": "link"])),
                "id_token_missing")
            // The HTTP library of an application may add it to every request.
            #expect(try await Self.push(alice, [:]).status == 201)
            try expectRefusal(try await Self.push(alice, ["intent": "delete"]), "malformed_body")
            try expectRefusal(
                try await Self.push(try await server.person(TestServer.alice, ["key": "foreign"])), "id_token_invalid")
            try expectRefusal(
                try await Self.push(try await server.person(TestServer.alice, ["issued_seconds_ago": 3700])),
                "id_token_expired")
            try expectRefusal(
                try await Self.push(try await server.person(TestServer.alice, ["tenant_id": "tenant-1"])),
                "id_token_invalid")
            var browser = TestBrowser(server)
            expectTold(try await browser.get(BrowserRequest.path(["intent": "link"])), "invalid_request")
        }
    }
}
