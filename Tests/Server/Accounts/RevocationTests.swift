import Flows
import Jansson
import Testing
import Transport

/// What only Identity Toolkit knows of a token's user.
@Suite("Revoked and disabled Firebase users", .serialized, .timeLimit(.minutes(5)))
struct RevocationTests {
    private static let checking = Plan.google(.users) { $0.rules.checksRevocation = true }

    @Test("LK-04: with check_revoked, a token from before the revocation is refused")
    func revoked() async throws {
        try await Street.open(Self.checking) { street in
            let alice = try await street.atYahoo()
            try await street.standIns.firebaseUser(alice.uid)
            #expect(try await alice.ask("GET", "/v1/account")?.status == 200)
            try await street.standIns.firebaseUser(alice.uid, ["valid_since": 1_700_000_001])
            for path in BearerTests.posts {
                try expectRefusal(try await alice.ask("POST", path, body: "["), "id_token_revoked")
            }
            for method in ["GET", "DELETE"] {
                try expectRefusal(try await alice.ask(method, "/v1/account"), "id_token_revoked")
            }
            street.clock.advance(by: .seconds(1))
            #expect(try await street.person(alice.uid).ask("GET", "/v1/account")?.status == 200)
        }
    }

    @Test("LK-04: a disabled user is refused, and one who is no more")
    func disabled() async throws {
        try await Street.open(Self.checking) { street in
            let alice = try await street.atYahoo()
            try expectRefusal(try await alice.ask("GET", "/v1/account"), "account_gone")
            try await street.standIns.firebaseUser(alice.uid, ["disabled": true])
            for path in BearerTests.posts {
                try expectRefusal(try await alice.ask("POST", path, body: "["), "user_disabled")
            }
            let body = Bodies.signIn.setting("intent", to: "link")
            try expectRefusal(try await alice.post("/v1/signin", body), "user_disabled")
            try expectRefusal(try await LinkFlowTests.push(alice), "user_disabled")
        }
    }

    @Test("LK-04: without check_revoked Google is asked where an account ends, and nowhere else")
    func unchecked() async throws {
        try await Street.open(.google(.users)) { street in
            let (alice, bjorn) = (try await street.atYahoo(), try await street.atX())
            for uid in [alice.uid, bjorn.uid] {
                try await street.standIns.firebaseUser(uid, ["valid_since": 1_700_000_001])
            }
            #expect(try await alice.ask("GET", "/v1/account")?.status == 200)
            #expect(try await alice.link(try await street.xCodeBody()).status == 200)
            #expect(try await alice.unlink("twitter.com").status == 200)
            #expect(try await street.standIns.calls(of: "google.lookup") == 0)
            try expectRefusal(try await alice.ask("DELETE", "/v1/account"), "id_token_revoked")
            try expectRefusal(try await alice.merge("from_id_token", bjorn.idToken), "id_token_revoked")
            try await street.standIns.firebaseUser(alice.uid, ["valid_since": 1_600_000_000])
            try expectRefusal(try await alice.merge("from_id_token", bjorn.idToken), "id_token_revoked")
            #expect(try await bjorn.providers() == ["twitter.com"])
        }
    }

    @Test("Whoever has a second factor is not merged away")
    func secondFactor() async throws {
        try await Street.open(.google(.users)) { street in
            let (alice, bjorn) = (try await street.atYahoo(), try await street.atX())
            try await street.standIns.firebaseUser(alice.uid)
            try await street.standIns.firebaseUser(bjorn.uid, ["mfa": true])
            try expectRefusal(try await alice.merge("from_id_token", bjorn.idToken), "second_factor_required")
            #expect(try await bjorn.providers() == ["twitter.com"])
        }
    }

    @Test("Where Google does not answer, nobody is let through")
    func down() async throws {
        try await Street.open(Self.checking) { street in
            let alice = try await street.atYahoo()
            try await street.standIns.firebaseUser(alice.uid)
            try await street.standIns.fault("google.lookup", ["status": 503, "body": "{}"], times: 100)
            try expectRefusal(
                try await alice.ask("POST", "/v1/account/link", body: "["), "directory_unavailable", retry: "same")
            try await street.standIns.order("DELETE", "/faults")
            try await street.standIns.fault("google.token", ["status": 401, "body": "{}"], times: 100)
            try await street.standIns.order("DELETE", "/google/access-tokens")
            let answer = try await alice.ask("GET", "/v1/account")
            #expect((answer?.status ?? 0) >= 500, "\(answer?.text ?? "")")
        }
    }
}
