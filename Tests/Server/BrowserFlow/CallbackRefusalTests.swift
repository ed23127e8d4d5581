import Standards
import Testing
import Transport

/// Callbacks that are refused before anything is spent: the provider gets no request, and the flow remains valid.
@Suite("Callbacks that belong to no flow", .serialized, .timeLimit(.minutes(5)))
struct CallbackRefusalTests {
    private static let ended = "This sign-in has ended"
    private static let foreign = "This answer belongs to another sign-in"
    private static let damaged = "This link is damaged"

    /// Expects an error page for a callback changed by `spoil`, and a sign-in with the unchanged callback afterwards.
    private func check(
        _ heading: String, _ changes: [String: String?] = [:], status: Int = 400,
        sourceLocation: SourceLocation = #_sourceLocation, _ spoil: @escaping @Sendable (String) -> String
    ) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback(changes)
            let response = try await browser.get(spoil(callback))
            try expectProblem(response, heading, status: status, sourceLocation: sourceLocation)
            #expect(response.setCookies.isEmpty, sourceLocation: sourceLocation)
            #expect(try await server.tokenRequests() == 0, sourceLocation: sourceLocation)
            let finished = try await browser.get(callback)
            #expect(finished.status == 303, sourceLocation: sourceLocation)
            let token = try await server.redeem(finished.told["code"] ?? "")
            #expect(token.status == 200, "\(token.text)", sourceLocation: sourceLocation)
            #expect(try await server.tokenRequests() == 1, sourceLocation: sourceLocation)
        }
    }

    private static func state(of callback: String) -> String {
        String(callback.firstMatch(of: /[?&]state=([^&]*)/)?.output.1 ?? "")
    }

    @Test("CB-01: a callback without a state is refused, and the flow survives")
    func noState() async throws {
        try await check(Self.foreign) { $0.replacing(/[?&]state=[^&]*/, with: "") + "&x=1" }
        try await check(Self.foreign) { $0.replacing(/([?&])state=[^&]*/) { "\($0.output.1)state=" } }
    }

    @Test("CB-02: an invented state with an invented code causes no request to a provider")
    func unknownState() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for provider in ["yahoo.com", "twitter.com", "nobody.example", "", "yahoo.com/x", "..%2fyahoo.com"] {
                for query in ["code=made-up&state=made-up", "oauth_token=t&oauth_verifier=v", "denied=t"] {
                    try expectProblem(try await browser.get("/callback/\(provider)?\(query)"), Self.ended)
                }
            }
            #expect(try await server.standIns.calls() == 0)
        }
    }

    @Test("CB-03: a callback in another browser is refused, and the flow survives", arguments: ["none", "own"])
    func otherBrowser(cookie: String) async throws {
        try await TestServer.open { server in
            var victim = TestBrowser(server)
            let callback = try await victim.callback()
            var attacker = TestBrowser(server)
            if cookie == "own" { _ = try await attacker.get(BrowserRequest.path()) }
            try expectProblem(try await attacker.get(callback), Self.ended)
            #expect(try await server.tokenRequests() == 0)
            let finished = try await victim.get(callback)
            expectToken(try await server.redeem(finished.told["code"] ?? ""))
        }
    }

    @Test("CB-03: the value of one flow's cookie is worth nothing under another flow's name")
    func renamedCookie() async throws {
        try await TestServer.open { server in
            var victim = TestBrowser(server)
            let callback = try await victim.callback()
            var attacker = TestBrowser(server)
            _ = try await attacker.get(BrowserRequest.path())
            attacker.cookies = [(victim.cookies[0].name, attacker.cookies[0].value)]
            try expectProblem(try await attacker.get(callback), Self.ended)
            #expect(try await server.tokenRequests() == 0)
        }
    }

    @Test("CB-07: a state that is almost the flow's is another one")
    func similarState() async throws {
        for spelling: @Sendable (String) -> String in [
            { String($0.dropLast()) }, { $0 + "A" }, { $0 + "%20" }, { $0.uppercased() }, { $0 + "=" },
            { String($0.dropFirst()) }, { "%20" + $0 },
        ] {
            try await check(Self.ended) { callback in
                callback.replacing(Self.state(of: callback), with: spelling(Self.state(of: callback)))
            }
        }
        try await check(Self.damaged) { callback in
            callback.replacing(Self.state(of: callback), with: Self.state(of: callback) + "%00")
        }
    }

    @Test("CB-07: a state that is percent-encoded is the same state")
    func encodedState() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            let state = Self.state(of: callback)
            let encoded = state.utf8.map { "%" + String($0, radix: 16) }.joined()
            #expect(try await browser.get(callback.replacing(state, with: encoded)).status == 303)
        }
    }

    @Test("CB-09: an error of an unknown flow is not redirected")
    func foreignError() async throws {
        try await check(Self.ended) { _ in
            "/callback/yahoo.com?error=access_denied&state=made-up&redirect_uri=https%3A%2F%2Fevil.example"
        }
        try await check(Self.foreign) { _ in
            "/callback/yahoo.com?error=access_denied&redirect_uri=https%3A%2F%2Fevil.example"
        }
    }

    @Test("CB-10, CB-18, CB-19: a response that is not exactly one is refused")
    func malformed() async throws {
        try await check(Self.foreign) { $0 + "&error=access_denied" }
        try await check(Self.foreign) { $0.replacing(/[?&]code=[^&]*/, with: "?x=1") }
        try await check(Self.foreign) { $0.replacing(/code=[^&]*/, with: "code=") }
        try await check(Self.damaged) { $0 + "&code=another" }
        try await check(Self.damaged) { $0 + "&state=another" }
        try await check(Self.foreign) { $0 + "&access_token=t" }
        try await check(Self.foreign) { $0 + "&id_token=a.b.c" }
        try await check(Self.foreign) { $0.replacing(/code=[^&]*/, with: "access_token=t&id_token=a.b.c") }
    }

    @Test("CB-19: a token in a callback is neither used nor logged")
    func token() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let issued = try await server.standIns.yahoo(nonce: nil)
            let state = try await browser.get(BrowserRequest.path()).told["state"] ?? ""
            try expectProblem(
                try await browser.get(
                    "/callback/yahoo.com?access_token=\(issued.accessToken)&id_token=\(issued.idToken)&state=\(state)"),
                Self.foreign)
            #expect(try await server.standIns.calls(of: "yahoo.userinfo") == 0)
            for secret in [issued.accessToken, issued.idToken, state] { #expect(!server.log.text.contains(secret)) }
        }
    }

    @Test(
        "CB-11: no page shows text of the callback",
        arguments: [
            "<script>alert(1)</script>", "\"><svg onload=alert(1)>", String(repeating: "long", count: 1500),
            "\u{202E}txt.exe", "{{flow}}",
        ])
    func echo(_ text: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let encoded = PercentEncoding.encode(text)
            for query in [
                "error=\(encoded)&state=x", "error=access_denied&error_description=\(encoded)",
                "code=c&state=\(encoded)",
            ] {
                guard query.utf8.count < 8000 else { continue }
                let response = try await browser.get("/callback/yahoo.com?" + query)
                #expect(response.status == 400)
                expectPage(response)
                #expect(!response.text.contains(text))
                #expect(!server.log.text.contains(text))
            }
        }
    }

    @Test("CB-12: a response of another issuer is refused, and the flow stays usable")
    func issuer() async throws {
        try await check(Self.foreign) { $0 + "&iss=https%3A%2F%2Fevil.example" }
        try await check(Self.foreign) { $0.replacing(/code=[^&]*/, with: "error=access_denied&iss=x") }
    }

    @Test("CB-14: a response at the callback of another provider is refused, in both directions")
    func mixUp() async throws {
        try await check(Self.foreign) { $0.replacing("/callback/yahoo.com", with: "/callback/twitter.com") }
        try await check(Self.foreign) { $0.replacing("/callback/yahoo.com", with: "/callback/gone.example") }
        try await check(Self.foreign, ["provider": "twitter.com"]) {
            $0.replacing("/callback/twitter.com", with: "/callback/yahoo.com")
        }
    }

    @Test("CB-16, CB-17: a callback is a GET: POST and HEAD burn nothing")
    func method() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            let posted = try await browser.post(callback, ["code": "c"])
            try expectProblem(posted, "This page cannot be opened like this", status: 405)
            #expect(posted[field: "Allow"] == "GET")
            let cookie = "Cookie: \(browser.cookies[0].name)=\(browser.cookies[0].value)"
            let path = callback.dropFirst(server.issuer.count)
            let head = try await server.raw(
                TestServer.request("HEAD \(path) HTTP/1.1", header: [cookie, "Connection: close"], body: ""))
            #expect(head?.status == 405)
            #expect(try await server.tokenRequests() == 0)
            #expect(try await browser.get(callback).status == 303)
        }
    }

    @Test("CB-17: a prefetch by a browser is refused", arguments: ["Purpose", "Sec-Purpose", "sec-purpose"])
    func prefetch(name: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            for value in ["prefetch", "prefetch;prerender"] {
                try expectProblem(try await browser.get(callback, header: [HeaderField(name, value)]), Self.ended)
            }
            #expect(try await server.tokenRequests() == 0)
            #expect(try await browser.get(callback).status == 303)
            let begun = try await browser.get(BrowserRequest.path(), header: [HeaderField(name, "prefetch")])
            try expectProblem(begun, Self.ended)
            #expect(begun.setCookies.isEmpty)
        }
    }

    @Test("CB-22: a code of 9000 characters is too long for a link, and one with a line break is none")
    func hugeCode() async throws {
        try await check(Self.damaged, status: 414) { $0 + "&x=" + String(repeating: "a", count: 9000) }
        try await check(Self.damaged) { $0 + "&x=a%0d%0ab" }
    }

    @Test("CB-26: the response of a flow of one protocol does not end a flow of the other")
    func otherProtocol() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let oauth2 = try await browser.callback(["provider": "twitter.com"])
            let oauth1 = try await browser.callback(["provider": "twitter.com", "flow": "oauth1"])
            let state = Self.state(of: oauth2)
            let token = String(oauth1.firstMatch(of: /oauth_token=([^&]*)/)?.output.1 ?? "")
            let path = "/callback/twitter.com?"
            for query in [
                "oauth_token=\(state)&oauth_verifier=v", "denied=\(state)", "state=\(token)&code=c",
                "state=\(token)&error=access_denied",
            ] {
                try expectProblem(try await browser.get(path + query), Self.foreign)
            }
            #expect(try await server.tokenRequests() == 0)
            #expect(try await browser.get(oauth2).status == 303)
            #expect(try await browser.get(oauth1).status == 303)
        }
    }

    @Test("CB-26: a cookie of which one character was changed is none")
    func changedCookie() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            let whole = browser.cookies[0].value
            for position in stride(from: 0, to: whole.utf8.count, by: 40) {
                var octets = Array(whole.utf8)
                octets[position] = octets[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                browser.cookies[0].value = String(decoding: octets, as: UTF8.self)
                try expectProblem(try await browser.get(callback), Self.ended)
            }
            browser.cookies[0].value = whole + "="
            try expectProblem(try await browser.get(callback), Self.ended)
            browser.cookies[0].value = whole
            #expect(try await browser.get(callback).status == 303)
        }
    }
}
