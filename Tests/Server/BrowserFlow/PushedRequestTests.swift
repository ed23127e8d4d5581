import Flows
import Jansson
import SQLiteStores
import Sandbox
import Standards
import Stores
import Support
import Testing
import Transport

/// Links that previews, scanners and reloads open before or after their person (RFC 9126 §4).
@Suite("Pushed requests that are opened several times", .serialized, .timeLimit(.minutes(5)))
struct PushedRequestTests {
    private static let ended = "This sign-in has ended"

    private static func push(_ server: TestServer, _ changes: [String: String?] = [:]) async throws -> String {
        LinkFlowTests.path(try await server.form("/par", BrowserRequest.parameters.changing(changes)))
    }

    @Test("A preview opens the link, and the person still signs in")
    func preview() async throws {
        try await TestServer.open { server in
            let path = try await Self.push(server)
            var bot = TestBrowser(server)
            for agent in ["TelegramBot (like TwitterBot)", "Slackbot-LinkExpanding 1.0", "Mozilla/5.0"] {
                #expect(try await bot.get(path, header: [HeaderField("User-Agent", agent)]).status == 303)
            }
            var person = TestBrowser(server)
            let callback = try await person.consent(at: try await person.get(path).location ?? "")
            expectToken(try await server.redeem(try await person.get(callback).told["code"] ?? ""))
        }
    }

