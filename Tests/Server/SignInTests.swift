import Firebase
import JOSE
import Jansson
import OpenSSL
import Testing
import Transport

@Suite("Sign-in over HTTP", .serialized, .timeLimit(.minutes(5)))
struct SignInTests {
    @Test("Every kind of credential ends in the custom-token response")
    func everyKind() async throws {
        try await TestServer.open { server in
            let alice = "ALICEWJNWVNQD4GXZ5NGMZUST4"
            try expectSignedIn(
                try await server.exchange(try await server.idTokenBody()), "yahoo.com", alice, "id_token_aud",
                isNew: true)
            try expectSignedIn(
                try await server.exchange(try await server.codeBody()), "yahoo.com", alice, "authorization_code")
            try expectSignedIn(
                try await server.exchange(try await server.callbackBody()), "yahoo.com", alice, "authorization_code")
            try expectSignedIn(
                try await server.exchange(try await server.accessTokenBody()), "asking.example", alice, "introspection",
                isNew: true)
            try expectSignedIn(
                try await server.exchange(try await server.xCodeBody()), "twitter.com", "2244994945",
                "authorization_code", isNew: true)
            try expectSignedIn(
                try await server.exchange(try await server.tokenPairBody()), "twitter.com", "2244994945",
                "consumer_signature")
        }
    }

    @Test("Only a client with return_provider_tokens gets the tokens of the provider")
    func providerTokens() async throws {
        try await TestServer.open { server in
            let body = try await server.codeBody()
            #expect(try await server.exchange(body).json?["oauth"] == nil)
        }
        var plan = Plan()
        plan.returnsProviderTokens = true
        try await TestServer.open(plan) { server in
            let tokens = try await server.exchange(try await server.codeBody()).json?["oauth"]?.object ?? [:]
            #expect(tokens.keys.sorted() == ["access_token", "expires_in", "id_token", "refresh_token"])
        }
    }

    @Test("Only a client with return_provider_profile gets the provider's own answer")
    func providerProfile() async throws {
        try await TestServer.open(.with { $0.returnsProviderTokens = true }) { server in
            let answer = try await server.exchange(try await server.codeBody()).json
            #expect(answer?["provider_profile"] == nil && answer?["provider_profile_omitted"] == nil)
        }
        try await TestServer.open(.with { $0.returnsProviderProfile = true }) { server in
            let answer = try await server.exchange(try await server.codeBody()).json
            #expect(answer?["provider_profile"]?["userinfo"]?["preferred_username"] == "alice_example")
            #expect(answer?["provider_profile"]?["id_token"]?["sub"] == answer?["provider_uid"])
            #expect(answer?["oauth"] == nil)
            let pair = try await server.exchange(try await server.tokenPairBody()).json?["provider_profile"]
            #expect(pair?["userinfo"]?["screen_name"] == "alice_example")
            let data = try await server.exchange(try await server.xCodeBody()).json?["provider_profile"]
            #expect(data?["userinfo"]?["username"] == "alice_example")
            #expect(data?.object?.keys.sorted() == ["userinfo"])
        }
    }

    @Test("Instead of an answer of more than 16 KiB the response says that it was left out")
    func longProviderProfile() async throws {
        try await TestServer.open(.with { $0.returnsProviderProfile = true }) { server in
            try await server.standIns.order(
                "PUT", "/faults",
                ["target": "yahoo.userinfo", "set": ["text": .string(String(repeating: "a", count: 16 * 1024))]])
            let response = try await server.exchange(try await server.codeBody())
            #expect(response.status == 200)
            #expect(response.json?["provider_profile"] == nil)
            #expect(response.json?["provider_profile_omitted"] == true)
        }
    }

    @Test("The custom token is signed by the service account, for Firebase and for no longer than its lifetime")
    func customToken() async throws {
        try await TestServer.open { server in
            let response = try await server.exchange(try await server.idTokenBody()).json
            let jws = try CompactJWS.parse(response?["custom_token"]?.string ?? "")
            let key = try TestAccount.parsed().publicKey
            #expect(key.isValid(signature: jws.signature, for: jws.signingInput))
            let claims = try UnverifiedClaims(of: jws).json
            let now = server.clock.now.seconds
            #expect(
                claims == [
                    "iss": .string(TestAccount.email), "sub": .string(TestAccount.email),
                    "aud": "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit",
                    "iat": .integer(now), "exp": .integer(now + 300), "uid": response?["uid"] ?? .null,
                    "claims": ["idp": "yahoo.com"],
                ])
            #expect(response?["expires_in"] == 300)
        }
    }

    @Test("MT-08: one person signs in twenty times as one user, each time with a token of their own")
    func sameUser() async throws {
        try await TestServer.open { server in
            var users: Set<JSON> = []
            var tokens: Set<JSON> = []
            for _ in 0..<20 {
                let response = try await server.exchange(try await server.idTokenBody()).json
                users.insert(response?["uid"] ?? .null)
                tokens.insert(response?["custom_token"] ?? .null)
                server.clock.advance(by: .seconds(1))
            }
            #expect(users == ["yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4"])
            #expect(tokens.count == 20)
        }
    }

    @Test("EX-02: one of fifty parallel requests with one code succeeds, and the provider is called once")
    func race() async throws {
        try await TestServer.open { server in
            let body = try await server.codeBody()
            let reasons = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        let response = try await server.exchange(body)
                        return response.reason ?? "\(response.status)"
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(reasons == ["200": 1, "replayed": 49])
            #expect(try await server.standIns.calls(of: "yahoo.token") == 1)
        }
    }

    @Test("JW-01: a hundred tokens with unknown keys cause one fetch of the key set, and other sign-ins succeed")
    func unknownKeys() async throws {
        try await TestServer.open { server in
            let body = try await server.idTokenBody()
            let token = try #require(body["credential"]?["id_token"]?.string)
            let rest = token.drop { $0 != "." }
            let reasons = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<100 {
                    let header: JSON = ["alg": "ES256", "kid": .string("invented-\(number)")]
                    let forged = Base64URL.encode(header.serialized()) + rest
                    group.addTask {
                        try await server.exchange(body.setting("credential", "id_token", to: .string(forged))).reason
                    }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(reasons == ["unknown_key"])
            #expect(try await server.standIns.calls(of: "yahoo.certs") == 2)
            #expect(try await server.exchange(body).status == 200)
        }
    }

    private func expectSignedIn(
        _ response: OutboundResponse, _ provider: String, _ subject: String, _ proof: String, isNew: Bool = false
    ) throws {
        let body = try #require(response.json?.object)
        #expect(response.status == 200, "\(response.text)")
        expectSafeHeader(response)
        #expect(response[field: "Content-Type"] == "application/json")
        #expect(
            body.keys.sorted() == [
                "audience_proof", "custom_token", "expires_in", "is_new_user", "profile", "provider", "provider_uid",
                "uid",
            ])
        #expect(body["provider"]?.string == provider)
        #expect(body["provider_uid"]?.string == subject)
        #expect(body["uid"]?.string == "\(provider):\(subject)")
        #expect(body["audience_proof"]?.string == proof)
        #expect(body["is_new_user"]?.bool == isNew)
    }
}
