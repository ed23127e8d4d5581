import Jansson
import Server
import Stores
import Support
import Testing
import Transport

@Suite("Fresh tokens of a provider", .serialized, .timeLimit(.minutes(5)))
struct ProviderTokenTests {
    private static let returning = Plan.with { $0.returnsProviderTokens = true }

    /// Signs a user of Yahoo in, and returns the refresh token of that sign-in.
    private static func refreshToken(of user: String, at server: TestServer) async throws -> String {
        let response = try await server.exchange(try await server.codeBody(user: user)).json
        return try #require(response?["oauth"]?["refresh_token"]?.string)
    }

    @Test("The refresh token of a linked identity is answered with fresh tokens, each time")
    func success() async throws {
        try await TestServer.open(Self.returning) { server in
            let alice = try await server.atYahoo()
            var token = try await Self.refreshToken(of: "alice", at: server)
            var seen: Set<JSON> = []
            for _ in 0..<4 {
                let response = try await alice.refresh(token)
                #expect(response.status == 200, "\(response.text)")
                expectSafeHeader(response)
                #expect(response.json?.object?.keys.sorted() == ["oauth"])
                let tokens = response.json?["oauth"]
                #expect(tokens?["expires_in"] == 3600)
                seen.insert(tokens?["access_token"] ?? .null)
                token = tokens?["refresh_token"]?.string ?? token
            }
            #expect(seen.count == 4)
        }
    }

    @Test("The refresh token of another person is refused, and its tokens are not returned")
    func otherPerson() async throws {
        try await TestServer.open(Self.returning) { server in
            let alice = try await server.atYahoo()
            let response = try await alice.refresh(try await Self.refreshToken(of: "bjorn", at: server))
            try expectRefusal(response, "user_mismatch")
        }
    }

    @Test("An account without an identity of the provider is refused before the provider is called")
    func notLinked() async throws {
        try await TestServer.open(Self.returning) { server in
            let guest = try await server.anonymous()
            let token = try await Self.refreshToken(of: "alice", at: server)
            let before = try await server.standIns.calls(of: "yahoo.token")
            try expectRefusal(try await guest.refresh(token), "no_such_provider")
            #expect(try await server.standIns.calls(of: "yahoo.token") == before)
        }
    }

    @Test("A client without return_provider_tokens is refused before the provider is called")
    func disabled() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let before = try await server.standIns.calls(of: "yahoo.token")
            try expectRefusal(try await alice.refresh("r"), "provider_tokens_disabled")
            #expect(try await server.standIns.calls(of: "yahoo.token") == before)
        }
    }

    @Test("Without a bearer, or with an incomplete body, the request is refused")
    func malformed() async throws {
        try await TestServer.open(Self.returning) { server in
            let alice = try await server.atYahoo()
            let body: JSON = ["client_id": "my-app", "provider": "yahoo.com", "refresh_token": "r"]
            try expectRefusal(try await server.post("/v1/provider-token", body), "id_token_missing")
            for member in ["client_id", "provider", "refresh_token"] {
                try expectRefusal(
                    try await alice.post("/v1/provider-token", body.setting(member, to: nil)), "missing_field")
            }
            try expectRefusal(
                try await alice.post("/v1/provider-token", body.setting("scope", to: "mail-r")), "unknown_field")
        }
    }

    @Test("The number of refreshes is limited per account, from whatever addresses they come")
    func limit() async throws {
        let plan = Plan.with {
            $0.returnsProviderTokens = true
            $0.trustsLoopback = true
            $0.limits.exchangesPerAddress = .init(count: 3, period: .seconds(60))
        }
        try await TestServer.open(plan) { server in
            let alice = try await server.atYahoo()
            var reasons: [String?] = []
            for number in 1...4 {
                let response = try await alice.post(
                    "/v1/provider-token", ["client_id": "my-app", "provider": "yahoo.com", "refresh_token": "r"],
                    header: [HeaderField("X-Forwarded-For", "203.0.113.\(number)")])
                reasons.append(response.reason)
            }
            #expect(reasons == ["token_rejected", "token_rejected", "token_rejected", "rate_limited"])
        }
    }
}