    @Test("Each reload of the page with the providers is a page of its own, and each button works")
    func reload() async throws {
        try await TestServer.open { server in
            let path = try await Self.push(server, ["provider": nil])
            var browser = TestBrowser(server)
            let first = try await browser.get(path)
            let second = try await browser.get(path)
            #expect(first.status == 200 && second.status == 200)
            #expect(first.hiddenFlow != second.hiddenFlow)
            for page in [first, second] {
                let left = try await browser.post(
                    "/authorize", ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"])
                #expect(left.status == 303)
            }
        }
    }

    @Test("Of two openings whose callbacks both succeed the first one counts", arguments: [false, true])
    func twice(isCrossed: Bool) async throws {
        try await TestServer.open { server in
            let path = try await Self.push(server)
            var browsers = [TestBrowser(server), TestBrowser(server)]
            var callbacks: [String] = []
            for index in browsers.indices {
                let url = try await browsers[index].get(path).location ?? ""
                callbacks.append(try await browsers[index].consent(at: url, as: index == 0 ? "alice" : "bjorn"))
            }
            let (first, second) = isCrossed ? (1, 0) : (0, 1)
            let code = try await browsers[first].get(callbacks[first]).told["code"] ?? ""
            let late = try await browsers[second].get(callbacks[second])
            try expectProblem(late, Self.ended)
            #expect(late.location == nil && browsers[second].cookies.isEmpty)
            #expect(server.log.text.contains("replayed"))
            expectToken(
                try await server.redeem(code),
                uid: isCrossed ? "yahoo.com:BJORNWJNWVNQD4GXZ5NGMZUST4" : "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4")
        }
    }

    @Test("Of ten openings whose callbacks arrive at the same time one succeeds")
    func race() async throws {
        try await TestServer.open { server in
            let path = try await Self.push(server)
            var ready: [(browser: TestBrowser, callback: String)] = []
            for _ in 0..<10 {
                var browser = TestBrowser(server)
                let callback = try await browser.consent(at: try await browser.get(path).location ?? "")
                ready.append((browser, callback))
            }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { [ready] group in
                for (browser, callback) in ready {
                    group.addTask {
                        var browser = browser
                        return try await browser.get(callback).status
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [303: 1, 400: 9])
        }
    }

    @Test(
        "A refusal at the provider, a failure there, and a cancel end only their own flow",
        arguments: ["deny", "fail", "cancel"])
    func failure(_ way: String) async throws {
        try await TestServer.open { server in
            let path = try await Self.push(server, way == "cancel" ? ["provider": nil] : [:])
            var (browser, other) = (TestBrowser(server), TestBrowser(server))
            let opened = try await other.get(path)
            let start = try await browser.get(path)
            switch way {
            case "deny":
                let callback = try await browser.consent(at: start.location ?? "", decision: "deny")
                expectTold(try await browser.get(callback), "access_denied")
            case "fail":
                let callback = try await browser.consent(at: start.location ?? "")
                try await server.standIns.spoilNextIDToken(["set": ["nonce": "another"]])
                expectTold(try await browser.get(callback), "server_error")
            default:
                let cancel = ["flow": start.hiddenFlow ?? "", "provider": ""]
                expectTold(try await browser.post("/authorize", cancel), "access_denied")
            }
            var url = opened.location ?? ""
            if way == "cancel" {
                let choice = ["flow": opened.hiddenFlow ?? "", "provider": "yahoo.com"]
                url = try await other.post("/authorize", choice).location ?? ""
            }
            #expect(try await other.get(try await other.consent(at: url)).told["code"] != nil)
        }
    }

    @Test("A conflict that is settled at a second provider ends the request only once")
    func conflict() async throws {
        let plan = Plan.with {
            $0.emails = .oneAccountEach
            $0.rules.settlesConflicts = true
        }
        try await TestServer.open(plan) { server in
            _ = try await server.atX("alice")
            let path = try await Self.push(server)
            var (browser, other) = (TestBrowser(server), TestBrowser(server))
            let late = try await other.consent(at: try await other.get(path).location ?? "")
            let page = try await browser.get(try await browser.consent(at: try await browser.get(path).location ?? ""))
            #expect(page.status == 200)
            let left = try await browser.post(
                "/authorize", ["flow": page.hiddenFlow ?? "", "provider": "twitter.com"])
            let callback = try await browser.consent(at: left.location ?? "")
            #expect(try await browser.get(callback).told["code"] != nil)
            try expectProblem(try await other.get(late), Self.ended)
        }
    }

    @Test("With an intent the first button ends it, also if it cancels", arguments: ["link", "reauthenticate"])
    func intent(_ intent: String) async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            for choice in ["yahoo.com", ""] {
                let path = LinkFlowTests.path(
                    try await LinkFlowTests.push(alice, ["intent": intent, "provider": "yahoo.com"]))
                var (browser, other) = (TestBrowser(server), TestBrowser(server))
                let page = try await browser.get(path)
                let copy = try await other.get(path)
                #expect(page.status == 200 && copy.status == 200)
                var keeping = browser
                let fields = ["flow": page.hiddenFlow ?? "", "provider": choice]
                let left = try await browser.post("/authorize", fields)
                #expect(left.status == 303)
                for button in ["yahoo.com", ""] {
                    try expectProblem(
                        try await keeping.post("/authorize", fields.changing(["provider": button])), Self.ended)
                    try expectProblem(
                        try await other.post("/authorize", ["flow": copy.hiddenFlow ?? "", "provider": button]),
                        Self.ended)
                }
                guard !choice.isEmpty else { continue }
                let callback = try await browser.consent(at: left.location ?? "")
                #expect(try await browser.get(callback).told["code"] != nil)
            }
        }
    }

    @Test(
        "What a browser fetches ahead gets neither a cookie nor a redirect, and HEAD is refused",
        arguments: [
            ("Sec-Purpose", "prefetch;prerender"), ("Purpose", "prefetch"), ("X-Purpose", "preview"),
            ("X-Moz", "prefetch"),
        ])
    func ahead(name: String, value: String) async throws {
        try await TestServer.open { server in
            let path = try await Self.push(server)
            var browser = TestBrowser(server)
            let fetched = try await browser.get(path, header: [HeaderField(name, value)])
            try expectProblem(fetched, Self.ended)
            #expect(fetched.setCookies.isEmpty)
            #expect(server.log.text.contains("the browser fetches this page ahead, without the person"))
            let callback = try await browser.consent(at: try await browser.get(path).location ?? "")
            try expectProblem(try await browser.get(callback, header: [HeaderField(name, value)]), Self.ended)
            #expect(try await browser.get(callback).told["code"] != nil)
        }
    }
}
