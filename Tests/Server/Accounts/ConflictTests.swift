import Jansson
import OAuth
import Stores
import Testing
import Transport

/// What a 409 hands out, and for whom it is good.
@Suite("Conflicts", .serialized, .timeLimit(.minutes(5)))
struct ConflictTests {
    static let oneEach = Plan.with { $0.emails = .oneAccountEach }

    static func pending(_ value: String?, provider: String = "twitter.com") -> JSON {
        Bodies.exchange(provider, ["type": "pending", "pending_credential": .string(value ?? "")])
    }

    static func value(_ answer: OutboundResponse) -> String? { answer.json?["pending_credential"]?.string }

    /// Alice links what is Björn's.
    private static func taken(_ street: Street) async throws -> (alice: Person, bjorn: Person, pending: String) {
        let (alice, bjorn) = (try await street.atYahoo(), try await street.atX())
        let answer = try await alice.link(try await street.xCodeBody(user: "bjorn"))
        try expectRefusal(answer, "credential_already_in_use", further: ["pending_credential"])
        return (alice, bjorn, value(answer) ?? "")
    }

    @Test("A pending credential of a link signs in once, as the account that holds the identity")
    func signIn() async throws {
        try await Street.open { street in
            let (alice, bjorn, pending) = try await Self.taken(street)
            let answer = try await street.exchange(Self.pending(pending))
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json?["uid"]?.string == bjorn.uid)
            #expect(answer.json?["is_new_user"] == false)
            #expect(answer.json?["audience_proof"] == "authorization_code")
            try expectRefusal(try await street.exchange(Self.pending(pending)), "replayed")
            try expectRefusal(try await alice.merge("pending_credential", pending), "replayed")
            #expect(try await alice.providers() == ["yahoo.com"])
        }
    }

    @Test("It is good for the account that provoked it, for its client and for its provider alone")
    func holder() async throws {
        try await Street.open { street in
            let (alice, bjorn, pending) = try await Self.taken(street)
            let carol = try await street.atYahoo("carol")
            for (answer, reason) in [
                (try await carol.link(Self.pending(pending)), "code_rejected"),
                (try await carol.merge("pending_credential", pending), "code_rejected"),
                (try await bjorn.merge("pending_credential", pending), "code_rejected"),
                (try await alice.reauthenticate(Self.pending(pending)), "intent_mismatch"),
                (try await street.exchange(Self.pending(pending, provider: "yahoo.com")), "code_rejected"),
                (
                    try await street.exchange(Self.pending(pending).setting("client_id", to: "x-only")),
                    "code_rejected"
                ),
                (try await street.exchange(Self.pending(pending + "A")), "code_rejected"),
                (try await street.exchange(Self.pending(try await street.nonce().verifier)), "code_rejected"),
            ] {
                try expectRefusal(answer, reason)
            }
            // It is still Björn's, and now there is another one.
            let again = try await alice.link(Self.pending(pending))
            try expectRefusal(again, "credential_already_in_use", further: ["pending_credential"])
            try expectRefusal(try await alice.link(Self.pending(pending)), "replayed")
            #expect(try await street.exchange(Self.pending(Self.value(again))).status == 200)
        }
    }

    @Test("It is good for ten minutes")
    func lifetime() async throws {
        try await Street.open { street in
            let (_, _, pending) = try await Self.taken(street)
            street.clock.advance(by: .seconds(600))
            try expectRefusal(try await street.exchange(Self.pending(pending)), "expired")
        }
    }

    @Test("A first sign-in by another provider meets the account of its verified address")
    func accountExists() async throws {
        try await Street.open(Self.oneEach) { street in
            let alice = try await street.atYahoo()
            let body = try await street.xCodeBody()
            let answer = try await street.exchange(body)
            try expectRefusal(
                answer, "account_exists_with_different_credential",
                further: ["email", "pending_credential", "providers"])
            #expect(answer.json?["email"] == "alice@example.com")
            #expect(answer.json?["providers"] == ["yahoo.com"])
            try expectRefusal(try await street.exchange(body), "replayed")
            let pending = Self.pending(Self.value(answer))
            // Link only, and to this account only.
            try expectRefusal(try await street.exchange(pending), "intent_mismatch")
            try expectRefusal(
                try await alice.merge("pending_credential", Self.value(answer) ?? ""), "intent_mismatch")
            try expectRefusal(try await street.atYahoo("bjorn").link(pending), "code_rejected")
            #expect(try await alice.link(pending).status == 200)
            let later = try await street.exchange(try await street.xCodeBody())
            #expect(later.json?["uid"]?.string == alice.uid)
        }
    }

    @Test("LK-14: an address that nobody has verified neither conflicts nor links")
    func unverified() async throws {
        try await Street.open(Self.oneEach) { street in
            let attacker = try await street.exchange(
                try await street.codeBody(
                    user: "mallory", claims: ["set": ["email": "alice@example.com", "email_verified": false]]))
            #expect(attacker.status == 200, "\(attacker.text)")
            let native = try await street.person(
                "native", ["set": ["email": "alice@example.com", "email_verified": false]])
            #expect(try await native.account()?["uid"] == "native")
            let victim = try await street.exchange(try await street.xCodeBody())
            #expect(victim.status == 200, "\(victim.text)")
            #expect(victim.json?["uid"] == "twitter.com:2244994945")
            #expect(victim.json?["is_new_user"] == true)
        }
    }

    @Test("LK-14: an anonymous account gains nothing from who signs in beside it")
    func anonymous() async throws {
        try await Street.open(Self.oneEach) { street in
            let attacker = try await street.anonymous()
            #expect(try await street.atYahoo().uid == Street.alice)
            #expect(try await attacker.providers() == [])
        }
    }
}
