import Jansson
import Sandbox
import Standards
import Testing
import Transport

@Suite("OAuth 1.0a in a browser", .serialized, .timeLimit(.minutes(5)))
struct OAuth1FlowTests {
    private static let changes = ["provider": "twitter.com", "flow": "oauth1"]

    @Test("flow=oauth1 uses a request token whose callback belongs to this server")
    func success() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let left = try await browser.get(BrowserRequest.path(Self.changes))
            #expect(left.location?.hasPrefix(server.standIns.addresses.x + "/oauth/authenticate?oauth_token=") ?? false)
            let callback = try await browser.consent(at: left.location ?? "")
            #expect(callback.hasPrefix("https://auth.example.com/callback/twitter.com?"))
            let finished = try await browser.get(callback)
            #expect(finished.told["state"] == BrowserRequest.state)
            let token = try await server.redeem(finished.told["code"] ?? "")
            expectToken(token, uid: "twitter.com:2244994945")
            #expect(token.json?["profile"]?["screen_name"] == "alice_example")
            #expect(token.json?["token_type"] == "Bearer")
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("CB-08: denied= is access_denied for the application, and ends the flow")
    func denied() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback(Self.changes, decision: "deny")
            #expect(callback.contains("?denied="))
            expectTold(try await browser.get(callback), "access_denied")
            #expect(try await server.tokenRequests() == 0)
            try expectProblem(try await browser.get(callback), "This sign-in has ended")
        }
    }

    @Test("CB-03: a response in another browser is refused, and the flow stays usable")
    func otherBrowser() async throws {
        try await TestServer.open { server in
            var victim = TestBrowser(server)
            let callback = try await victim.callback(Self.changes)
            var attacker = TestBrowser(server)
            _ = try await attacker.get(BrowserRequest.path(Self.changes))
            try expectProblem(try await attacker.get(callback), "This sign-in has ended")
            #expect(try await server.tokenRequests() == 0)
            #expect(try await victim.get(callback).told["code"] != nil)
        }
    }

    @Test("CB-04: a response can be used once")
    func again() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback(Self.changes)
            var reloading = browser
            #expect(try await browser.get(callback).status == 303)
            try expectProblem(try await reloading.get(callback), "This sign-in has ended")
            #expect(try await server.tokenRequests() == 1)
        }
    }

    @Test("A response without a verifier is refused, and the flow stays usable")
    func noVerifier() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback(Self.changes)
            for spoiled in [
                callback.replacing(/&oauth_verifier=[^&]*/, with: ""),
                callback.replacing(/oauth_verifier=[^&]*/, with: "oauth_verifier="),
                callback + "&access_token=t", callback.replacing(/oauth_token=[^&]*/, with: "x=1"),
            ] {
                let response = try await browser.get(spoiled)
                #expect(response.status == 400 && response.location == nil)
            }
            #expect(try await server.tokenRequests() == 0)
            #expect(try await browser.get(callback).told["code"] != nil)
        }
    }

    @Test("If X does not know the verifier, the application receives the error")
    func wrongVerifier() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback(Self.changes)
            let spoiled = callback.replacing(/oauth_verifier=[^&]*/, with: "oauth_verifier=wrong")
            expectTold(try await browser.get(spoiled), "server_error")
        }
    }

    @Test("If X issues no request token, the application receives the error immediately")
    func noRequestToken() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            try await server.standIns.fault("x.request_token", ["status": 503])
            expectTold(try await browser.get(BrowserRequest.path(Self.changes)), "temporarily_unavailable")
            #expect(browser.cookies.isEmpty)
            expectTold(
                try await browser.get(BrowserRequest.path(Self.changes.merging(["scope": "x"]) { $1 })), "invalid_scope"
            )
        }
    }
}
