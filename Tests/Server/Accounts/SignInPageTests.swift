import JOSE
import Jansson
import OAuth
import Sandbox
import Sealing
import Testing
import Transport

/// The page before the provider that `POST /v1/signin` answers with an intent.
@Suite("The page of a session with an intent", .serialized, .timeLimit(.minutes(5)))
struct SignInPageTests {
    private static func begin(_ person: Person, _ intent: String = "link") async throws -> JSON {
        let answer = try await person.post("/v1/signin", Bodies.signIn.setting("intent", to: .string(intent)))
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json ?? .null
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
        try await Street.open { street in
            let bjorn = try await street.atX("bjorn")
            let begun = try await Self.begin(bjorn)
            let url = begun["authorization_url"]?.string ?? ""
            #expect(url.hasPrefix(street.issuer + "/authorize?client_id=my-app&request_uri=urn"))
            #expect(url.utf8.count < 4096 && !url.contains("twitter.com:"))
            var visitor = Visitor(street)
            let page = try await visitor.get(url)
            expectPage(page)
            #expect(page.status == 200 && page.heading == "Add another way to sign in to My App")
            #expect(page.text.contains("From now on you can also sign in with your"))
            #expect(page.text.contains("It will sign in to this account of"))
            #expect(page.text.contains("this account is yours"))
            #expect(page.buttons("provider") == ["yahoo.com", ""])
            #expect(try await street.standIns.calls(of: "yahoo.token") == 0)
            let left = try await visitor.post(
                "/authorize", ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"])
            #expect(left.status == 303 && visitor.cookies.isEmpty)
            #expect(left.location?.hasPrefix(street.standIns.addresses.yahoo + "/oauth2/request_auth?") ?? false)
            let back = try await visitor.consent(at: left.location ?? "")
            #expect(back.hasPrefix("com.example.app:/yahoo?"))
            #expect(try await bjorn.link(Self.callback(begun, back)).status == 200)
            #expect(try await bjorn.providers() == ["twitter.com", "yahoo.com"])
        }
    }

    @Test("A guest account is called one, with the end of its uid")
    func guest() async throws {
        try await Street.open { street in
            let guest = try await street.anonymous()
            var visitor = Visitor(street)
            let page = try await visitor.get(try await Self.begin(guest)["authorization_url"]?.string ?? "")
            #expect(page.text.contains("Guest account, ending in"))
            #expect(page.text.contains(">\(guest.uid.suffix(6))<"))
            #expect(!page.text.contains(guest.uid))
        }
    }

    @Test("It is opened once, within ten minutes, and fetched ahead never")
    func once() async throws {
        try await Street.open { street in
            let bjorn = try await street.atX("bjorn")
            let url = try await Self.begin(bjorn)["authorization_url"]?.string ?? ""
            var visitor = Visitor(street)
            try expectProblem(
                try await visitor.get(url, header: [HeaderField("Sec-Purpose", "prefetch")]),
                "This sign-in has ended")
            #expect(try await visitor.get(url).status == 200)
            var other = Visitor(street)
            for _ in 0..<2 { try expectProblem(try await other.get(url), "This sign-in has ended") }
            let late = try await Self.begin(bjorn)["authorization_url"]?.string ?? ""
            let page = try await visitor.get(try await Self.begin(bjorn)["authorization_url"]?.string ?? "")
            street.clock.advance(by: .seconds(600))
            try expectProblem(try await visitor.get(late), "This sign-in has ended")
            try expectProblem(
                try await visitor.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"]),
                "This sign-in has ended")
        }
    }

    @Test("Its button works in the browser that opened it, from our own page, and for its provider")
    func button() async throws {
        try await Street.open { street in
            let bjorn = try await street.atX("bjorn")
            var visitor = Visitor(street)
            let page = try await visitor.get(try await Self.begin(bjorn)["authorization_url"]?.string ?? "")
            let fields = ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"]
            var other = Visitor(street)
            try expectProblem(try await other.post("/authorize", fields), "This sign-in has ended")
            try expectProblem(
                try await visitor.post("/authorize", fields, header: [HeaderField("Sec-Fetch-Site", "cross-site")]),
                "This link is damaged")
            try expectProblem(
                try await visitor.post("/authorize", fields.changing(["provider": "twitter.com"])),
                "This link is damaged")
            #expect(try await visitor.post("/authorize", fields).status == 303)
        }
    }

    @Test(
        "Cancel sends the person back as the provider would, and the session says what happened",
        arguments: ["oauth2", "oauth1"])
    func cancel(flow: String) async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            let body: JSON = [
                "client_id": "my-app", "provider": "twitter.com", "redirect_uri": "com.example.app:/x",
                "flow": .string(flow), "intent": "link",
            ]
            let begun = try await alice.post("/v1/signin", body).json ?? .null
            var visitor = Visitor(street)
            let page = try await visitor.get(begun["authorization_url"]?.string ?? "")
            let back = try await visitor.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": ""])
            #expect(back.status == 303 && visitor.cookies.isEmpty)
            #expect(back.location?.hasPrefix("com.example.app:/x?") ?? false)
            let answer = try await alice.link(
                Bodies.exchange(
                    "twitter.com",
                    [
                        "type": "callback", "session": .string(begun["session"]?.string ?? ""),
                        "callback_url": .string(back.location ?? ""),
                    ]))
            try expectRefusal(answer, "access_denied")
        }
    }

    @Test("What was begun for one client is no other's, and a page of ours leads to configured places only")
    func client() async throws {
        try await Street.open { street in
            let bjorn = try await street.atX("bjorn")
            let url = try await Self.begin(bjorn)["authorization_url"]?.string ?? ""
            var visitor = Visitor(street)
            try expectProblem(
                try await visitor.get(url.replacing("client_id=my-app", with: "client_id=x-only")),
                "This sign-in has ended")
            // Even the holder of the seal key makes no page that leads anywhere else.
            let seal = Seal(keys: [try #require(SealKey(House.sealKey))])
            let forged = try seal.seal(
                [
                    "id": "forged", "exp": .integer(street.clock.now.seconds + 60), "client_id": "my-app",
                    "provider": "yahoo.com", "redirect_uri": "https://evil.example/", "flow": "oidc",
                    "intent": "link", "account": ["guest": true, "uid_end": "abcdef"], "query": "x=y",
                    "refusal": "error=access_denied",
                ], as: .signInPage, for: "my-app")
            let path =
                "/authorize?"
                + Form.encoded([
                    "client_id": "my-app", "request_uri": "urn:ietf:params:oauth:request_uri:" + forged,
                ])
            try expectProblem(try await visitor.get(path), "This sign-in cannot continue")
        }
    }
}
