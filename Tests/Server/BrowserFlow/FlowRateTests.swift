import Server
import Standards
import Support
import Testing
import Transport

@Suite("Rates of the browser flow", .serialized, .timeLimit(.minutes(5)))
struct FlowRateTests {
    private static let waiting = "There were too many attempts"

    private static func starts(_ count: Int) -> Plan {
        .limits { $0.startsPerAddress = RateLimit(count: count, period: .seconds(60)) }
    }

    @Test("Too many sign-ins of one address result in a page that says to wait")
    func authorize() async throws {
        try await TestServer.open(Self.starts(2)) { server in
            var browser = TestBrowser(server)
            for _ in 0..<2 { #expect(try await browser.get(BrowserRequest.path()).status == 303) }
            let response = try await browser.get(BrowserRequest.path())
            try expectProblem(response, Self.waiting, status: 429)
            #expect(response[field: "Retry-After"] == "30")
            #expect(browser.cookies.count == 2)
            server.clock.advance(by: .seconds(30))
            #expect(try await browser.get(BrowserRequest.path()).status == 303)
        }
    }

    @Test("A pushed request and a device's are beginnings, too", arguments: ["/par", "/device_authorization"])
    func others(path: String) async throws {
        try await TestServer.open(Self.starts(1)) { server in
            #expect(try await server.form(path, BrowserRequest.parameters).status < 300)
            try expectRefusal(try await server.form(path, BrowserRequest.parameters), "rate_limited", retry: "same")
            var browser = TestBrowser(server)
            try expectProblem(try await browser.get(BrowserRequest.path()), Self.waiting, status: 429)
        }
    }

    private static let oncePerMinute = RateLimit(count: 1, period: .seconds(60))

    @Test(
        "Pages and documents have a budget of their own",
        arguments: [
            "/device", "/callback/yahoo.com?code=c&state=s", "/.well-known/oauth-authorization-server", "/openapi.json",
        ])
    func pages(path: String) async throws {
        try await TestServer.open(.limits { $0.pagesPerAddress = Self.oncePerMinute }) { server in
            #expect(try await server.get(path).status != 429)
            let response = try await server.get(path)
            #expect(response.status == 429)
            #expect(response[field: "Retry-After"] == "60")
            #expect(try await server.post("/v1/nonce", Bodies.nonce).status == 200)
            server.clock.advance(by: .seconds(60))
            #expect(try await server.get(path).status != 429)
        }
    }

    @Test(
        "What no endpoint accepts, preflights and prefetches have the budget of the pages",
        arguments: [
            "GET /nothing", "PUT /v1/exchange", "GET /" + String(repeating: "a", count: 9000),
            "OPTIONS /v1/exchange", "GET /authorize", "GET /callback/yahoo.com", "GET /device",
        ])
    func refusals(line: String) async throws {
        try await TestServer.open(.limits { $0.pagesPerAddress = Self.oncePerMinute }) { server in
            let header = [
                "Origin: https://app.example", "Access-Control-Request-Method: POST", "Sec-Purpose: prefetch",
            ]
            let request = TestServer.request("\(line) HTTP/1.1", header: header, body: "")
            let first = try await server.raw(request)
            #expect(first?.status != 429)
            #expect(try await server.raw(request)?.status == 429)
            #expect(try await server.post("/v1/nonce", Bodies.nonce).status == 200)
            server.clock.advance(by: .seconds(60))
            #expect(try await server.raw(request)?.status != 429)
        }
    }

    @Test(
        "An address is counted before its body has come",
        arguments: ["/token", "/device", "/authorize", "/v1/exchange", "/par"])
    func beforeBody(path: String) async throws {
        let plan = Plan.limits {
            $0.exchangesPerAddress = Self.oncePerMinute
            $0.startsPerAddress = Self.oncePerMinute
            $0.pagesPerAddress = Self.oncePerMinute
            $0.bodyDeadline = .seconds(300)
        }
        try await TestServer.open(plan) { server in
            let type = path.hasPrefix("/v1") ? "application/json" : "application/x-www-form-urlencoded"
            let head = "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Type: \(type)\r\nContent-Length: 9\r\n\r\n"
            try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(head)
                while server.concurrencyLimit.bodies < 1 { try await Task.sleep(for: .milliseconds(2)) }
                #expect(server.concurrencyLimit.inFlight == 0)
                #expect(try await server.raw(head + "code=aaaa")?.status != 200)
                #expect(try await Self.isLimited(server, path))
            }
        }
    }

