import JOSE
import Jansson
import Standards
import Testing
import Transport

extension TestServer {
    /// The form of RFC 8693 with a new ID token of Yahoo, in which a test may change claims.
    func subjectToken(
        application: String = "ours", claims: JSON? = nil, provider: String = "yahoo.com"
    ) async throws -> [String: String] {
        let credential = try await idTokenBody(application: application, claims: claims, provider: provider)[
            "credential"]
        return [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "my-app",
            "subject_token": credential?["id_token"]?.string ?? "",
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token", "subject_issuer": provider,
            "nonce": credential?["nonce"]?.string ?? "",
        ]
    }
}

@Suite("Token exchange", .serialized, .timeLimit(.minutes(5)))
struct SubjectTokenTests {
    private static let jwt = "urn:ietf:params:oauth:token-type:jwt"
    private static let accessToken = "urn:ietf:params:oauth:token-type:access_token"

    @Test("TX-15: an ID token is answered with a custom token, which is no access token (RFC 8693 §2.2.1)")
    func success() async throws {
        try await TestServer.open { server in
            for requested in [nil, Self.jwt] {
                let response = try await server.form(
                    "/token", try await server.subjectToken().changing(["requested_token_type": requested]))
                expectToken(response)
                expectSafeHeader(response)
                #expect(response[field: "Pragma"] == "no-cache")
                let body = try #require(response.json?.object)
                #expect(
                    body.keys.sorted() == [
                        "access_token", "audience_proof", "expires_in", "is_new_user", "issued_token_type", "profile",
                        "provider", "provider_uid", "token_type", "uid",
                    ])
                #expect(body["token_type"] == "N_A")
                #expect(body["issued_token_type"]?.string == Self.jwt)
                #expect(body["expires_in"] == 300)
                #expect(body["audience_proof"] == "id_token_aud")
            }
        }
    }

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

    @Test(
        "TX-01: a subject token with one defect is invalid_request, with the reason of the other endpoint",
        arguments: [
            (["iss": "https://evil.example"], "issuer_mismatch"), (["key": "foreign"], "signature_invalid"),
            (["key": "hs256"], "algorithm_not_allowed"), (["key": "none"], "malformed_token"),
            (["header": ["kid": "another"]], "unknown_key"), (["set": ["exp": 1_699_999_000]], "expired"),
            (["set": ["iat": 1_700_000_100]], "not_yet_valid"), (["set": ["aud": "another"]], "audience_mismatch"),
            (["set": ["nonce": "another"]], "nonce_mismatch"), (["remove": ["sub"]], "malformed_token"),
        ] as [(JSON, String)])
    func badToken(defect: JSON, reason: String) async throws {
        try await TestServer.open { server in
            try expectNoToken(
                try await server.form("/token", try await server.subjectToken(claims: defect)), "invalid_request",
                reason)
        }
    }

    @Test("TX-01: a token of another application, and one without its nonce, are refused")
    func otherApplication() async throws {
        try await TestServer.open { server in
            try expectNoToken(
                try await server.form("/token", try await server.subjectToken(application: "hostile")),
                "invalid_request", "audience_mismatch")
            let form = try await server.subjectToken()
            try expectNoToken(
                try await server.form("/token", form.changing(["nonce": nil])), "invalid_request", "missing_field")
            try expectNoToken(
                try await server.form("/token", form.changing(["nonce": "AAAA"])), "invalid_request", "nonce_mismatch")
            expectToken(try await server.form("/token", form))
        }
    }

    @Test("TX-03: a subject token can be used once, here and at /v1/exchange together")
    func replay() async throws {
        try await TestServer.open { server in
            let form = try await server.subjectToken()
            expectToken(try await server.form("/token", form))
            try expectNoToken(try await server.form("/token", form), "invalid_request", "replayed")
            let body = try await server.idTokenBody()
            #expect(try await server.exchange(body).status == 200)
            let credential = body["credential"]
            try expectNoToken(
                try await server.form(
                    "/token",
                    form.changing([
                        "subject_token": credential?["id_token"]?.string, "nonce": credential?["nonce"]?.string,
                    ])), "invalid_request", "replayed")
        }
    }

    @Test("TX-03: of fifty parallel exchanges of one token one is answered")
    func race() async throws {
        try await TestServer.open { server in
            let form = try await server.subjectToken()
            let reasons = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        let response = try await server.form("/token", form)
                        return response.reason ?? "\(response.status)"
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(reasons == ["200": 1, "replayed": 49])
        }
    }

    @Test(
        "TX-04: a token that is no ID token of the provider is none: our own, Firebase's, and the provider's access token"
    )
    func otherTokens() async throws {
        try await TestServer.open { server in
            let form = try await server.subjectToken()
            let ours = try await server.form("/token", form).json?["access_token"]?.string ?? ""
            let header: JSON = ["alg": "RS256", "kid": "key-1", "typ": "JWT"]
            let claims: JSON = [
                "iss": "https://securetoken.google.com/project", "aud": "project", "sub": "uid", "exp": 1_700_003_600,
                "iat": 1_700_000_000,
            ]
            let firebase =
                Base64URL.encode(header.serialized()) + "." + Base64URL.encode(claims.serialized()) + ".AAAA"
            for (token, reason) in [
                (ours, "algorithm_not_allowed"), (firebase, "unknown_key"),
                (try await server.standIns.yahoo(nonce: nil).accessToken, "malformed_token"), ("a", "malformed_token"),
            ] {
                let fresh = try await server.subjectToken().changing(["subject_token": token])
                let response = try await server.form("/token", fresh)
                #expect(response.status == 400)
                #expect(response.json?["error"] == "invalid_request", "\(reason)")
                #expect(response.json?["access_token"] == nil)
            }
        }
    }

    @Test(
        "TX-05: a custom token is for one project: any audience or resource is invalid_target",
        arguments: [
            ["audience": "other-project"], ["audience": "project"], ["resource": "https://other.example"],
            ["resource": "/relative"], ["resource": "https://a.example#x"], ["audience": "a", "resource": "b"],
        ])
    func target(_ changes: [String: String]) async throws {
        try await TestServer.open { server in
            let form = try await server.subjectToken()
            try expectNoToken(
                try await server.form("/token", form.changing(changes)), "invalid_target", "invalid_target")
            // RFC 8693 §2.1: these two may be given more than once.
            let body = Form.encoded(form.changing(changes)) + "&audience=b&resource=https%3A%2F%2Fb.example"
            try expectNoToken(
                try await server.post("/token", text: body, type: "application/x-www-form-urlencoded"),
                "invalid_target", "invalid_target")
            expectToken(try await server.form("/token", form))
        }
    }

    @Test(
        "TX-06, TX-07: delegation is refused, and no other type of token is issued",
        arguments: [
            (["actor_token": "t"], "parameter_not_allowed"), (["actor_token_type": jwt], "parameter_not_allowed"),
            (["actor_token": "t", "actor_token_type": jwt], "parameter_not_allowed"),
            (["requested_token_type": accessToken], "malformed_body"),
            (["requested_token_type": "jwt"], "malformed_body"),
            (["subject_token_type": jwt], "unknown_credential_type"),
            (["subject_token_type": "urn:ietf:params:oauth:token-type:refresh_token"], "unknown_credential_type"),
        ])
    func delegation(_ changes: [String: String], reason: String) async throws {
        try await TestServer.open { server in
            let form = try await server.subjectToken()
            try expectNoToken(try await server.form("/token", form.changing(changes)), "invalid_request", reason)
            expectToken(try await server.form("/token", form))
        }
    }

    @Test("TX-08: the limits of a client and of a provider apply here too")
    func policy() async throws {
        try await TestServer.open { server in
            let form = try await server.subjectToken()
            for (changes, error, reason) in [
                (["client_id": "x-only"], "access_denied", "provider_disabled"),
                (["client_id": "living-room-tv"], "unauthorized_client", "unauthorized_client"),
                (["subject_issuer": "nobody.example"], "invalid_request", "unknown_provider"),
                (["subject_issuer": "twitter.com"], "invalid_request", "unsupported_credential"),
                (["subject_issuer": "asking.example"], "invalid_request", "unsupported_credential"),
            ] {
                try expectNoToken(try await server.form("/token", form.changing(changes)), error, reason)
            }
            expectToken(try await server.form("/token", form))
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

    @Test("TX-13: a token that expires while the provider's keys are on their way has expired")
    func expiresMeanwhile() async throws {
        try await TestServer.open { server in
            let expiry = server.clock.now.seconds + 30
            let form = try await server.subjectToken(claims: ["set": ["exp": .integer(expiry)]])
            server.gate.shut()
            async let response = server.form("/token", form)
            await server.gate.isReached()
            // Half a minute, a minute of skew, and a second.
            server.clock.advance(by: .seconds(91))
            server.gate.open()
            try expectNoToken(try await response, "invalid_request", "expired")
        }
    }

    @Test("TX-09: no other parameter changes the user of the token")
    func impersonation() async throws {
        try await TestServer.open { server in
            let form = try await server.subjectToken().changing([
                "scope": "admin", "claims": "{}", "requested_subject": "victim", "uid": "victim", "sub": "victim",
                "email": "victim@example.com",
            ])
            let response = try await server.form("/token", form)
            expectToken(response)
            #expect(response.json?["profile"]?["email"] == "alice@example.com")
        }
    }
}
