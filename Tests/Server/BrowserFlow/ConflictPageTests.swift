import Flows
import Jansson
import Minting
import Server
import Stores
import Testing
import Transport

/// Alice has an account by Yahoo, and comes with X, which has the same verified address.
@Suite("Conflict pages over HTTP", .serialized, .timeLimit(.minutes(5)))
struct ConflictPageTests {
    private static let heading = "You already have an account of My App"
    private static let plan = plan()

    private static func plan(_ change: (inout Plan) -> Void = { _ in }) -> Plan {
        .with {
            $0.emails = .oneAccountEach
            $0.rules.settlesConflicts = true
            change(&$0)
        }
    }

    /// Goes through X up to the page of the conflict.
    private static func conflict(_ browser: inout TestBrowser) async throws -> OutboundResponse {
        let left = try await browser.get(BrowserRequest.path(["provider": "twitter.com"]))
        return try await browser.get(try await browser.consent(at: left.location ?? "", as: "alice"))
    }

    /// Presses the button of a provider on a page of a conflict, and returns from the provider.
    private static func prove(
        _ page: OutboundResponse, _ browser: inout TestBrowser, as user: String = "alice"
    ) async throws -> OutboundResponse {
        let left = try await browser.post(
            "/authorize", ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"])
        return try await browser.get(try await browser.consent(at: left.location ?? "", as: user))
    }

    @Test("The page offers the provider of before; after it both identities are one account, and the trail says so")
    func settled() async throws {
        let trail = Trail()
        try await TestServer.open(Self.plan { $0.audit = trail.audit }) { server in
            let alice = try await server.atYahoo()
            var browser = TestBrowser(server)
            let page = try await Self.conflict(&browser)
            #expect(page.status == 200 && page.heading == Self.heading)
            #expect(page.buttons("provider") == ["yahoo.com", ""])
            #expect(page.text.contains("alice@example.com"))
            expectPage(page)
            trail.forget()
            let finished = try await Self.prove(page, &browser)
            #expect(finished.status == 303)
            #expect(finished.told["error"] == nil)
            let response = try await server.redeem(finished.told["code"] ?? "")
            expectToken(response)
            #expect(response.json?["provider"] == "twitter.com")
            #expect(response.json?["linked"] == true && response.json?["is_new_user"] == false)
            #expect(try await alice.providers() == ["twitter.com", "yahoo.com"])
            let event = try #require(trail.lines.first { $0["audit"] == "link" })
            #expect(event["endpoint"] == "/callback" && event["uid"]?.string == alice.uid)
            #expect(event["client"] == "my-app" && event["provider"] == "twitter.com")
            // From now on there is no conflict, and nothing is linked.
            var other = TestBrowser(server)
            let later = try await server.redeem(try await other.signIn(["provider": "twitter.com"]))
            #expect(later.json?["uid"]?.string == alice.uid && later.json?["linked"] == nil)
        }
    }

    @Test("A person who cancels sends the application the reason, and nothing about the other account")
    func cancelled() async throws {
        try await TestServer.open(Self.plan) { server in
            let alice = try await server.atYahoo()
            var browser = TestBrowser(server)
            let page = try await Self.conflict(&browser)
            let told = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": ""])
            #expect(told.status == 303)
            #expect(told.told.keys.sorted() == ["error", "error_description", "iss", "state"])
            #expect(told.told["error"] == "account_exists_with_different_credential")
            #expect(!(told.location ?? "").contains("example.com%40") && !(told.location ?? "").contains("alice"))
            #expect(try await alice.providers() == ["yahoo.com"])
        }
    }

    @Test("Another identity leads to the page again, with a warning")
    func otherIdentity() async throws {
        try await TestServer.open(Self.plan) { server in
            _ = try await server.atYahoo()
            var browser = TestBrowser(server)
            let page = try await Self.prove(try await Self.conflict(&browser), &browser, as: "bjorn")
            #expect(page.status == 200 && page.heading == Self.heading)
            #expect(page.text.contains(#"role="alert""#))
            let finished = try await Self.prove(page, &browser)
            expectToken(try await server.redeem(finished.told["code"] ?? ""))
        }
    }

    // MARK: Devices

    /// Goes from the code of a device through X, up to the page of the conflict.
    private static func conflict(of device: Device, _ browser: inout TestBrowser) async throws -> OutboundResponse {
        let asked = try await browser.enter(device.userCode)
        let left = try await browser.post(
            "/device", ["flow": asked.hiddenFlow ?? "", "provider": "twitter.com"])
        return try await browser.get(try await browser.consent(at: left.location ?? ""))
    }

    @Test("On the way of a device the conflict is settled before anything is promised")
    func device() async throws {
        try await TestServer.open(Self.plan) { server in
            let alice = try await server.atYahoo()
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let page = try await Self.conflict(of: device, &browser)
            #expect(page.heading == "You already have an account of Living Room TV")
            try expectNoToken(try await device.poll(), "authorization_pending", "authorization_pending")
            let verified = try await Self.prove(page, &browser)
            #expect(verified.heading == "Last step: sign in to Living Room TV?")
            _ = try await browser.decide("approve", on: verified)
            let token = try await device.poll()
            expectToken(token)
            #expect(token.json?["uid"]?.string == alice.uid && token.json?["linked"] == true)
        }
    }

    @Test("A person who cancels on the way of a device ends it, and the next poll says why, once")
    func deviceCancelled() async throws {
        try await TestServer.open(Self.plan) { server in
            _ = try await server.atYahoo()
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let page = try await Self.conflict(of: device, &browser)
            let ended = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": ""])
            #expect(ended.status == 400 && ended.heading == "You were not signed in")
            try expectNoToken(
                try await device.poll(), "access_denied", "account_exists_with_different_credential")
            try expectNoToken(try await device.poll(), "invalid_grant", "replayed")
        }
    }

    @Test("If a hook refuses the link, the person of a device reads its text, and the next poll has it, once")
    func deviceBlocked() async throws {
        let plan = Plan.hooked([.beforeLink]) {
            $0.emails = .oneAccountEach
            $0.rules.settlesConflicts = true
        } answer: { _ in
            #"{"deny":{"message":"Ask <b>Ann</b> first \u202e"}}"#
        }
        try await TestServer.open(plan) { server in
            let alice = try await server.atYahoo()
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let page = try await Self.conflict(of: device, &browser)
            let ended = try await Self.prove(page, &browser)
            #expect(ended.status == 400 && ended.heading == "The application did not allow this sign-in")
            #expect(ended.text.contains("Ask &lt;b&gt;Ann&lt;/b&gt; first</bdi></p>"), "\(ended.text)")
            expectPage(ended)
            let polled = try await device.poll()
            #expect(polled.json?["error"] == "access_denied" && polled.reason == "blocked_by_hook")
            #expect(polled.json?["message"]?.string?.hasPrefix("Ask <b>Ann</b> first") == true)
            try expectNoToken(try await device.poll(), "invalid_grant", "replayed")
            #expect(try await alice.providers() == ["yahoo.com"])
        }
    }

    @Test("A hook that fails is no refusal: the page asks to wait, and the user code stays valid")
    func deviceHookFails() async throws {
        let plan = Plan.hooked([.beforeLink]) {
            $0.emails = .oneAccountEach
            $0.rules.settlesConflicts = true
        } answer: { _ in
            "no JSON"
        }
        try await TestServer.open(plan) { server in
            _ = try await server.atYahoo()
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let ended = try await Self.prove(try await Self.conflict(of: device, &browser), &browser)
            #expect(ended.heading == "Signing in does not work right now")
            try expectNoToken(try await device.poll(), "authorization_pending", "authorization_pending")
        }
    }

    @Test("The person of a device whose address is not admitted reads it, and the next poll says it, once")
    func deviceNotAdmitted() async throws {
        try await TestServer.open(.with { $0.allowedEmailDomains = [EmailDomain("company.example")] }) { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let ended = try await browser.verify(device.userCode)
            #expect(ended.status == 400 && ended.heading == "This address may not sign in here")
            expectPage(ended)
            try expectNoToken(try await device.poll(), "access_denied", "email_domain_not_allowed")
            try expectNoToken(try await device.poll(), "invalid_grant", "replayed")
        }
    }
}
