import Jansson
import Providers
import SQLiteStores
import Sandbox
import Server
import Standards
import Support
import Testing
import Transport

/// Providers that post their response to the callback (OAuth 2.0 Form Post Response Mode).
@Suite("Forms of providers at the callback", .serialized, .timeLimit(.minutes(5)))
struct FormPostTests {
    private static let plan = Plan.with { $0.responseMode = .formPost }
    private static let origin = [
        HeaderField("Origin", "https://idp.example"), HeaderField("Sec-Fetch-Site", "cross-site"),
    ]

    /// Posts the query of a callback from a page of the provider, without the cookies of the server.
    private static func post(
        _ server: TestServer, _ query: some StringProtocol, provider: String = "yahoo.com",
        header: [HeaderField] = origin
    ) async throws -> OutboundResponse {
        try await server.post(
            "/callback/\(provider)", text: String(query), type: "application/x-www-form-urlencoded", header: header)
    }

    @Test("The provider is asked for a form, which is redirected to the callback, and the person signs in")
    func signIn() async throws {
        try await TestServer.open(Self.plan) { server in
            var browser = TestBrowser(server)
            let left = try await browser.get(BrowserRequest.path())
            #expect(left.told["response_mode"] == "form_post")
            let callback = try await browser.consent(at: left.location ?? "")
            let query = callback.drop { $0 != "?" }.dropFirst()
            // Apple adds the name of the person at the first sign-in.
            let user = "&user=%7B%22name%22%3A%7B%22firstName%22%3A%22Ana%22%7D%7D&id=%0a%E9&id=%zz"
            let relayed = try await Self.post(server, query + user)
            #expect(relayed.status == 303)
            expectSafeHeader(relayed)
            #expect(relayed.setCookies.isEmpty && relayed.body.isEmpty)
            #expect(relayed.location?.hasPrefix(server.issuer + "/callback/yahoo.com?") == true)
            let names = Set(relayed.told.keys)
            #expect(names == ["code", "state"])
            #expect(try await server.tokenRequests() == 0)
            let code = try await browser.get(relayed.location ?? "").told["code"] ?? ""
            expectToken(try await server.redeem(code))
        }
    }

    @Test("A session of POST /v1/signin asks for the form as well")
    func session() async throws {
        for (plan, mode) in [(Self.plan, "form_post"), (Plan(), nil)] as [(Plan, String?)] {
            try await TestServer.open(plan) { server in
                let url = try await server.post("/v1/signin", Bodies.signIn).json?["authorization_url"]?.string ?? ""
                let query = try Parameters.parse(url.drop { $0 != "?" }.dropFirst())
                #expect(query["response_mode"] == mode)
            }
        }
    }

    @Test("A refusal in a form reaches the application")
    func refusal() async throws {
        try await TestServer.open(Self.plan) { server in
            var browser = TestBrowser(server)
            let state = try await browser.get(BrowserRequest.path()).told["state"] ?? ""
            let relayed = try await Self.post(
                server, "error=user_cancelled_authorize&error_description=a%0d%0ab&state=\(state)")
            expectTold(try await browser.get(relayed.location ?? ""), "access_denied")
        }
    }

    @Test("A form without a flow is redirected, and the callback shows the page of a flow that has ended")
    func noFlow() async throws {
        try await TestServer.open(Self.plan) { server in
            let relayed = try await Self.post(server, "code=C&state=S")
            #expect(relayed.status == 303)
            var browser = TestBrowser(server)
            try expectProblem(try await browser.get(relayed.location ?? ""), "This sign-in has ended")
            #expect(try await server.standIns.calls() == 0)
        }
    }

    @Test(
        "Tokens, and parameters that are read and malformed or there twice, are refused without a redirect",
        arguments: [
            "code=C&state=S&id_token=a.b.c", "code=C&state=S&access_token=t", "code=C&code=D&state=S",
            "code=C&state=S&st%61te=T", "code=%0a&state=S", "code=%zz&state=S",
        ])
    func malformed(_ form: String) async throws {
        try await TestServer.open(Self.plan) { server in
            let response = try await Self.post(server, form)
            #expect(response.status == 400 && response.location == nil)
            expectPage(response)
        }
    }

    @Test("A form has a type, a bound and no query")
    func form() async throws {
        try await TestServer.open(Self.plan) { server in
            let json = try await server.post("/callback/yahoo.com", text: "{}", type: "application/json")
            #expect(json.status == 415)
            let large = try await Self.post(server, "code=C&user=" + String(repeating: "a", count: 65 * 1024))
            #expect(large.status == 413)
            let query = try await Self.post(server, "code=C&state=S", provider: "yahoo.com?code=D")
            #expect(query.status == 400 && query.location == nil)
        }
    }

    @Test("Without the setting a form is 405 with a page that says so, and the log names the setting")
    func notConfigured() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let left = try await browser.get(BrowserRequest.path())
            #expect(left.told["response_mode"] == nil)
            let callback = try await browser.consent(at: left.location ?? "")
            let query = callback.drop { $0 != "?" }.dropFirst()
            let refused = try await Self.post(server, query)
            try expectProblem(refused, "The response of the sign-in service cannot be received", status: 405)
            #expect(refused[field: "Allow"] == "GET")
            #expect(server.log.text.contains("the browser posted a response of yahoo.com"))
            #expect(server.log.text.contains("write response_mode: form_post"))
            #expect(try await browser.get(callback).told["code"] != nil, "The form has spent nothing.")
        }
    }

    @Test("A form of a provider without the setting, or of none, is refused before it is read")
    func otherProvider() async throws {
        try await TestServer.open(Self.plan) { server in
            #expect(try await Self.post(server, "%zz", provider: "twitter.com").status == 405)
            let unknown = try await Self.post(server, "%zz", provider: "nobody.example")
            #expect(unknown.status == 400 && unknown.location == nil)
        }
    }
}
