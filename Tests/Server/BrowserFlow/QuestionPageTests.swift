import Sandbox
import Standards
import Testing
import Transport

/// The page that asks the user before a flow continues at the provider.
@Suite("The question before the provider", .serialized, .timeLimit(.minutes(5)))
struct QuestionPageTests {
    private static let scheme = "com.example.app:/oauth"

    @Test("If any application can claim the redirect URI, the user must press a button first (RFC 8252 §8.6)")
    func claimable() async throws {
        try await TestServer.open { server in
            for (uri, destination) in [
                (Self.scheme, "com.example.app"), ("http://127.0.0.1:51004/callback", "on this device"),
            ] {
                let tokens = try await server.standIns.calls(of: "yahoo.token")
                var browser = TestBrowser(server)
                let page = try await browser.get(BrowserRequest.path(["redirect_uri": uri]))
                #expect(page.status == 200)
                expectPage(page)
                #expect(page.location == nil)
                #expect(page.heading == "Sign in to My App")
                #expect(page.text.contains(destination))
                #expect(page.text.contains("Continue only if you have just started this yourself."))
                #expect(page.buttons("provider") == ["yahoo.com", ""])
                #expect(page.hiddenFlow?.utf8.count == 43)
                #expect(try await server.standIns.calls(of: "yahoo.token") == tokens)
                let left = try await browser.post(
                    "/authorize", ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"])
                #expect(left.status == 303)
                let finished = try await browser.get(try await browser.consent(at: left.location ?? ""))
                #expect(finished.location?.hasPrefix(uri + "?code=") ?? false)
                expectToken(try await server.redeem(finished.told["code"] ?? "", ["redirect_uri": uri]))
            }
        }
    }

    @Test("A second press, of a double click or after the way back, begins again, and either flow can end")
    func secondPress() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["redirect_uri": Self.scheme]))
            let form = ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"]
            let (first, second) = (
                try await browser.post("/authorize", form), try await browser.post("/authorize", form)
            )
            #expect([first.status, second.status] == [303, 303])
            for response in [second, first] {
                let finished = try await browser.get(try await browser.consent(at: response.location ?? ""))
                expectToken(try await server.redeem(finished.told["code"] ?? "", ["redirect_uri": Self.scheme]))
            }
        }
    }

    @Test("With an https redirect URI the page is shown only if no provider is named")
    func choice() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["provider": nil]))
            #expect(page.status == 200)
            expectPage(page)
            #expect(page.text.contains("app.example.com"))
            #expect(!page.text.contains("just started this"))
            #expect(
                page.buttons("provider") == [
                    "asking.example", "dark.example", "gone.example", "twitter.com", "yahoo.com", "",
                ])
            let left = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": "twitter.com"])
            #expect(browser.cookies.count == 1, "The page's own is gone.")
            #expect(left.location?.hasPrefix(server.standIns.addresses.x + "/i/oauth2/authorize?") ?? false)
            let finished = try await browser.get(try await browser.consent(at: left.location ?? ""))
            expectToken(try await server.redeem(finished.told["code"] ?? ""), uid: "twitter.com:2244994945")
        }
    }

    @Test("Only providers that allow the scopes are offered; without one the application receives the error")
    func scopes() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["provider": nil, "scope": "openid mail-r"]))
            #expect(page.buttons("provider") == ["asking.example", "dark.example", "gone.example", "yahoo.com", ""])
            expectTold(
                try await browser.get(BrowserRequest.path(["provider": nil, "scope": "mail-w"])), "invalid_scope")
        }
    }

    @Test("Only providers that support the requested protocol are offered")
    func protocols() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["provider": nil, "flow": "oauth1"]))
            #expect(page.buttons("provider") == ["twitter.com", ""])
        }
    }

    @Test("Only the providers of the client are offered, and no other is accepted")
    func ownProviders() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let changes = ["provider": nil, "client_id": "x-only", "redirect_uri": "https://other.example.com/cb"]
            let page = try await browser.get(BrowserRequest.path(changes))
            #expect(page.buttons("provider") == ["twitter.com", ""])
            let flow = page.hiddenFlow ?? ""
            expectTold(
                try await browser.post("/authorize", ["flow": flow, "provider": "yahoo.com"]), "access_denied",
                redirectURI: "https://other.example.com/cb")
            expectTold(
                try await browser.post("/authorize", ["flow": flow, "provider": "nobody.example"]), "invalid_request",
                redirectURI: "https://other.example.com/cb")
        }
    }

    @Test("A page that offers one provider does not lead to another")
    func otherProvider() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["redirect_uri": Self.scheme]))
            expectTold(
                try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": "twitter.com"]),
                "invalid_request", redirectURI: Self.scheme)
        }
    }

    @Test("Cancel redirects with access_denied, state and iss, and contacts no provider", arguments: ["", nil])
    func cancel(provider: String?) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["redirect_uri": Self.scheme]))
            let fields = ["flow": page.hiddenFlow ?? ""].changing(["provider": provider])
            let reloading = browser
            expectTold(try await browser.post("/authorize", fields), "access_denied", redirectURI: Self.scheme)
            #expect(try await server.standIns.calls() == 0)
            #expect(browser.cookies.isEmpty)
            // The application already has its response.
            browser = reloading
            try expectProblem(try await browser.post("/authorize", fields), "This sign-in has ended")
        }
    }

    @Test("The button works only in the browser that got the page")
    func otherBrowser() async throws {
        try await TestServer.open { server in
            var victim = TestBrowser(server)
            let page = try await victim.get(BrowserRequest.path(["redirect_uri": Self.scheme]))
            let fields = ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"]
            var attacker = TestBrowser(server)
            try expectProblem(try await attacker.post("/authorize", fields), "This sign-in has ended")
            _ = try await attacker.get(BrowserRequest.path(["redirect_uri": Self.scheme]))
            try expectProblem(try await attacker.post("/authorize", fields), "This sign-in has ended")
            for flow in [nil, "", "made-up"] {
                try expectProblem(
                    try await victim.post("/authorize", fields.changing(["flow": flow])), "This sign-in has ended")
            }
            #expect(try await server.standIns.calls() == 0)
            #expect(try await victim.post("/authorize", fields).status == 303)
        }
    }

    @Test("A flow that has left for the provider is no longer valid for the page")
    func left() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let state = try await browser.get(BrowserRequest.path()).told["state"] ?? ""
            try expectProblem(
                try await browser.post("/authorize", ["flow": state, "provider": "twitter.com"]),
                "This sign-in has ended")
        }
    }

    @Test("A flow that has not left is no callback's")
    func notLeft() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["redirect_uri": Self.scheme]))
            try expectProblem(
                try await browser.get("/callback/yahoo.com?code=c&state=" + (page.hiddenFlow ?? "")),
                "This answer belongs to another sign-in")
            #expect(try await server.tokenRequests() == 0)
        }
    }

    @Test("After ten minutes the button has no effect")
    func expiry() async throws {
        for (seconds, isGood) in [(599, true), (600, false)] {
            try await TestServer.open { server in
                var browser = TestBrowser(server)
                let page = try await browser.get(BrowserRequest.path(["redirect_uri": Self.scheme]))
                server.clock.advance(by: .seconds(seconds))
                let response = try await browser.post(
                    "/authorize", ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"])
                if isGood {
                    #expect(response.status == 303)
                } else {
                    try expectProblem(response, "This sign-in has ended")
                }
            }
        }
    }

    @Test(
        "A form that another site sends is not read, if the browser reports it",
        arguments: ["cross-site", "same-site", "none", ""])
    func foreignForm(site: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["redirect_uri": Self.scheme]))
            let fields = ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"]
            if !site.isEmpty {
                try expectProblem(
                    try await browser.post("/authorize", fields, header: [HeaderField("Sec-Fetch-Site", site)]),
                    "This link is damaged")
                try expectProblem(
                    try await browser.post("/device", fields, header: [HeaderField("Sec-Fetch-Site", site)]),
                    "This link is damaged")
            }
            #expect(
                try await browser.post("/authorize", fields, header: [HeaderField("Sec-Fetch-Site", "same-origin")])
                    .status == 303)
        }
    }

    @Test("ST-19: pages cannot be framed, and a posted form is never posted again")
    func frames() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["provider": nil]))
            expectPage(page)
            let left = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"])
            #expect(left.status == 303)
            #expect(page[field: "Access-Control-Allow-Origin"] == nil)
            let foreign = try await browser.get(
                BrowserRequest.path(["provider": nil]), header: [HeaderField("Origin", Registrations.origin)])
            #expect(foreign[field: "Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test("An authorization request is not posted, and is no HEAD")
    func method() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            try expectProblem(try await browser.post("/authorize", BrowserRequest.parameters), "This sign-in has ended")
            #expect(browser.cookies.isEmpty)
            for path in [BrowserRequest.path(), "/device", "/callback/yahoo.com?code=c&state=s"] {
                let head = try await server.raw(
                    TestServer.request("HEAD \(path) HTTP/1.1", header: ["Connection: close"], body: ""))
                #expect(head?.status == 405)
                #expect(head?.setCookies.isEmpty == true)
                let put = try await server.raw(
                    TestServer.request("PUT \(path) HTTP/1.1", header: ["Connection: close"], body: ""))
                try expectProblem(put, "This page cannot be opened like this", status: 405)
            }
        }
    }

    @Test("The page has the language of the user")
    func language() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let path = BrowserRequest.path(["provider": nil, "ui_locales": "bn"])
            #expect(try await browser.get(path)[field: "Content-Language"] == "bn")
            let hindi = try await browser.get(
                BrowserRequest.path(["provider": nil]), header: [HeaderField("Accept-Language", "hi, en;q=0.5")])
            #expect(hindi[field: "Content-Language"] == "hi")
            #expect(hindi.text.contains("lang=\"hi\""))
        }
    }
}
