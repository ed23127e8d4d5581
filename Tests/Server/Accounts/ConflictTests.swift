import Jansson
import Standards
import Stores
import Support
import Testing
import Transport

/// The pending credential of a 409, and the accounts that may use it.
@Suite("Conflicts", .serialized, .timeLimit(.minutes(5)))
struct ConflictTests {
    static let oneEach = Plan.with { $0.emails = .oneAccountEach }

    static func pending(_ value: String?, provider: String = "twitter.com") -> JSON {
        Bodies.exchange(provider, ["type": "pending", "pending_credential": .string(value ?? "")])
    }

    static func value(_ response: OutboundResponse) -> String? { response.json?["pending_credential"]?.string }

    /// Alice tries to link an identity of Björn.
    private static func taken(_ server: TestServer) async throws -> (alice: Person, bjorn: Person, pending: String) {
        let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
        let response = try await alice.link(try await server.xCodeBody(user: "bjorn"))
        try expectRefusal(response, "credential_already_in_use", further: ["existing_uid", "pending_credential"])
        return (alice, bjorn, value(response) ?? "")
    }

    @Test("A pending credential of a link signs in once, as the account with the identity")
    func signIn() async throws {
        try await TestServer.open { server in
            let (alice, bjorn, pending) = try await Self.taken(server)
            let response = try await server.exchange(Self.pending(pending))
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json?["uid"]?.string == bjorn.uid)
            #expect(response.json?["is_new_user"] == false)
            #expect(response.json?["audience_proof"] == "authorization_code")
            try expectRefusal(try await server.exchange(Self.pending(pending)), "replayed")
            #expect(response.json?["provider"] == "twitter.com")
            try expectRefusal(try await alice.merge("pending_credential", pending), "replayed")
            #expect(try await alice.providers() == ["yahoo.com"])
        }
    }

    @Test("A pending credential needs no provider, and stands for its own")
    func withoutProvider() async throws {
        try await TestServer.open { server in
            let (alice, bjorn, pending) = try await Self.taken(server)
            let bare = Self.pending(pending).setting("provider", to: nil)
            try expectRefusal(try await server.exchange(bare.setting("provider", to: "yahoo.com")), "code_rejected")
            let nowhere = bare.setting("provider", to: "nobody.example")
            try expectRefusal(try await server.exchange(nowhere), "unknown_provider")
            try expectRefusal(try await alice.link(nowhere), "unknown_provider")
            let xOnly = bare.setting("client_id", to: "x-only")
            try expectRefusal(try await server.exchange(xOnly), "code_rejected")
            let again = try await alice.link(bare)
            try expectRefusal(again, "credential_already_in_use", further: ["existing_uid", "pending_credential"])
            let entered = try await server.exchange(
                Self.pending(Self.value(again)).setting("provider", to: nil))
            #expect(entered.status == 200 && entered.json?["uid"]?.string == bjorn.uid, "\(entered.text)")
        }
    }

    @Test("Only a pending credential stands for its provider")
    func otherWithoutProvider() async throws {
        try await TestServer.open { server in
            let body = try await server.codeBody().setting("provider", to: nil)
            try expectRefusal(try await server.exchange(body), "missing_field")
            try expectRefusal(try await server.atX().link(body), "missing_field")
        }
    }

    @Test("A pending credential is valid only for its account, client and provider")
    func holder() async throws {
        try await TestServer.open { server in
            let (alice, bjorn, pending) = try await Self.taken(server)
            let carol = try await server.atYahoo("carol")
            for (response, reason) in [
                (try await carol.link(Self.pending(pending)), "code_rejected"),
                (try await carol.merge("pending_credential", pending), "code_rejected"),
                (try await bjorn.merge("pending_credential", pending), "code_rejected"),
                (try await alice.reauthenticate(Self.pending(pending)), "intent_mismatch"),
                (try await server.exchange(Self.pending(pending, provider: "yahoo.com")), "code_rejected"),
                (
                    try await server.exchange(Self.pending(pending).setting("client_id", to: "x-only")),
                    "code_rejected"
                ),
                (try await server.exchange(Self.pending(pending + "A")), "code_rejected"),
                (try await server.exchange(Self.pending(try await server.nonce().verifier)), "code_rejected"),
            ] {
                try expectRefusal(response, reason)
            }
            // It is still Björn's, and now there is another one.
            let again = try await alice.link(Self.pending(pending))
            try expectRefusal(again, "credential_already_in_use", further: ["existing_uid", "pending_credential"])
            try expectRefusal(try await alice.link(Self.pending(pending)), "replayed")
            #expect(try await server.exchange(Self.pending(Self.value(again))).status == 200)
        }
    }

    @Test("A pending credential is valid for ten minutes")
    func lifetime() async throws {
        try await TestServer.open { server in
            let (_, _, pending) = try await Self.taken(server)
            server.clock.advance(by: .seconds(600))
            try expectRefusal(try await server.exchange(Self.pending(pending)), "expired")
        }
    }

    @Test("A first sign-in by another provider meets the account of its verified address")
    func accountExists() async throws {
        try await TestServer.open(Self.oneEach) { server in
            let alice = try await server.atYahoo()
            let body = try await server.xCodeBody()
            let response = try await server.exchange(body)
            try expectRefusal(
                response, "account_exists_with_different_credential",
                further: ["email", "pending_credential", "providers"])
            #expect(response.json?["email"] == "alice@example.com")
            #expect(response.json?["providers"] == ["yahoo.com"])
            try expectRefusal(try await server.exchange(body), "replayed")
            let pending = Self.pending(Self.value(response))
            // Link only, and to this account only.
            try expectRefusal(try await server.exchange(pending), "intent_mismatch")
            try expectRefusal(
                try await alice.merge("pending_credential", Self.value(response) ?? ""), "intent_mismatch")
            try expectRefusal(try await server.atYahoo("bjorn").link(pending), "code_rejected")
            #expect(try await alice.link(pending).status == 200)
            let later = try await server.exchange(try await server.xCodeBody())
            #expect(later.json?["uid"]?.string == alice.uid)
        }
    }

    @Test("LK-14: an unverified address neither conflicts nor links")
    func unverified() async throws {
        try await TestServer.open(Self.oneEach) { server in
            let attacker = try await server.exchange(
                try await server.codeBody(
                    user: "mallory", claims: ["set": ["email": "alice@example.com", "email_verified": false]]))
            #expect(attacker.status == 200, "\(attacker.text)")
            let native = try await server.person(
                "native", ["set": ["email": "alice@example.com", "email_verified": false]])
            #expect(try await native.account()?["uid"] == "native")
            let victim = try await server.exchange(try await server.xCodeBody())
            #expect(victim.status == 200, "\(victim.text)")
            #expect(victim.json?["uid"] == "twitter.com:2244994945")
            #expect(victim.json?["is_new_user"] == true)
        }
    }

    @Test("LK-14: an anonymous account gains nothing from a sign-in of another user")
    func anonymous() async throws {
        try await TestServer.open(Self.oneEach) { server in
            let attacker = try await server.anonymous()
            #expect(try await server.atYahoo().uid == TestServer.alice)
            #expect(try await attacker.providers() == [])
        }
    }
}

