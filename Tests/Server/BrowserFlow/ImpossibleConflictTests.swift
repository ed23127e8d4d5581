import Fixtures
import Flows
import Jansson
import SQLiteStores
import Server
import Standards
import Stores
import Support
import Testing
import Transport

/// Alice has an account that this server, or this client, cannot enter: at Google with Firebase, or with a password.
@Suite("Conflicts that no page can settle", .serialized, .timeLimit(.minutes(5)))
struct ImpossibleConflictTests {
    private static let reason = "account_exists_with_different_credential"
    private static let email = "alice@example.com"

    /// Opens a server whose store has Alice's native account.
    private static func open(
        signInMethods: SignInMethods = ["google.com", "password"],
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        let plan = Plan.with {
            $0.emails = .oneAccountEach
            $0.rules.settlesConflicts = true
        }
        try await TestServer.open(plan) { server in
            var account = StoredAccount(uid: "native", createdAt: server.clock.now)
            account.email = EmailAddress(email)
            account.isAdopted = true
            account.hasOtherSignInMethod = true
            account.signInMethods = signInMethods
            #expect(try await server.store.add(account) == .added)
            try await body(server)
        }
    }

    /// Goes through Yahoo up to the page of the conflict.
    private static func conflict(
        _ browser: inout TestBrowser, _ changes: [String: String?] = [:]
    ) async throws -> OutboundResponse {
        try await browser.get(try await browser.callback(changes))
    }

