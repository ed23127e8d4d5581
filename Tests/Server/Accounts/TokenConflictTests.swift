import Jansson
import OAuth
import Testing
import Transport

@Suite("Conflicts at the token endpoint", .serialized, .timeLimit(.minutes(5)))
struct TokenConflictTests {
    @Test("At /token a conflict is a 400, with all that the 409 has")
    func tokenEndpoint() async throws {
        try await Street.open(ConflictTests.oneEach) { street in
            let alice = try await street.atYahoo()
            var visitor = Visitor(street)
            let code = try await visitor.signIn(["provider": "twitter.com"])
            let answer = try await street.redeem(code)
            try expectNoToken(answer, "invalid_request", "account_exists_with_different_credential")
            #expect(answer.json?["code"] == "auth/account-exists-with-different-credential")
            #expect(answer.json?["email"] == "alice@example.com")
            #expect(answer.json?["providers"] == ["yahoo.com"])
            try expectNoToken(try await street.redeem(code), "invalid_grant", "replayed")
            #expect(try await alice.link(ConflictTests.pending(ConflictTests.value(answer))).status == 200)
            expectToken(try await street.redeem(try await visitor.signIn(["provider": "twitter.com"])))
        }
    }

    @Test("By token exchange a conflict is the same 400")
    func tokenExchange() async throws {
        try await Street.open(ConflictTests.oneEach) { street in
            _ = try await street.exchange(try await street.xCodeBody())
            let answer = try await street.form("/token", try await street.subjectToken())
            try expectNoToken(answer, "invalid_request", "account_exists_with_different_credential")
            #expect(answer.json?["providers"] == ["twitter.com"])
            #expect(ConflictTests.value(answer) != nil)
        }
    }
}
