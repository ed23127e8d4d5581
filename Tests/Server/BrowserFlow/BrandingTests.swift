import Flows
import Server
import Standards
import Testing
import Transport

/// The logo, colour and links of a client on its pages.
@Suite("Branding", .serialized, .timeLimit(.minutes(5)))
struct BrandingTests {
    private static let image = [UInt8](0...255)
    private static let logo = Branding.Logo(mediaType: "image/png", bytes: image)
    private static let path = "/logo/QK_y6dLYki5Hr9RkjmlnSXFYeF-9Hahw5xECZr-USIA"

    private static let plan: Plan = {
        var plan = Plan()
        plan.branding = Branding(
            logo: logo, accentColor: "#7a1f6b", privacyURL: "https://example.com/privacy", termsURL: nil,
            supportURL: "https://example.com/help")
        return plan
    }()

    private static func isBranded(_ page: OutboundResponse) -> Bool {
        let policy = page[field: "Content-Security-Policy"] ?? ""
        let parts = [
            page.text.contains("src=\"\(path)\""), page.text.contains("--accent: #7a1f6b;"),
            page.text.contains("href=\"https://example.com/privacy\""),
            page.text.contains("href=\"https://example.com/help\""), policy.contains("; img-src 'self';"),
        ]
        #expect(Set(parts).count == 1, "\(parts)")
        return parts[0]
    }

    @Test("Each page of a client has its branding, and no page of another client")
    func pages() async throws {
        try await TestServer.open(Self.plan) { server in
            var browser = TestBrowser(server)
            let question = try await browser.get(BrowserRequest.path(["provider": nil]))
            #expect(Self.isBranded(question))
            expectPage(question)
            #expect(
                Self.isBranded(
                    try await browser.post("/authorize", ["flow": question.hiddenFlow ?? "", "language": "de"])))
            let other = ["provider": nil, "client_id": "x-only", "redirect_uri": "https://other.example.com/cb"]
            #expect(!Self.isBranded(try await browser.get(BrowserRequest.path(other))))
            #expect(!Self.isBranded(try await browser.get("/device")))
        }
    }

    @Test("Each page of a device flow that names the client has its branding", arguments: ["approve", "deny"])
    func device(decision: String) async throws {
        try await TestServer.open(Self.plan) { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let asked = try await browser.enter(device.userCode)
            #expect(Self.isBranded(asked))
            let left = try await browser.post("/device", ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"])
            let verified = try await browser.get(try await browser.consent(at: left.location ?? ""))
            #expect(Self.isBranded(verified))
            let fields = ["flow": verified.hiddenFlow ?? "", "language": "en"]
            #expect(Self.isBranded(try await browser.post("/device", fields)))
            #expect(Self.isBranded(try await browser.decide(decision, on: verified)))
        }
    }

    @Test("A logo is sent as the image that it is, and may be kept, because another image has another path")
    func logoFile() async throws {
        try await TestServer.open(Self.plan) { server in
            let response = try await server.get(Self.path)
            #expect(response.status == 200)
            #expect(response.body == Self.image)
            #expect(response[field: "Content-Type"] == "image/png")
            #expect(response[field: "Cache-Control"] == "public, max-age=31536000, immutable")
            #expect(response[field: "Pragma"] == nil)
            #expect(response[field: "X-Content-Type-Options"] == "nosniff")
            #expect(response[field: "Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'")
            #expect(response[field: "Cross-Origin-Resource-Policy"] == "same-origin")
            #expect(response.setCookies.isEmpty)
        }
    }

    @Test("Only the digest of a configured logo is a path", arguments: ["/logo/", "/logo/x", path + "/", path + "%3D"])
    func otherPath(path: String) async throws {
        try await TestServer.open(Self.plan) { server in
            try expectProblem(try await server.get(path), "There is no page here", status: 404)
        }
    }

    @Test("A logo is only read")
    func method() async throws {
        try await TestServer.open(Self.plan) { server in
            var browser = TestBrowser(server)
            let response = try await browser.post(Self.path, [:])
            try expectProblem(response, "This page cannot be opened like this", status: 405)
            #expect(response[field: "Allow"] == "GET")
        }
    }

    @Test("Logos count against the rate of pages")
    func rate() async throws {
        var plan = Self.plan
        plan.limits.pagesPerAddress = RateLimit(count: 1, period: .seconds(60))
        try await TestServer.open(plan) { server in
            let (first, second) = (try await server.get(Self.path), try await server.get(Self.path))
            #expect([first.status, second.status] == [200, 429])
        }
    }
}
