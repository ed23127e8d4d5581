import Jansson
import Sandbox
import Testing
import Transport

@Suite("Credentials over HTTP", .serialized, .timeLimit(.minutes(5)))
struct CredentialTests {
    @Test(
        "EX-11: a member beside the credential cannot name the user",
        arguments: ["uid", "user_id", "sub", "email", "claims", "admin", "firebase", "provider_user"])
    func claimedIdentity(member: String) async throws {
        try await TestServer.open { server in
            let body = try await server.codeBody()
            try expectRefusal(try await server.exchange(body.setting(member, to: "admin")), "unknown_field")
            try expectRefusal(
                try await server.exchange(body.setting("credential", member, to: "admin")), "unknown_field")
            #expect(try await server.standIns.calls(of: "yahoo.token") == 0)
        }
    }

    @Test(
        "IDT-48: a request cannot choose the values that a token is compared with",
        arguments: ["issuer", "jwks_uri", "public_key", "skip_nonce", "audience", "client_secret"])
    func expectation(member: String) async throws {
        try await TestServer.open { server in
            let body = try await server.idTokenBody()
            try expectRefusal(try await server.exchange(body.setting(member, to: true)), "unknown_field")
            try expectRefusal(
                try await server.exchange(body.setting("credential", member, to: true)), "unknown_field")
            #expect(try await server.exchange(body).status == 200)
        }
    }

    @Test("EX-16: nothing is read from a query, and nothing of it is logged")
    func query() async throws {
        try await TestServer.open { server in
            let body = try await server.codeBody()
            for (path, text) in [("/v1/exchange?code=hush", ""), ("/v1/exchange?code=hush", body.text)] {
                let response = try await server.post(path, text: text)
                try expectRefusal(response, "malformed_body")
                #expect(!response.text.contains("hush"))
            }
            #expect(!server.log.text.contains("hush"))
            #expect(try await server.standIns.calls(of: "yahoo.token") == 0)
        }
    }

    @Test("EX-20: the error text of a provider is neither returned nor logged")
    func providerError() async throws {
        try await TestServer.open { server in
            let secret = "sandbox-yahoo-secret-of-ours"
            let error: JSON = [
                "error": "invalid_grant", "error_description": .string("<script>\(secret)</script>"),
                "error_uri": "https://evil.example/",
            ]
            for status: Int64 in [400, 401, 500, 200] {
                let body = try await server.codeBody()
                try await server.standIns.fault(
                    "yahoo.token", ["status": .integer(status), "body": .string(error.text)])
                let response = try await server.exchange(body)
                #expect(response.status >= 400)
                for word in [secret, "<script", "evil"] {
                    #expect(!response.text.contains(word))
                    #expect(!server.log.text.contains(word))
                }
            }
        }
    }

    @Test("EX-22: two kinds of evidence at once are refused before any is looked at")
    func twoKinds() async throws {
        try await TestServer.open { server in
            let before = try await server.standIns.calls()
            let idToken = try await server.idTokenBody()
            let code = try await server.codeBody()
            let mixed = [
                code.setting("credential", "id_token", to: idToken["credential"]?["id_token"]),
                idToken.setting("credential", "code", to: code["credential"]?["code"]),
                idToken.setting("credential", "oauth_token", to: "t"),
                try await server.tokenPairBody().setting("credential", "id_token", to: "a.b.c"),
            ]
            for body in mixed { try expectRefusal(try await server.exchange(body), "unknown_field") }
            #expect(try await server.standIns.calls() == before)
            #expect(try await server.exchange(idToken).status == 200)
        }
    }

