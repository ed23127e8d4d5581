import Jansson
import OpenSSL
import Sandbox
import Standards
import Testing
import Transport

/// Responses that a page carries to the application, instead of a redirect.
@Suite("Response modes", .serialized, .timeLimit(.minutes(5)))
struct ResponseModeTests {
    private static let scheme = "com.example.app:/oauth"
    private static let loopback = "http://127.0.0.1:51004/callback"
    private static let modes = ["form_post", "web_message"]

    /// The hidden fields of a page.
    private func fields(_ page: OutboundResponse) -> [String: String] {
        Dictionary(
            page.text.matches(of: /<input type="hidden" name="([a-z_]+)" value="([^"]*)"/)
                .map { (String($0.output.1), String($0.output.2)) }
        ) { first, _ in first }
    }

    /// Expects the page of a response mode, and returns its fields.
    private func carried(
        _ page: OutboundResponse, by mode: String, to origin: String = "https://app.example.com",
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [String: String] {
        #expect(page.status == 200, "\(page.location ?? page.text)", sourceLocation: sourceLocation)
        #expect(page.location == nil, sourceLocation: sourceLocation)
        expectProtectedPage(page, sourceLocation: sourceLocation)
        let policy = page[field: "Content-Security-Policy"] ?? ""
        expectOneScript(page, policy, sourceLocation: sourceLocation)
        #expect(!policy.contains("unsafe"), sourceLocation: sourceLocation)
        if mode == "form_post" {
            #expect(policy.hasSuffix("; form-action " + origin), "\(policy)", sourceLocation: sourceLocation)
            #expect(page[field: "Cross-Origin-Opener-Policy"] == nil, sourceLocation: sourceLocation)
        } else {
            #expect(policy.hasSuffix("; form-action 'none'"), "\(policy)", sourceLocation: sourceLocation)
            #expect(page[field: "Cross-Origin-Opener-Policy"] == "unsafe-none", sourceLocation: sourceLocation)
            #expect(page.text.contains("data-origin=\"\(origin)\""), sourceLocation: sourceLocation)
            #expect(!page.text.contains("<form"), sourceLocation: sourceLocation)
        }
        return fields(page)
    }

    /// Expects that the document has one script, without an attribute or a value of the flow, and that the policy names
    /// the hash of its text and nothing else (CSP Level 3 §2.3.1).
    private func expectOneScript(_ page: OutboundResponse, _ policy: String, sourceLocation: SourceLocation) {
        let scripts = page.text.matches(of: /(?s)<script>(.*?)<\/script>/).map { String($0.output.1) }
        #expect(
            scripts.count == 1 && page.text.matches(of: /(?i)<\/?script/).count == 2, sourceLocation: sourceLocation)
        let hash = Base64.encode(SHA256.hash(Array((scripts.first ?? "").utf8)))
        let sources = policy.split(separator: "; ").filter { $0.contains("script") || $0.hasPrefix("default") }
        #expect(
            sources == ["default-src 'none'", "script-src 'sha256-\(hash)'"], "\(policy)",
            sourceLocation: sourceLocation)
        for (name, value) in fields(page) where name != "error" {
            #expect(scripts.first?.contains(value) == false, "\(name)", sourceLocation: sourceLocation)
        }
        #expect(scripts.first?.contains("https://") == false, sourceLocation: sourceLocation)
        #expect(page.text.firstMatch(of: /(?i) on[a-z]+=/) == nil, sourceLocation: sourceLocation)
    }

    @Test("The response has the parameters of the query mode, and its code is redeemed", arguments: modes)
    func success(_ mode: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let page = try await browser.get(try await browser.callback(["response_mode": mode]))
            let response = carried(page, by: mode)
            #expect(response.keys.sorted() == ["code", "iss", "state"])
            #expect(response["state"] == BrowserRequest.state)
            #expect(response["iss"] == "https://auth.example.com")
            #expect(browser.cookies.isEmpty, "The flow is over, and its cookie with it.")
            #expect(!server.log.text.contains(response["code"] ?? "?"))
            expectToken(try await server.redeem(response["code"] ?? ""))
        }
    }

    @Test("The form is posted to the redirect URI, whose port may differ on loopback")
    func loopback() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let changes = ["response_mode": "form_post", "redirect_uri": Self.loopback]
            let question = try await browser.get(BrowserRequest.path(changes))
            let left = try await browser.post(
                "/authorize", ["flow": question.hiddenFlow ?? "", "provider": "yahoo.com"])
            let page = try await browser.get(try await browser.consent(at: left.location ?? ""))
            let response = carried(page, by: "form_post", to: "http://127.0.0.1:51004")
            #expect(page.text.contains("method=\"post\" action=\"\(Self.loopback)\""))
            expectToken(try await server.redeem(response["code"] ?? "", ["redirect_uri": Self.loopback]))
        }
    }

    @Test(
        "The mode of a pushed request is sealed in its request_uri, and a mode beside it is ignored", arguments: modes)
    func pushed(_ mode: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let request = BrowserRequest.parameters.changing(["response_mode": mode])
            let uri = try #require(try await server.form("/par", request).json?["request_uri"]?.string)
            let query = Form.encoded(["client_id": "my-app", "request_uri": uri, "response_mode": "query"])
            let left = try await browser.get("/authorize?" + query)
            let page = try await browser.get(try await browser.consent(at: left.location ?? ""))
            #expect(carried(page, by: mode)["state"] == BrowserRequest.state)
        }
    }

    @Test("Errors are returned in the mode too: of the request, of the user, and of the provider", arguments: modes)
    func errors(_ mode: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for (change, error) in [
                (["scope": "mail-w"], "invalid_scope"), (["response_type": "token"], "unsupported_response_type"),
                (["provider": "nobody.example"], "invalid_request"), (["code_challenge": nil], "invalid_request"),
            ] as [([String: String?], String)] {
                let page = try await browser.get(BrowserRequest.path(change.merging(["response_mode": mode]) { $1 }))
                expectError(carried(page, by: mode), error)
            }
            let question = try await browser.get(BrowserRequest.path(["response_mode": mode, "provider": nil]))
            let cancelled = try await browser.post("/authorize", ["flow": question.hiddenFlow ?? "", "provider": ""])
            expectError(carried(cancelled, by: mode), "access_denied")
            let callback = try await browser.callback(["response_mode": mode], decision: "deny")
            expectError(carried(try await browser.get(callback), by: mode), "access_denied")
            #expect(browser.cookies.isEmpty)
        }
    }

    private func expectError(
        _ response: [String: String], _ error: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response["error"] == error, sourceLocation: sourceLocation)
        #expect(
            response.keys.sorted() == ["error", "error_description", "iss", "state"], sourceLocation: sourceLocation)
        #expect(response["state"] == BrowserRequest.state, sourceLocation: sourceLocation)
    }

    @Test(
        "query is the default, and every other spelling is an error in the query",
        arguments: [
            "fragment", "jwt", "form_post.jwt", "QUERY", "Form_Post", "web_message ", "query form_post",
        ])
    func unknown(_ mode: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            expectTold(try await browser.get(BrowserRequest.path(["response_mode": mode])), "invalid_request")
            #expect(try await browser.get(BrowserRequest.path(["response_mode": "query"])).status == 303)
            #expect(browser.cookies.count == 1)
        }
    }

    @Test("A mode that cannot reach the redirect URI is an error in the query, which names the parameter")
    func unreachable() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for (mode, uri) in [
                ("form_post", Self.scheme), ("web_message", Self.scheme), ("web_message", Self.loopback),
            ] {
                let response = try await browser.get(
                    BrowserRequest.path(["response_mode": mode, "redirect_uri": uri]))
                expectTold(response, "invalid_request", redirectURI: uri)
                #expect(response.told["error_description"]?.hasPrefix("This response_mode is not possible") == true)
            }
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test(
        "A redirect URI that is not registered gets a page in every mode, and so does a repeated mode", arguments: modes
    )
    func notRegistered(_ mode: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let evil = ["response_mode": mode, "redirect_uri": "https://evil.example/cb"]
            try expectProblem(try await browser.get(BrowserRequest.path(evil)), "This sign-in cannot continue")
            let twice = BrowserRequest.path(["response_mode": "query"]) + "&response_mode=" + mode
            try expectProblem(try await browser.get(twice), "This link is damaged")
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("A state with markup is a value of the page, and nothing else", arguments: modes)
    func markup(_ mode: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let state = "\"><script>alert(1)</script>\"\u{301} autofocus='"
            let page = try await browser.get(
                try await browser.callback(["response_mode": mode, "state": state]))
            let escaped = "&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#34;\u{301} autofocus=&#39;"
            #expect(carried(page, by: mode)["state"].map { Array($0.utf8) } == Array(escaped.utf8))
        }
    }
}
