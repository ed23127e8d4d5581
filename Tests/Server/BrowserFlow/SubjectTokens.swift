import Jansson
import Testing
import Transport

extension TestServer {
    /// The form of RFC 8693 with a new ID token of Yahoo.
    func subjectToken() async throws -> [String: String] {
        let credential = try await idTokenBody()["credential"]
        return [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "my-app",
            "subject_token": credential?["id_token"]?.string ?? "",
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "subject_issuer": "yahoo.com",
            "nonce": credential?["nonce"]?.string ?? "",
        ]
    }
}

@Suite("Subject tokens", .serialized, .timeLimit(.minutes(5)))
struct SubjectTokenTests {
    private static let accessToken = "urn:ietf:params:oauth:token-type:access_token"

    @Test("An access token is accepted only if its provider has introspection")
    func introspected() async throws {
        try await TestServer.open { server in
            for (provider, isGood) in [("asking.example", true), ("yahoo.com", false)] {
                let credential = try await server.accessTokenBody(provider: provider)["credential"]
                let response = try await server.form(
                    "/token",
                    [
                        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "my-app",
                        "subject_token": credential?["access_token"]?.string ?? "",
                        "subject_token_type": Self.accessToken, "subject_issuer": provider,
                        "nonce": credential?["nonce"]?.string ?? "",
                    ])
                if isGood {
                    expectToken(response, uid: "asking.example:ALICEWJNWVNQD4GXZ5NGMZUST4")
                } else {
                    try expectNoToken(response, "invalid_request", "audience_unverifiable")
                }
            }
        }
    }

    @Test("subject_issuer may be called provider, and both must agree")
    func issuerName() async throws {
        try await TestServer.open { server in
            let named = try await server.subjectToken().changing(["provider": "yahoo.com", "subject_issuer": nil])
            expectToken(try await server.form("/token", named))
            let form = try await server.subjectToken()
            for (changes, reason) in [
                (["provider": "twitter.com"], "malformed_body"), (["provider": "Yahoo.com"], "malformed_body"),
                (["subject_issuer": "twitter.com", "provider": "yahoo.com"], "malformed_body"),
                (["subject_issuer": nil, "provider": "nobody.example"], "unknown_provider"),
                (["subject_issuer": nil], "missing_field"),
            ] as [([String: String?], String)] {
                try expectNoToken(
                    try await server.form("/token", form.changing(changes)), "invalid_request", reason)
            }
            expectToken(try await server.form("/token", form.changing(["provider": "yahoo.com"])))
        }
    }
}
