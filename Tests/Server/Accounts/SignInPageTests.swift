import JOSE
import Jansson
import Sandbox
import Standards
import Support
import Testing
import Transport

/// The page before the provider in flows of `POST /v1/signin` with an intent.
@Suite("The page of a session with an intent", .serialized, .timeLimit(.minutes(5)))
struct SignInPageTests {
    private static func begin(_ person: Person) async throws -> JSON {
        let response = try await person.post("/v1/signin", Bodies.signIn.setting("intent", to: "link"))
        #expect(response.status == 200, "\(response.text)")
        return response.json ?? .null
    }

    private static func callback(_ begun: JSON, _ url: String) -> JSON {
        Bodies.exchange(
            "yahoo.com",
            [
                "type": "callback", "session": .string(begun["session"]?.string ?? ""), "callback_url": .string(url),
            ])
    }

    @Test("It names the application, the account and the provider, and leads on after a press of its button")
    func page() async throws {
        try await TestServer.open { server in
            let bjorn = try await server.atX("bjorn")
            let begun = try await Self.begin(bjorn)
            let url = begun["authorization_url"]?.string ?? ""
            #expect(url.hasPrefix(server.issuer + "/authorize?client_id=my-app&request_uri=urn"))
            #expect(url.utf8.count < 4096 && !url.contains("twitter.com:"))
            var browser = TestBrowser(server)
            let page = try await browser.get(url)
            expectPage(page)
            #expect(page.status == 200 && page.heading == "Add another way to sign in to My App")
            #expect(page.text.contains("From now on you can also sign in with your"))
            #expect(page.text.contains("It will sign in to this account of"))
            #expect(page.text.contains("this account is yours"))
            #expect(page.buttons("provider") == ["yahoo.com", ""])
            #expect(try await server.standIns.calls(of: "yahoo.token") == 0)
            let left = try await browser.post(
                "/authorize", ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"])
            #expect(left.status == 303 && browser.cookies.isEmpty)
            #expect(left.location?.hasPrefix(server.standIns.addresses.yahoo + "/oauth2/request_auth?") ?? false)
            let back = try await browser.consent(at: left.location ?? "")
            #expect(back.hasPrefix("com.example.app:/yahoo?"))
            #expect(try await bjorn.link(Self.callback(begun, back)).status == 200)
            #expect(try await bjorn.providers() == ["twitter.com", "yahoo.com"])
        }
    }

    @Test("A guest account is called one, with the end of its uid")
    func guest() async throws {
        try await TestServer.open { server in
            let guest = try await server.anonymous()
            var browser = TestBrowser(server)
            let page = try await browser.get(try await Self.begin(guest)["authorization_url"]?.string ?? "")
            #expect(page.text.contains("Guest account, ending in"))
            #expect(page.text.contains(">\(guest.uid.suffix(6))<"))
            #expect(!page.text.contains(guest.uid))
        }
    }

    @Test("It changes its language, and a button that is pressed after another one links to the application")
    func languageAndWayBack() async throws {
        try await TestServer.open { server in
            let begun = try await Self.begin(try await server.atX("bjorn"))
            let url = begun["authorization_url"]?.string ?? ""
            var browser = TestBrowser(server)
            let page = try await browser.get(url)
            let german = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "language": "de"])
            #expect(german.heading == "Weitere Anmeldemöglichkeit für My App hinzufügen")
            #expect(german.hiddenFlow == page.hiddenFlow)
            _ = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"])
            let other = try await browser.get(url)
            let again = try await browser.post(
                "/authorize", ["flow": other.hiddenFlow ?? "", "provider": "yahoo.com"])
            let link = try #require(again.text.firstMatch(of: /href="(com.example.app:[^"]*)"/)).output.1
            #expect(link.hasPrefix("com.example.app:/yahoo?error=access_denied&amp;state="))
            // The session accepts it as the provider's response of a person who refused.
            let callback = Self.callback(begun, String(link).replacing("&amp;", with: "&"))
            let exchanged = try await server.atX("bjorn").link(callback)
            #expect(exchanged.reason == "access_denied", "\(exchanged.text)")
        }
    }

    @Test("It is opened as often as previews, scanners and reloads like, within ten minutes, and fetched ahead never")
    func once() async throws {
        try await TestServer.open { server in
            let bjorn = try await server.atX("bjorn")
            let url = try await Self.begin(bjorn)["authorization_url"]?.string ?? ""
            var browser = TestBrowser(server)
            try expectProblem(
                try await browser.get(url, header: [HeaderField("Sec-Purpose", "prefetch")]),
                "This sign-in has ended")
            var other = TestBrowser(server)
            for agent in ["TelegramBot (like TwitterBot)", "Mozilla/5.0"] {
                #expect(try await other.get(url, header: [HeaderField("User-Agent", agent)]).status == 200)
            }
            for _ in 0..<2 { #expect(try await browser.get(url).status == 200) }
            let late = try await Self.begin(bjorn)["authorization_url"]?.string ?? ""
            let page = try await browser.get(try await Self.begin(bjorn)["authorization_url"]?.string ?? "")
            server.clock.advance(by: .seconds(600))
            try expectProblem(try await browser.get(late), "This sign-in has ended")
            try expectProblem(
                try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"]),
                "This sign-in has ended")
        }
    }

    @Test("One button is pressed once, whether it continues or cancels", arguments: ["yahoo.com", ""])
    func pressedOnce(choice: String) async throws {
        try await TestServer.open { server in
            let begun = try await Self.begin(try await server.atX("bjorn"))
            let url = begun["authorization_url"]?.string ?? ""
            var (browser, other) = (TestBrowser(server), TestBrowser(server))
            let (page, copy) = (try await browser.get(url), try await other.get(url))
            var keeping = browser
            let fields = ["flow": page.hiddenFlow ?? "", "provider": choice]
            #expect(try await browser.post("/authorize", fields).status == 303)
            for button in ["yahoo.com", ""] {
                try expectProblem(
                    try await keeping.post("/authorize", fields.changing(["provider": button])),
                    "This sign-in has ended")
                try expectProblem(
                    try await other.post("/authorize", ["flow": copy.hiddenFlow ?? "", "provider": button]),
                    "This sign-in has ended")
            }
        }
    }

    @Test("Its button works in the browser that opened it, from our own page, and for its provider")
    func button() async throws {
        try await TestServer.open { server in
            let bjorn = try await server.atX("bjorn")
            var browser = TestBrowser(server)
            let page = try await browser.get(try await Self.begin(bjorn)["authorization_url"]?.string ?? "")
            let fields = ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"]
            var other = TestBrowser(server)
            try expectProblem(try await other.post("/authorize", fields), "This sign-in has ended")
            try expectProblem(
                try await browser.post("/authorize", fields, header: [HeaderField("Sec-Fetch-Site", "cross-site")]),
                "This link is damaged")
            try expectProblem(
                try await browser.post("/authorize", fields.changing(["provider": "twitter.com"])),
                "This link is damaged")
            #expect(try await browser.post("/authorize", fields).status == 303)
        }
    }

    @Test(
        "Cancel redirects as the provider would, and the session reports the refusal",
        arguments: ["oauth2", "oauth1"])
    func cancel(flow: String) async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let body: JSON = [
                "client_id": "my-app", "provider": "twitter.com", "redirect_uri": "com.example.app:/x",
                "flow": .string(flow), "intent": "link",
            ]
            let begun = try await alice.post("/v1/signin", body).json ?? .null
            var browser = TestBrowser(server)
            let page = try await browser.get(begun["authorization_url"]?.string ?? "")
            let back = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": ""])
            #expect(back.status == 303 && browser.cookies.isEmpty)
            #expect(back.location?.hasPrefix("com.example.app:/x?") ?? false)
            let response = try await alice.link(
                Bodies.exchange(
                    "twitter.com",
                    [
                        "type": "callback", "session": .string(begun["session"]?.string ?? ""),
                        "callback_url": .string(back.location ?? ""),
                    ]))
            try expectRefusal(response, "access_denied")
        }
    }

    @Test("A page of one client is refused for another, and leads only to configured addresses")
    func client() async throws {
        try await TestServer.open { server in
            let bjorn = try await server.atX("bjorn")
            let url = try await Self.begin(bjorn)["authorization_url"]?.string ?? ""
            var browser = TestBrowser(server)
            try expectProblem(
                try await browser.get(url.replacing("client_id=my-app", with: "client_id=x-only")),
                "This sign-in has ended")
            // Even the holder of the seal key makes no page that leads anywhere else.
            let seal = Seal(keys: [try #require(SealKey(ServerParts.sealKey))])
            let forged = try seal.seal(
                [
                    "id": "forged", "exp": .integer(server.clock.now.seconds + 60), "client_id": "my-app",
                    "provider": "yahoo.com", "redirect_uri": "https://evil.example/", "flow": "oidc",
                    "intent": "link", "account": ["guest": true, "uid_end": "abcdef"], "query": "x=y",
                    "refusal": "error=access_denied",
                ], as: .confirmation, for: "my-app")
            let path =
                "/authorize?"
                + Form.encoded([
                    "client_id": "my-app", "request_uri": "urn:ietf:params:oauth:request_uri:" + forged,
                ])
            try expectProblem(try await browser.get(path), "This sign-in cannot continue")
        }
    }
}
