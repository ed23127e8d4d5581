import Jansson
import Support
import Testing
import Transport

@Suite("Merging", .serialized, .timeLimit(.minutes(5)))
struct MergeTests {
    private static func two(_ server: TestServer) async throws -> (alice: Person, bjorn: Person) {
        (try await server.atYahoo(), try await server.atX())
    }

    @Test("An account merges another one with the ID token of that account, which is then deleted")
    func idToken() async throws {
        try await TestServer.open { server in
            let (alice, bjorn) = try await Self.two(server)
            let response = try await alice.merge("from_id_token", bjorn.idToken)
            #expect(response.status == 200, "\(response.text)")
            #expect(
                response.json?.object?.keys.sorted()
                    == ["account", "custom_token", "expires_in", "firebase_user", "merged_uid"])
            #expect(Payload.of(response.json?["custom_token"]?.string)?["uid"]?.string == alice.uid)
            #expect(response.json?["merged_uid"]?.string == bjorn.uid)
            #expect(response.json?["account"] == (try await alice.account()))
            #expect(try await alice.providers() == ["twitter.com", "yahoo.com"])
            // The emptied account is gone for good, whatever token it still has.
            try expectRefusal(try await bjorn.ask("GET", "/v1/account"), "account_gone")
            let later = try await server.exchange(try await server.xCodeBody(user: "bjorn"))
            #expect(later.json?["uid"]?.string == alice.uid)
            try expectRefusal(try await alice.merge("from_id_token", bjorn.idToken), "account_gone")
        }
    }

    @Test("With the pending credential of a conflict it does the same")
    func pendingCredential() async throws {
        try await TestServer.open { server in
            let (alice, bjorn) = try await Self.two(server)
            let conflict = try await alice.link(try await server.xCodeBody(user: "bjorn"))
            let pending = conflict.json?["pending_credential"]?.string ?? ""
            let response = try await alice.merge("pending_credential", pending)
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json?["merged_uid"]?.string == bjorn.uid)
            #expect(try await alice.providers() == ["twitter.com", "yahoo.com"])
            try expectRefusal(try await bjorn.link(try await server.codeBody()), "account_gone")
            try expectRefusal(try await alice.merge("pending_credential", pending), "replayed")
        }
    }

    @Test("Two identities of one provider stay apart, and nothing is spent")
    func sameProvider() async throws {
        try await TestServer.open { server in
            let (alice, bjorn) = (try await server.atYahoo("alice"), try await server.atYahoo("bjorn"))
            for _ in 0..<2 {
                try expectRefusal(try await alice.merge("from_id_token", bjorn.idToken), "provider_already_linked")
            }
            #expect(try await alice.providers() == ["yahoo.com"])
            #expect(try await bjorn.providers() == ["yahoo.com"])
        }
    }

    @Test("The other account is proven by a recent ID token of this project, and by no other text")
    func proof() async throws {
        try await TestServer.open { server in
            let (alice, bjorn) = try await Self.two(server)
            for (order, reason) in [
                (["authenticated_seconds_ago": 301], "requires_recent_login"),
                (["issued_seconds_ago": 3700], "id_token_expired"), (["key": "foreign"], "id_token_invalid"),
                (["project_id": "another"], "id_token_invalid"), (["tenant_id": "tenant-1"], "id_token_invalid"),
            ] as [(JSON, String)] {
                let other = try await server.person(bjorn.uid, order)
                try expectRefusal(try await alice.merge("from_id_token", other.idToken), reason)
            }
            try expectRefusal(try await alice.merge("from_id_token", "a.b.c"), "id_token_invalid")
            try expectRefusal(try await alice.merge("from_id_token", alice.idToken), "user_mismatch")
            try expectRefusal(try await alice.merge("pending_credential", "a"), "code_rejected")
            #expect(try await bjorn.providers() == ["twitter.com"])
        }
    }

    @Test("An account with a password is not emptied")
    func otherSignInMethod() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let native = try await server.person("native", ["sign_in_provider": "password"])
            try expectRefusal(try await alice.merge("from_id_token", native.idToken), "merge_not_possible")
            #expect(try await native.account()?["uid"] == "native")
        }
    }

    @Test("Of a token that is shown often at once, one merges")
    func race() async throws {
        try await TestServer.open { server in
            let (alice, bjorn) = try await Self.two(server)
            let reasons = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await alice.merge("from_id_token", bjorn.idToken).reason ?? "merged" }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(reasons["merged"] == 1)
            #expect(Set(reasons.keys).isSubset(of: ["merged", "replayed", "account_gone"]), "\(reasons)")
        }
    }

    @Test("Two accounts that take over each other at once are one afterwards")
    func crossed() async throws {
        for _ in 0..<5 {
            try await TestServer.open { server in
                let (alice, bjorn) = try await Self.two(server)
                async let first = alice.merge("from_id_token", bjorn.idToken)
                async let second = bjorn.merge("from_id_token", alice.idToken)
                let statuses = [try await first.status, try await second.status]
                #expect(statuses.filter { $0 == 200 }.count == 1, "\(statuses)")
                let uids = [
                    try await server.exchange(try await server.codeBody()).json?["uid"],
                    try await server.exchange(try await server.xCodeBody(user: "bjorn")).json?["uid"],
                ]
                #expect(uids[0] == uids[1], "\(uids)")
            }
        }
    }

    @Test("One proof, and never two of two accounts")
    func members() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let body: JSON = ["client_id": "my-app"]
            try expectRefusal(try await alice.post("/v1/account/merge", body), "missing_field")
            try expectRefusal(
                try await alice.post(
                    "/v1/account/merge",
                    body.setting("from_id_token", to: "a").setting("pending_credential", to: "b")), "unknown_field")
            try expectRefusal(
                try await alice.post("/v1/account/merge", ["from_id_token": "a.b.c"]), "missing_field")
            try expectRefusal(
                try await alice.post("/v1/account/merge", ["client_id": "nobody", "from_id_token": "a.b.c"]),
                "unknown_client")
        }
    }
}
