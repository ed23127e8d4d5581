import Flows
import Jansson
import Standards
import Testing
import Transport

/// The link from a problem page to the application whose flow it was.
@Suite("The way back to the application", .serialized, .timeLimit(.minutes(5)))
struct WayBackTests {
    private static let ended = "This sign-in has ended"
    private static let foreign = "This answer belongs to another sign-in"

    /// The link that reports the end of the flow to the application, as pressing "cancel" does.
    private static func expectWayBack(
        _ page: OutboundResponse, to redirectURI: String = BrowserRequest.redirectURI,
        state: String = BrowserRequest.state, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let url = "\(redirectURI)?error=access_denied&state=\(state)&iss=https%3A%2F%2Fauth.example.com"
        #expect(links(page) == [url], sourceLocation: sourceLocation)
        #expect(page.text.contains("Back to "), sourceLocation: sourceLocation)
    }

    private static func links(_ page: OutboundResponse) -> [String] {
        page.text.matches(of: /<a class="button primary" href="([^"]*)"/).map {
            String($0.output.1).replacing("&amp;", with: "&")
        }
    }

    @Test("After a response that belongs to no step of the flow, the page links to the application; the flow survives")
    func callback() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            for (changed, heading) in [
                (callback.replacing("yahoo.com", with: "asking.example"), Self.foreign),
                (callback.replacing("code=", with: "other="), "The response of the sign-in service cannot be received"),
            ] {
                let page = try await browser.get(changed)
                try expectProblem(page, heading)
                Self.expectWayBack(page)
                #expect(page.setCookies.isEmpty)
            }
            let finished = try await browser.get(callback)
            expectToken(try await server.redeem(finished.told["code"] ?? ""))
        }
    }

    @Test("Another browser, which does not have the flow, gets no link")
    func otherBrowser() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            var other = TestBrowser(server)
            let page = try await other.get(callback)
            try expectProblem(page, Self.ended)
            #expect(Self.links(page).isEmpty)
            #expect(!page.text.contains(BrowserRequest.state))
        }
    }

    @Test("A page whose flow has ended links to its application, for every redirect URI")
    func endedFlow() async throws {
        try await TestServer.open { server in
            for uri in [BrowserRequest.redirectURI, "com.example.app:/oauth", "http://127.0.0.1:51004/callback"] {
                var browser = TestBrowser(server)
                let page = try await browser.get(
                    BrowserRequest.path(["provider": nil, "redirect_uri": uri, "state": "s1"]))
                let (flow, before) = (page.hiddenFlow ?? "", browser)
                _ = try await browser.post("/authorize", ["flow": flow, "provider": ""])
                browser = before
                let again = try await browser.post("/authorize", ["flow": flow, "provider": ""])
                try expectProblem(again, Self.ended)
                Self.expectWayBack(again, to: uri, state: "s1")
                browser = before
                let callback = try await browser.get("/callback/yahoo.com?code=c&state=\(flow)")
                try expectProblem(callback, Self.foreign)
                Self.expectWayBack(callback, to: uri, state: "s1")
                server.clock.advance(by: .seconds(600))
                for fields in [["flow": flow, "provider": "yahoo.com"], ["flow": flow, "language": "en"]] {
                    let late = try await browser.post("/authorize", fields)
                    try expectProblem(late, Self.ended)
                    Self.expectWayBack(late, to: uri, state: "s1")
                }
            }
        }
    }

    @Test("A flow at the provider that is posted as a page links to its application")
    func leftFlow() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let state = try await browser.get(BrowserRequest.path()).told["state"] ?? ""
            for fields in [["flow": state, "provider": "yahoo.com"], ["flow": state, "language": "en"]] {
                let page = try await browser.post("/authorize", fields)
                try expectProblem(page, Self.ended)
                Self.expectWayBack(page)
            }
        }
    }

    @Test("A pushed request that is opened too late links to its application, and the second flow of one does not")
    func pushedRequest() async throws {
        try await TestServer.open { server in
            let path = LinkFlowTests.path(try await server.form("/par", BrowserRequest.parameters))
            var browser = TestBrowser(server)
            let first = try await browser.consent(at: try await browser.get(path).location ?? "")
            let second = try await browser.consent(at: try await browser.get(path).location ?? "")
            #expect(try await browser.get(first).told["code"] != nil)
            let again = try await browser.get(second)
            try expectProblem(again, Self.ended)
            // The application has a code for the same state.
            #expect(Self.links(again).isEmpty)
            let late = try await server.form("/par", BrowserRequest.parameters).json?["request_uri"]?.string ?? ""
            server.clock.advance(by: .seconds(90))
            let expired = try await browser.get(
                "/authorize?" + Form.encoded(["client_id": "my-app", "request_uri": late]))
            try expectProblem(expired, Self.ended)
            #expect(expired.text.contains("It is too old, was already used"))
            Self.expectWayBack(expired)
        }
    }

    @Test("A request with an unknown redirect URI has no link, but the branding of the client")
    func unknownRedirectURI() async throws {
        var plan = Plan()
        plan.branding = Branding(
            logo: nil, accentColor: nil, privacyURL: nil, termsURL: nil, supportURL: "https://example.com/help")
        try await TestServer.open(plan) { server in
            var browser = TestBrowser(server)
            let unregistered = try await browser.get(BrowserRequest.path(["redirect_uri": "https://evil.example/cb"]))
            try expectProblem(unregistered, "This sign-in cannot continue")
            #expect(Self.links(unregistered).isEmpty)
            #expect(!unregistered.text.contains("evil"))
            #expect(unregistered.text.contains("as a bookmark, go back to the application and start the sign-in again"))
            #expect(unregistered.text.contains("https://example.com/help"))
            let invented = try await browser.get("/authorize?client_id=my-app&request_uri=urn:x")
            try expectProblem(invented, Self.ended)
            #expect(invented.text.contains("or its link is damaged"))
            #expect(Self.links(invented).isEmpty)
            #expect(invented.text.contains("https://example.com/help"))
            let unknown = try await browser.get(BrowserRequest.path(["client_id": "other"]))
            try expectProblem(unknown, "This application is not known here")
            #expect(Self.links(unknown).isEmpty)
            #expect(!unknown.text.contains("https://example.com/help"))
        }
    }
}