    private static func isLimited(_ server: TestServer, _ path: String) async throws -> Bool {
        if path.hasPrefix("/v1") { return try await server.post(path, "{}").status == 429 }
        let handoff = "grant_type=authorization_code&client_id=a&code=c&redirect_uri=u&code_verifier=v"
        return try await server.post(path, text: handoff, type: "application/x-www-form-urlencoded").status == 429
    }

    @Test("A client over its rate cannot make /token receive a body that is longer than a device's poll")
    func longBody() async throws {
        let plan = Plan.limits {
            $0.exchangesPerAddress = Self.oncePerMinute
            $0.bodyDeadline = .seconds(300)
        }
        try await TestServer.open(plan) { server in
            let head =
                "POST /token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                + "Content-Length: 1025\r\n\r\n"
            let filler = "code=" + String(repeating: "a", count: 1020)
            #expect(try await server.raw(head + filler)?.status == 400)
            // The body is not sent: a response that waited for it would not arrive.
            try expectRefusal(try await server.raw(head), "rate_limited", retry: "same")
            #expect(server.concurrencyLimit.bodies == 0)
            try expectRefusal(
                try await server.post("/token", text: "a=%", type: "application/x-www-form-urlencoded"),
                "rate_limited", retry: "same")
        }
    }

    @Test("A request that another site makes a browser send does not count against its user")
    func foreignForm() async throws {
        try await TestServer.open(.limits { $0.startsPerAddress = Self.oncePerMinute }) { server in
            var browser = TestBrowser(server)
            for _ in 0..<3 {
                let response = try await browser.post(
                    "/authorize", ["flow": "f"], header: [HeaderField("Sec-Fetch-Site", "cross-site")])
                #expect(response.status != 429)
            }
            #expect(try await browser.get(BrowserRequest.path()).status == 303)
        }
    }

    @Test("RX-02: made-up callbacks ask no provider and write nothing, however many they are")
    func callbacks() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for number in 0..<200 {
                let response = try await browser.get("/callback/yahoo.com?code=\(number)&state=\(number)")
                #expect(response.status == 400)
            }
            #expect(try await server.standIns.calls() == 0)
        }
    }

    @Test("A button that leads to a provider is a beginning, too")
    func buttons() async throws {
        try await TestServer.open(Self.starts(3)) { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(BrowserRequest.path(["provider": nil]))
            let fields = ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"]
            // A second press begins again, and is counted.
            for _ in 0..<2 { #expect(try await browser.post("/authorize", fields).status == 303) }
            try expectProblem(try await browser.post("/authorize", fields), Self.waiting, status: 429)
        }
        try await TestServer.open(Self.starts(3)) { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let page = try await browser.enter(device.userCode)
            let fields = ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"]
            for _ in 0..<2 { #expect(try await browser.post("/device", fields).status == 303) }
            try expectProblem(try await browser.post("/device", fields), Self.waiting, status: 429)
        }
    }

    @Test("A device that polls never gets 429 (RFC 8628 §3.5)")
    func polling() async throws {
        let plan = Plan.limits { $0.exchangesPerAddress = RateLimit(count: 1, period: .seconds(60)) }
        try await TestServer.open(plan) { server in
            let device = try await server.beginDevice()
            try expectNoToken(try await device.poll(after: 0), "authorization_pending", "authorization_pending")
            for _ in 0..<5 { try expectNoToken(try await device.poll(after: 0), "slow_down", "slow_down") }
            try expectRefusal(try await server.redeem("c"), "rate_limited", retry: "same")
            try expectNoToken(try await device.poll(after: 60), "authorization_pending", "authorization_pending")
        }
    }

    @Test("As many are in as may be: a page says so", arguments: ["/authorize", "/device", "/callback/yahoo.com"])
    func overloaded(path: String) async throws {
        try await TestServer.open { server in
            server.concurrencyLimit.drain()
            var browser = TestBrowser(server)
            let response = try await browser.get(path)
            try expectProblem(response, "Signing in does not work right now", status: 503)
            #expect(response[field: "Retry-After"] != nil)
        }
    }
}