@Suite("Conflicts at the token endpoint", .serialized, .timeLimit(.minutes(5)))
struct TokenConflictTests {
    @Test("At /token a conflict is a 400, with all that the 409 has")
    func tokenEndpoint() async throws {
        try await TestServer.open(ConflictTests.oneEach) { server in
            let alice = try await server.atYahoo()
            var browser = TestBrowser(server)
            let code = try await browser.signIn(["provider": "twitter.com"])
            let response = try await server.redeem(code)
            try expectNoToken(response, "invalid_request", "account_exists_with_different_credential")
            #expect(response.json?["code"] == "auth/account-exists-with-different-credential")
            #expect(response.json?["email"] == "alice@example.com")
            #expect(response.json?["providers"] == ["yahoo.com"])
            try expectNoToken(try await server.redeem(code), "invalid_grant", "replayed")
            #expect(try await alice.link(ConflictTests.pending(ConflictTests.value(response))).status == 200)
            expectToken(try await server.redeem(try await browser.signIn(["provider": "twitter.com"])))
        }
    }

    @Test("By token exchange a conflict is the same 400")
    func tokenExchange() async throws {
        try await TestServer.open(ConflictTests.oneEach) { server in
            _ = try await server.exchange(try await server.xCodeBody())
            let response = try await server.form("/token", try await server.subjectToken())
            try expectNoToken(response, "invalid_request", "account_exists_with_different_credential")
            #expect(response.json?["providers"] == ["twitter.com"])
            #expect(ConflictTests.value(response) != nil)
        }
    }
}