    /// Presses the button of the page, and returns what the application receives.
    private static func leave(
        _ page: OutboundResponse, _ browser: inout TestBrowser
    ) async throws -> OutboundResponse {
        try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "decision": "continue"])
    }

    /// Returns the code of a complete flow.
    private static func code(_ server: TestServer) async throws -> String {
        var browser = TestBrowser(server)
        return try await leave(try await conflict(&browser), &browser).told["code"] ?? ""
    }

    private static func expectConflict(
        _ response: OutboundResponse, providers: JSON = ["google.com", "password"],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expectNoToken(response, "invalid_request", reason, sourceLocation: sourceLocation)
        #expect(
            response.json?["code"] == "auth/account-exists-with-different-credential", sourceLocation: sourceLocation)
        #expect(response.json?["email"]?.string == email, sourceLocation: sourceLocation)
        #expect(response.json?["providers"] == providers, sourceLocation: sourceLocation)
    }

    @Test("The page names the ways to sign in and what happens next, and its button continues in the application")
    func page() async throws {
        try await Self.open { server in
            var browser = TestBrowser(server)
            let page = try await Self.conflict(&browser)
            #expect(page.status == 200 && page.heading == "You already have an account of My App")
            expectPage(page)
            #expect(page.buttons("provider") == [""] && page.buttons("decision") == ["continue"])
            let text = page.text.replacing(/<[^>]*>/, with: "")
            #expect(text.contains("with Google, an email address and a password before."))
            #expect(text.contains("Continue in My App"))
            #expect(text.contains("This page cannot check that way to sign in. Continue in My App, and sign in there"))
            #expect(text.contains("If you continue, My App learns this address and how you signed in before."))
            #expect(!text.lowercased().contains("firebase"))
            // In another language it is the same page.
            let german = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "language": "de"])
            #expect(german.buttons("decision") == ["continue"])
            #expect(german.text.contains("Google, einer E-Mail-Adresse und einem Passwort"))
        }
    }

    @Test("The application receives the error with a code, fetches the conflict, and links the identity")
    func whole() async throws {
        try await Self.open { server in
            var browser = TestBrowser(server)
            let told = try await Self.leave(try await Self.conflict(&browser), &browser)
            #expect(told.status == 303)
            #expect(told.told.keys.sorted() == ["code", "error", "error_description", "iss", "state"])
            #expect(told.told["error"] == Self.reason && told.told["state"] == BrowserRequest.state)
            #expect(browser.cookies.allSatisfy { !$0.name.contains("flow-") })
            let code = told.told["code"] ?? ""
            #expect(code.utf8.count == 43 && !server.log.text.contains(code))
            let response = try await server.redeem(code)
            try Self.expectConflict(response)
            let pending = ConflictTests.value(response)
            #expect(try await server.store.account(uid: "\(TestServer.alice)") == nil, "No account was made.")
            // Link only, to this account only, once.
            try expectRefusal(
                try await server.exchange(ConflictTests.pending(pending, provider: "yahoo.com")), "intent_mismatch")
            let bjorn = try await server.atX("bjorn")
            for (person, reason) in [(bjorn, "code_rejected"), (try await server.person("native"), "intent_mismatch")] {
                let merged = try await person.merge("pending_credential", pending ?? "")
                #expect(["code_rejected", "intent_mismatch"].contains(merged.reason), "\(reason) \(merged.text)")
            }
            let body = ConflictTests.pending(pending, provider: "yahoo.com")
            try expectRefusal(try await bjorn.link(body), "code_rejected")
            let native = try await server.person("native")
            #expect(try await native.link(body).status == 200)
            try expectRefusal(try await native.link(body), "replayed")
            let later = try await server.redeem(try await browser.signIn())
            #expect(later.json?["uid"] == "native")
        }
    }

    @Test("The code has the rules of a handoff code: client, redirect URI, verifier, 60 seconds, one use")
    func handoff() async throws {
        try await Self.open { server in
            let code = try await Self.code(server)
            for (changes, reason) in [
                (["code_verifier": nil], "pkce_required"),
                (["code_verifier": String(repeating: "v", count: 43)], "pkce_mismatch"),
                (["client_id": "x-only"], "code_rejected"),
                (["redirect_uri": "com.example.app:/oauth"], "code_rejected"),
            ] as [([String: String?], String)] {
                let response = try await server.redeem(code, changes)
                #expect(response.status == 400 && response.reason == reason, "\(response.text)")
                #expect(response.json?["pending_credential"] == nil && response.json?["email"] == nil)
            }
            try Self.expectConflict(try await server.redeem(code))
            try expectNoToken(try await server.redeem(code), "invalid_grant", "replayed")
            let late = try await Self.code(server)
            server.clock.advance(by: .seconds(60))
            try expectNoToken(try await server.redeem(late), "invalid_grant", "expired")
            let guessed = try await Self.code(server)
            for _ in 0..<5 {
                _ = try await server.redeem(guessed, ["code_verifier": String(repeating: "v", count: 43)])
            }
            try expectNoToken(try await server.redeem(guessed), "invalid_grant", "code_rejected")
        }
    }

    @Test("The code is no handoff of an intent: it links nothing by itself")
    func noIntent() async throws {
        try await Self.open { server in
            let code = try await Self.code(server)
            let native = try await server.person("native")
            try expectRefusal(try await native.link(LinkFlowTests.handoff(code)), "intent_mismatch")
            try Self.expectConflict(try await server.redeem(code))
        }
    }

    @Test("A person who cancels sends the error and nothing else")
    func cancelled() async throws {
        try await Self.open { server in
            var browser = TestBrowser(server)
            let page = try await Self.conflict(&browser)
            let told = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": ""])
            expectTold(told, Self.reason)
            // The page has ended.
            try expectProblem(try await Self.leave(page, &browser), "This sign-in has ended")
        }
    }

    @Test("A page that can settle its conflict has no such button, and stays valid if its form says so")
    func possible() async throws {
        let plan = Plan.with {
            $0.emails = .oneAccountEach
            $0.rules.settlesConflicts = true
        }
        try await TestServer.open(plan) { server in
            _ = try await server.atYahoo()
            var browser = TestBrowser(server)
            let left = try await browser.get(BrowserRequest.path(["provider": "twitter.com"]))
            let page = try await browser.get(try await browser.consent(at: left.location ?? ""))
            #expect(page.buttons("decision").isEmpty)
            try expectProblem(try await Self.leave(page, &browser), "This link is damaged")
            let again = try await browser.post(
                "/authorize", ["flow": page.hiddenFlow ?? "", "provider": "yahoo.com"])
            let finished = try await browser.get(try await browser.consent(at: again.location ?? ""))
            expectToken(try await server.redeem(finished.told["code"] ?? ""))
        }
    }

    @Test(
        "A page of this server carries error and code in the other response modes",
        arguments: ["form_post", "web_message"])
    func modes(mode: String) async throws {
        try await Self.open { server in
            var browser = TestBrowser(server)
            let page = try await Self.leave(
                try await Self.conflict(&browser, ["response_mode": mode]), &browser)
            #expect(page.status == 200)
            expectProtectedPage(page)
            let fields = page.text.matches(of: /<input type="hidden" name="([a-z_]+)" value="([^"]*)"/)
            let values = Dictionary(fields.map { (String($0.output.1), String($0.output.2)) }) { first, _ in first }
            #expect(values.keys.sorted() == ["code", "error", "error_description", "iss", "state"])
            #expect(values["error"] == Self.reason)
            try Self.expectConflict(try await server.redeem(values["code"] ?? ""))
        }
    }

    @Test("A conflict with an account that only another client can enter continues in the application too")
    func otherClient() async throws {
        let plan = Plan.with {
            $0.emails = .oneAccountEach
            $0.rules.settlesConflicts = true
        }
        try await TestServer.open(plan) { server in
            let alice = try await server.atYahoo()
            var browser = TestBrowser(server)
            let application = ["client_id": "x-only", "redirect_uri": "https://other.example.com/cb"]
            let page = try await Self.conflict(
                &browser, ["provider": "twitter.com"].merging(application) { $1 })
            #expect(page.text.replacing(/<[^>]*>/, with: "").contains("You signed in to X only with Yahoo before."))
            #expect(page.buttons("provider") == [""])
            let told = try await Self.leave(page, &browser)
            let response = try await server.redeem(told.told["code"] ?? "", application)
            try Self.expectConflict(response, providers: ["yahoo.com"])
            #expect(
                try await alice.link(
                    ConflictTests.pending(ConflictTests.value(response)).setting("client_id", to: "x-only")
                ).status == 200)
        }
    }

    @Test("An account without a known way to sign in is named by none, and never by an internal id")
    func unnamed() async throws {
        try await Self.open(signInMethods: []) { server in
            var browser = TestBrowser(server)
            let page = try await Self.conflict(&browser)
            let text = page.text.replacing(/<[^>]*>/, with: "")
            #expect(!text.contains("You signed in to") && !text.lowercased().contains("firebase"))
            let told = try await Self.leave(page, &browser)
            try Self.expectConflict(try await server.redeem(told.told["code"] ?? ""), providers: [])
        }
    }

    @Test("If the account is gone when the application asks, the answer says to begin again, and signs nobody in")
    func ended() async throws {
        try await Self.open { server in
            let code = try await Self.code(server)
            #expect(try await server.store.retire(uid: "native", at: server.clock.now))
            try expectNoToken(try await server.redeem(code), "invalid_grant", "expired")
            #expect(try await server.store.account(uid: "\(TestServer.alice)") == nil)
            expectToken(
                try await server.redeem(
                    try await { server in
                        var browser = TestBrowser(server)
                        return try await browser.signIn()
                    }(server)))
        }
    }

    @Test("The next poll of a device has the conflict, once, after the person has continued")
    func device() async throws {
        try await Self.open { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let page = try await browser.verify(device.userCode)
            #expect(page.heading == "You already have an account of Living Room TV")
            #expect(page.text.replacing(/<[^>]*>/, with: "").contains("Continue in Living Room TV"))
            try expectNoToken(try await device.poll(), "authorization_pending", "authorization_pending")
            let ended = try await Self.leave(page, &browser)
            #expect(ended.status == 400 && ended.heading == "You were not signed in")
            expectPage(ended)
            let polled = try await device.poll()
            try Self.expectConflict(polled)
            try expectNoToken(try await device.poll(), "invalid_grant", "replayed")
            let body = ConflictTests.pending(ConflictTests.value(polled), provider: "yahoo.com")
                .setting("client_id", to: "living-room-tv")
            try expectRefusal(try await server.exchange(body), "intent_mismatch")
            #expect(try await server.person("native").link(body).status == 200)
        }
    }

    @Test("A device whose person cancels learns the reason and nothing else, and a denied one is not approved")
    func deviceCancelled() async throws {
        try await Self.open { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let page = try await browser.verify(device.userCode)
            _ = try await browser.post("/authorize", ["flow": page.hiddenFlow ?? "", "provider": ""])
            let polled = try await device.poll()
            try expectNoToken(polled, "access_denied", Self.reason)
            #expect(polled.json?["pending_credential"] == nil && polled.json?["email"] == nil)
            // Denied in another tab before the person continues.
            let other = try await server.beginDevice()
            let asked = try await browser.enter(other.userCode)
            let left = try await browser.post("/device", ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"])
            let conflict = try await browser.get(try await browser.consent(at: left.location ?? ""))
            _ = try await browser.decide("deny", on: asked)
            _ = try await Self.leave(conflict, &browser)
            try expectNoToken(try await other.poll(), "access_denied", "access_denied")
        }
    }
}
