import Jansson
import Testing
import Transport

@Suite("Whom linking obeys", .serialized, .timeLimit(.minutes(5)))
struct LinkRuleTests {
    @Test("LK-05: whoever signed in longer ago than five minutes links nothing")
    func recentLogin() async throws {
        try await Street.open { street in
            _ = try await street.atYahoo()
            let stale = try await street.person(Street.alice, ["authenticated_seconds_ago": 301])
            let body = try await street.xCodeBody()
            let answer = try await stale.link(body)
            try expectRefusal(answer, "requires_recent_login")
            try expectRefusal(try await stale.unlink("yahoo.com"), "requires_recent_login")
            try expectRefusal(try await stale.ask("DELETE", "/v1/account"), "requires_recent_login")
            try expectRefusal(try await stale.merge("from_id_token", stale.idToken), "requires_recent_login")
            #expect(try await stale.providers() == ["yahoo.com"])
            // Nothing was spent, and three hundred seconds are recent.
            let recent = try await street.person(Street.alice, ["authenticated_seconds_ago": 300])
            #expect(try await recent.link(body).status == 200)
        }
    }

    @Test("LK-05: to reauthenticate needs no recent sign-in, and makes one")
    func stale() async throws {
        try await Street.open { street in
            _ = try await street.atYahoo()
            let stale = try await street.person(Street.alice, ["authenticated_seconds_ago": 86_400])
            #expect(try await stale.reauthenticate(try await street.freshCodeBody()).status == 200)
        }
    }

    @Test("LK-08: a credential is held to all rules of a sign-in")
    func credentials() async throws {
        try await Street.open { street in
            let bjorn = try await street.atX()
            let used = try await street.idTokenBody()
            #expect(try await street.exchange(used).status == 200)
            try expectRefusal(try await bjorn.link(used), "replayed")
            for (body, reason) in [
                (try await street.idTokenBody(application: "hostile"), "audience_mismatch"),
                (try await street.tokenPairBody(application: "hostile"), "token_rejected"),
                (try await street.accessTokenBody(provider: "yahoo.com"), "audience_unverifiable"),
                (try await street.idTokenBody(claims: ["key": "foreign"]), "signature_invalid"),
                (try await street.idTokenBody(claims: ["iss": "https://evil.example"]), "issuer_mismatch"),
                (
                    try await street.idTokenBody().setting(
                        "credential", "nonce", to: .string(try await street.nonce().verifier)), "nonce_mismatch"
                ),
                (Bodies.inventedCode, "code_rejected"),
                (Bodies.inventedIDToken.setting("client_id", to: "nobody"), "unknown_client"),
                (Bodies.inventedIDToken.setting("client_id", to: "x-only"), "provider_disabled"),
            ] {
                try expectRefusal(try await bjorn.link(body), reason)
            }
            #expect(try await bjorn.providers() == ["twitter.com"])
        }
    }

    @Test("LK-10: whose account it is, the bearer alone says")
    func identifier() async throws {
        try await Street.open { street in
            let (alice, bjorn) = (try await street.atYahoo(), try await street.atX())
            for member in ["uid", "user_id", "sub", "account"] {
                let victim = JSON.string(bjorn.uid)
                for (path, body) in [
                    ("link", Bodies.inventedCode), ("reauthenticate", Bodies.inventedCode),
                    ("unlink", ["provider": "yahoo.com"]), ("merge", ["client_id": "my-app"]), ("signout", [:]),
                ] as [(String, JSON)] {
                    try expectRefusal(
                        try await alice.post("/v1/account/\(path)", body.setting(member, to: victim)), "unknown_field")
                }
                for method in ["GET", "DELETE"] {
                    try expectRefusal(try await alice.ask(method, "/v1/account?\(member)=a"), "unknown_field")
                    try expectRefusal(
                        try await alice.ask(method, "/v1/account?client_id=my-app&\(member)=a"), "unknown_field")
                }
            }
            try expectRefusal(try await alice.ask("GET", "/v1/account/\(bjorn.uid)"), "not_found")
        }
    }
}