    @Test("EX-23: a nonce that is missing, empty, or the hash instead of its preimage is refused")
    func nonce() async throws {
        try await TestServer.open { server in
            let nonce = try await server.nonce()
            let issued = try await server.standIns.yahoo(nonce: nonce.value)
            let body = Bodies.exchange("yahoo.com", ["type": "id_token", "id_token": .string(issued.idToken)])
            try expectRefusal(try await server.exchange(body), "missing_field")
            try expectRefusal(try await server.exchange(body.setting("credential", "nonce", to: "")), "malformed_body")
            try expectRefusal(
                try await server.exchange(body.setting("credential", "nonce", to: .string(nonce.value))),
                "nonce_mismatch")
            #expect(
                try await server.exchange(body.setting("credential", "nonce", to: .string(nonce.verifier))).status
                    == 200)
        }
    }

    @Test(
        "IDT-33: an ID token over 16 KiB is refused",
        arguments: zip(
            [20_000, 40_000, 1_000_000, 10_000_000],
            ["malformed_token", "malformed_body", "body_too_large", "body_too_large"]))
    func size(count: Int, reason: String) async throws {
        try await TestServer.open { server in
            let body = try await server.idTokenBody()
            let token = (body["credential"]?["id_token"]?.string ?? "") + String(repeating: "A", count: count)
            let text = body.setting("credential", "id_token", to: .string(token)).text
            let response = try await Wire.connect(to: server.publicPort) { wire in
                wire.begin(TestServer.request("POST /v1/exchange HTTP/1.1", body: text))
                return try await wire.response()
            }
            try expectRefusal(response, reason)
            #expect(try await server.exchange(body).status == 200)
        }
    }

    @Test("IDT-43: a used ID token in another spelling is no other token")
    func spellings() async throws {
        try await TestServer.open { server in
            let body = try await server.idTokenBody()
            let token = try #require(body["credential"]?["id_token"]?.string)
            #expect(try await server.exchange(body).status == 200)
            for (spelling, reason) in [
                (" " + token, "malformed_token"), (token + " ", "malformed_token"),
                ("Bearer " + token, "malformed_token"), (token.replacing(".", with: "%2E"), "malformed_token"),
                (token + "=", "malformed_token"), (token + "\n", "malformed_body"), (token, "replayed"),
            ] {
                try expectRefusal(
                    try await server.exchange(body.setting("credential", "id_token", to: .string(spelling))), reason)
            }
            // RFC 8259 §7: another way to write the same text.
            let escaped = body.text.replacing(token, with: token.replacing(".", with: "\\u002e"))
            try expectRefusal(try await server.post("/v1/exchange", text: escaped), "replayed")
        }
    }

    @Test("IDT-54: an access token does not replace a missing ID token")
    func accessTokenAlone() async throws {
        try await TestServer.open { server in
            let body = try await server.idTokenBody().setting("credential", "access_token", to: "a")
            for (value, reason) in [(JSON?.none, "missing_field"), (.null, "malformed_body"), ("", "malformed_body")] {
                try expectRefusal(
                    try await server.exchange(body.setting("credential", "id_token", to: value)), reason)
            }
        }
    }

    @Test("LG-03: refusals of one kind have one text")
    func oneText() async throws {
        try await TestServer.open { server in
            let token = try await server.idTokenBody()
            func text(_ body: JSON) async throws -> String {
                var response = try await server.exchange(body).json?.object ?? [:]
                response["request_id"] = nil
                return JSON.object(response).text
            }
            let stale = try await server.nonce().verifier
            let forX = try await server.nonce(for: "twitter.com").verifier
            let session = try await server.callbackBody()["credential"]?["session"]?.string ?? ""
            var nonces: Set<String> = []
            for verifier in ["AAAA", forX, session] {
                nonces.insert(try await text(token.setting("credential", "nonce", to: .string(verifier))))
            }
            var signatures: Set<String> = []
            for claims: JSON in [["key": "foreign"], ["key": "foreign", "set": ["aud": "another", "exp": 1]]] {
                signatures.insert(try await text(try await server.idTokenBody(claims: claims)))
            }
            let ours = SandboxApplication.ours.yahoo.clientID
            var audiences: Set<String> = []
            for claims: JSON in [
                ["set": ["aud": "another"]], ["set": ["aud": [.string(ours), "another"]]], ["remove": ["aud"]],
                ["set": ["aud": 7]], ["set": ["azp": "another"]],
            ] {
                audiences.insert(try await text(try await server.idTokenBody(claims: claims)))
            }
            var codes: Set<String> = []
            let foreign = try await server.standIns.yahoo(nonce: "n", application: "hostile").code
            let late = try await server.codeBody()
            for code in [late, Bodies.inventedCode.setting("credential", "code", to: .string(foreign))] {
                server.clock.advance(by: .seconds(700))
                codes.insert(try await text(code))
            }
            codes.insert(try await text(Bodies.inventedCode))
            #expect(nonces.count == 1, "\(nonces)")
            // It opens with the seal key for this client and provider, so that its age tells nothing new.
            try expectRefusal(
                try await server.exchange(token.setting("credential", "nonce", to: .string(stale))), "expired")
            #expect(signatures.count == 1, "\(signatures)")
            #expect(audiences.count == 1, "\(audiences)")
            #expect(codes.count == 1, "\(codes)")
        }
    }

    @Test("No secret that was sent or received is in a log line, at any level")
    func log() async throws {
        try await TestServer.open { server in
            let bodies = [
                try await server.idTokenBody(), try await server.codeBody(), try await server.xCodeBody(),
                try await server.tokenPairBody(), try await server.callbackBody(),
            ]
            var secrets: [String] = []
            for body in bodies {
                let response = try await server.exchange(body)
                #expect(response.status == 200)
                _ = try await server.exchange(body)
                let sent = (body["credential"]?.object ?? [:]).filter { !["type", "redirect_uri"].contains($0.key) }
                secrets += sent.values.compactMap(\.string) + [response.json?["custom_token"]?.string ?? "?"]
            }
            let log = server.log.text
            #expect(log.contains("replayed"))
            #expect(secrets.count == 16)
            for secret in secrets { #expect(!log.contains(secret)) }
        }
    }
}
