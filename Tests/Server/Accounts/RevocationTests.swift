import Flows
import Jansson
import SQLiteStores
import Stores
import Support
import Testing
import Transport

/// Facts about the user of a token that only Identity Toolkit knows.
@Suite("Revoked and disabled Firebase users", .serialized, .timeLimit(.minutes(5)))
struct RevocationTests {
    private static let checking = Plan.google(.users) { $0.rules.checksRevocation = true }

    /// Valid bodies of the calls that change an account, which check the session after they have read them.
    private static let changes = AccountBodyTests.bodies.filter { BearerTests.posts.contains($0.path) }

    @Test("LK-04: with check_revoked, a token from before the revocation is refused")
    func revoked() async throws {
        try await TestServer.open(Self.checking) { server in
            let alice = try await server.atYahoo()
            try await server.standIns.firebaseUser(alice.uid)
            #expect(try await alice.ask("GET", "/v1/account")?.status == 200)
            try await server.standIns.firebaseUser(alice.uid, ["valid_since": 1_700_000_001])
            #expect(Set(Self.changes.map { $0.path }) == Set(BearerTests.posts))
            for (path, body, _) in Self.changes {
                try expectRefusal(try await alice.post(path, body), "id_token_revoked")
            }
            for method in ["GET", "DELETE"] {
                try expectRefusal(try await alice.ask(method, "/v1/account"), "id_token_revoked")
            }
            server.clock.advance(by: .seconds(1))
            #expect(try await server.person(alice.uid).ask("GET", "/v1/account")?.status == 200)
        }
    }

    @Test("LK-04: a disabled user, and a deleted user, are refused")
    func disabled() async throws {
        try await TestServer.open(Self.checking) { server in
            let alice = try await server.atYahoo()
            try expectRefusal(try await alice.ask("GET", "/v1/account"), "account_gone")
            try await server.standIns.firebaseUser(alice.uid, ["disabled": true])
            for (path, body, _) in Self.changes {
                try expectRefusal(try await alice.post(path, body), "user_disabled")
            }
            let body = Bodies.signIn.setting("intent", to: "link")
            try expectRefusal(try await alice.post("/v1/signin", body), "user_disabled")
            try expectRefusal(try await LinkFlowTests.push(alice), "user_disabled")
        }
    }

    @Test("LK-04: without check_revoked only calls that read do not ask whether the session was ended")
    func unchecked() async throws {
        try await TestServer.open(.google(.users)) { server in
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
            for uid in [alice.uid, bjorn.uid] {
                try await server.standIns.firebaseUser(uid, ["valid_since": 1_700_000_001])
            }
            // An account is shown with what Google says about its user.
            #expect(try await alice.ask("GET", "/v1/account")?.status == 200)
            #expect(try await server.standIns.calls(of: "google.lookup") == 1)
            let body = try await server.xCodeBody()
            try expectRefusal(try await alice.link(body), "id_token_revoked")
            #expect(try await alice.providers() == ["yahoo.com"])
            try await server.standIns.firebaseUser(alice.uid, ["valid_since": 1_600_000_000])
            #expect(try await alice.link(body).status == 200)
            try await server.standIns.firebaseUser(alice.uid, ["valid_since": 1_700_000_001])
            try expectRefusal(try await alice.unlink("twitter.com"), "id_token_revoked")
            try expectRefusal(try await alice.ask("DELETE", "/v1/account"), "id_token_revoked")
            try expectRefusal(try await alice.merge("from_id_token", bjorn.idToken), "id_token_revoked")
            try await server.standIns.firebaseUser(alice.uid, ["valid_since": 1_600_000_000])
            try expectRefusal(try await alice.merge("from_id_token", bjorn.idToken), "id_token_revoked")
            #expect(try await alice.providers() == ["twitter.com", "yahoo.com"])
            #expect(try await bjorn.providers() == ["twitter.com"])
        }
    }

    @Test("A user with a second factor is not merged away")
    func secondFactor() async throws {
        try await TestServer.open(.google(.users)) { server in
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
            try await server.standIns.firebaseUser(alice.uid)
            try await server.standIns.firebaseUser(bjorn.uid, ["mfa": true])
            try expectRefusal(try await alice.merge("from_id_token", bjorn.idToken), "second_factor_required")
            #expect(try await bjorn.providers() == ["twitter.com"])
        }
    }

    @Test("If Google does not respond, every request is refused")
    func down() async throws {
        try await TestServer.open(Self.checking) { server in
            let alice = try await server.atYahoo()
            try await server.standIns.firebaseUser(alice.uid)
            try await server.standIns.fault("google.lookup", ["status": 503, "body": "{}"], times: 100)
            try expectRefusal(try await alice.link(Bodies.inventedCode), "directory_unavailable", retry: "same")
            try await server.standIns.order("DELETE", "/faults")
            try await server.standIns.fault("google.token", ["status": 401, "body": "{}"], times: 100)
            try await server.standIns.order("DELETE", "/google/access-tokens")
            let response = try await alice.ask("GET", "/v1/account")
            #expect((response?.status ?? 0) >= 500, "\(response?.text ?? "")")
        }
    }
}

@Suite("Disabled and deleted accounts", .serialized, .timeLimit(.minutes(5)))
struct DisabledAccountTests {
    @Test("HO-16: a user who was disabled between callback and redemption is not signed in")
    func disabledMeanwhile() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            var browser = TestBrowser(server)
            let code = try await browser.signIn()
            #expect(try await server.store.setDisabled(true, uid: "\(alice.uid)"))
            let response = try await server.redeem(code)
            try expectNoToken(response, "access_denied", "user_disabled")
            #expect(response.json?["code"] == "auth/user-disabled")
        }
    }

    @Test("HO-16: whose account was deleted between callback and redemption has a new one")
    func deletedMeanwhile() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            var browser = TestBrowser(server)
            let code = try await browser.signIn()
            #expect(try await alice.ask("DELETE", "/v1/account")?.status == 200)
            let response = try await server.redeem(code)
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json?["is_new_user"] == true)
            #expect(response.json?["uid"]?.string != alice.uid)
        }
    }

    @Test("LK-19: a disabled user can neither sign in nor call, and stays disabled")
    func disabled() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            #expect(try await server.store.setDisabled(true, uid: "\(alice.uid)"))
            for _ in 0..<2 {
                try expectRefusal(try await server.exchange(try await server.codeBody()), "user_disabled")
                try expectRefusal(try await alice.link(try await server.xCodeBody()), "user_disabled")
                try expectRefusal(try await alice.reauthenticate(try await server.freshCodeBody()), "user_disabled")
                try expectRefusal(try await alice.unlink("yahoo.com"), "user_disabled")
                for method in ["GET", "DELETE"] {
                    try expectRefusal(try await alice.ask(method, "/v1/account"), "user_disabled")
                }
            }
            let bjorn = try await server.atX()
            try expectRefusal(try await bjorn.merge("from_id_token", alice.idToken), "user_disabled")
            let conflict = try await bjorn.link(try await server.codeBody())
            let pending = conflict.json?["pending_credential"]?.string ?? ""
            try expectRefusal(try await bjorn.merge("pending_credential", pending), "user_disabled")
            #expect(try await server.store.account(uid: "\(alice.uid)")?.isDisabled == true)
        }
    }
}
