import Flows
import Jansson
import SQLiteStores
import Server
import Standards
import Support
import Testing
import Transport

@Suite("Handoff codes", .serialized, .timeLimit(.minutes(5)))
struct HandoffTests {
    @Test("HO-15: a code and its verifier are answered with a custom token, under the names of RFC 6749")
    func success() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let response = try await server.redeem(try await browser.signIn())
            expectToken(response)
            expectSafeHeader(response)
            #expect(response[field: "Pragma"] == "no-cache")
            #expect(response[field: "Content-Type"] == "application/json")
            #expect(response.location == nil)
            let body = try #require(response.json?.object)
            #expect(
                body.keys.sorted() == [
                    "access_token", "audience_proof", "expires_in", "is_new_user", "profile", "provider",
                    "provider_uid", "token_type", "uid",
                ])
            #expect(body["token_type"] == "Bearer")
            #expect(body["expires_in"] == 300)
            #expect(body["provider"] == "yahoo.com")
            #expect(body["audience_proof"] == "authorization_code")
            #expect(body["is_new_user"] == true)
            #expect(body["profile"]?["email"] == "alice@example.com")
            #expect(body["profile"]?["email_verified"] == true)
        }
    }

    @Test("Only a client with return_provider_tokens gets the tokens of the provider")
    func providerTokens() async throws {
        var plan = Plan()
        plan.returnsProviderTokens = true
        try await TestServer.open(plan) { server in
            var browser = TestBrowser(server)
            let tokens = try await server.redeem(try await browser.signIn()).json?["oauth"]?.object ?? [:]
            #expect(tokens.keys.sorted() == ["access_token", "expires_in", "id_token", "refresh_token"])
            let pair = try await server.redeem(
                try await browser.signIn(["provider": "twitter.com", "flow": "oauth1"])
            ).json?["oauth"]?.object
            #expect(pair?.keys.sorted() == ["access_token", "oauth_token_secret"])
        }
    }

    @Test("Only a client with return_provider_profile gets the provider's own answer, by a browser or a device")
    func providerProfile() async throws {
        try await TestServer.open(.with { $0.returnsProviderProfile = true }) { server in
            var browser = TestBrowser(server)
            let profile = try await server.redeem(try await browser.signIn()).json?["provider_profile"]
            #expect(profile?.object?.keys.sorted() == ["id_token", "userinfo"])
            let pair = try await server.redeem(
                try await browser.signIn(["provider": "twitter.com", "flow": "oauth1"])
            ).json?["provider_profile"]
            #expect(pair?["userinfo"]?["id_str"] == "2244994945")
            let device = try await server.beginDevice()
            _ = try await browser.decide("approve", on: try await browser.verify(device.userCode))
            let onDevice = try await device.poll().json?["provider_profile"]
            #expect(onDevice?.object?.keys.sorted() == ["id_token", "userinfo"])
        }
    }

    @Test("HO-01: a code can be used once")
    func again() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let code = try await browser.signIn()
            expectToken(try await server.redeem(code))
            try expectNoToken(try await server.redeem(code), "invalid_grant", "replayed")
            server.clock.advance(by: .seconds(1800))
            try expectNoToken(try await server.redeem(code), "invalid_grant", "replayed")
        }
    }

    @Test("HO-02: of a hundred parallel redemptions one is answered")
    func race() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let code = try await browser.signIn()
            let reasons = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        let response = try await server.redeem(code)
                        return response.reason ?? "\(response.status)"
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(reasons == ["200": 1, "replayed": 99])
        }
    }

    @Test("HO-03, HO-11: four wrong verifiers do not burn a code, and five do")
    func wrongVerifier() async throws {
        let wrong = String(repeating: "w", count: 43)
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            for failures in [4, 5] {
                let code = try await browser.signIn()
                for _ in 0..<failures {
                    try expectNoToken(
                        try await server.redeem(code, ["code_verifier": wrong]), "invalid_grant", "pkce_mismatch")
                }
                let response = try await server.redeem(code)
                if failures == 4 {
                    expectToken(response)
                } else {
                    try expectNoToken(response, "invalid_grant", "code_rejected")
                }
            }
        }
    }

    @Test("HO-04: no verifier, an empty one, the challenge, or one of another form is not the verifier")
    func noVerifier() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let code = try await browser.signIn()
            for verifier in [nil, ""] {
                try expectNoToken(
                    try await server.redeem(code, ["code_verifier": verifier]), "invalid_request", "pkce_required")
            }
            try expectNoToken(
                try await server.redeem(
                    code,
                    ["code_verifier": nil, "code_challenge": BrowserRequest.challenge, "code_challenge_method": "S256"]),
                "invalid_request", "pkce_required")
            for verifier in ["short", String(repeating: "a", count: 129), BrowserRequest.verifier + " "] {
                try expectNoToken(
                    try await server.redeem(code, ["code_verifier": verifier]), "invalid_request", "malformed_body")
            }
            try expectNoToken(
                try await server.redeem(code, ["code_verifier": BrowserRequest.challenge]), "invalid_grant",
                "pkce_mismatch")
            expectToken(try await server.redeem(code))
        }
    }

    @Test("HO-05: a code is valid for sixty seconds")
    func expiry() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let first = try await browser.signIn()
            server.clock.advance(by: .seconds(59))
            expectToken(try await server.redeem(first))
            let second = try await browser.signIn()
            server.clock.advance(by: .seconds(60))
            try expectNoToken(try await server.redeem(second), "invalid_grant", "expired")
        }
    }

    @Test("HO-06: a code of one application is refused for another, whatever else the request contains")
    func otherClient() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let code = try await browser.signIn(["provider": "twitter.com"])
            for changes in [
                ["client_id": "x-only"], ["client_id": "x-only", "redirect_uri": "https://other.example.com/cb"],
                ["redirect_uri": "com.example.app:/oauth"], ["redirect_uri": BrowserRequest.redirectURI + "/"],
            ] {
                try expectNoToken(try await server.redeem(code, changes), "invalid_grant", "code_rejected")
            }
            expectToken(try await server.redeem(code), uid: "twitter.com:2244994945")
        }
    }

    @Test("A client cannot find out whether a code of another client exists")
    func oneResponse() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let code = try await browser.signIn(["provider": "twitter.com"])
            let own = ["client_id": "x-only", "redirect_uri": "https://other.example.com/cb"]
            let others = try await server.redeem(code, own)
            let nobodys = try await server.redeem(String(code.reversed()), own)
            #expect(others.status == nobodys.status)
            for member in ["error", "reason", "error_description"] {
                #expect(others.json?[member] != nil)
                #expect(others.json?[member] == nobodys.json?[member])
            }
        }
    }

    @Test("The port of a loopback redirect URI is the same at the redemption")
    func loopbackPort() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let asked = try await browser.get(BrowserRequest.path(["redirect_uri": "http://127.0.0.1:51004/callback"]))
            let left = try await browser.post(
                "/authorize", ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"])
            let finished = try await browser.get(try await browser.consent(at: left.location ?? ""))
            #expect(finished.location?.hasPrefix("http://127.0.0.1:51004/callback?code=") ?? false)
            let code = finished.told["code"] ?? ""
            for (uri, finding) in [
                (
                    "http://127.0.0.1:51005/callback",
                    "that of the authorization request was http://127.0.0.1:51004/callback"
                ),
                ("http://127.0.0.1:51004/callback/", "clients.my-app.redirect_uris has "),
            ] {
                try expectNoToken(
                    try await server.redeem(code, ["redirect_uri": uri]), "invalid_grant", "code_rejected")
                #expect(server.log.lines.contains { $0.contains("the redirect_uri is \(uri), and \(finding)") })
            }
            // Only a caller with the code verifier learns which of the values differs.
            let stranger = try await server.redeem(
                code,
                [
                    "redirect_uri": "http://127.0.0.1:51005/callback",
                    "code_verifier": String(repeating: "v", count: 43),
                ])
            #expect(stranger.json?["error_description"] == .string(Refusal.handoffRejected.description))
            expectToken(try await server.redeem(code, ["redirect_uri": "http://127.0.0.1:51004/callback"]))
        }
    }

    @Test(
        "HO-07: an unknown code is refused, whatever its form",
        arguments: [
            "0", "null", "' OR 1=1--", "{}", "[]", "-1", "é", String(repeating: "a", count: 43),
            String(repeating: "a", count: 60000), "code", "../..", "%",
        ])
    func inventedCode(_ code: String) async throws {
        try await TestServer.open { server in
            try expectNoToken(try await server.redeem(code), "invalid_grant", "code_rejected")
            let octets = code.utf8.count
            let finding = octets == 43 ? "the store has no such code" : "the code has \(octets) octets, and one of this"
            #expect(server.log.text.contains("\"finding\": \(finding)"), "\(server.log.text)")
        }
    }

    @Test("HO-07: guesses of codes are limited")
    func guesses() async throws {
        try await TestServer.open(.limits { $0.exchangesPerAddress = RateLimit(count: 3, period: .seconds(60)) }) {
            server in
            for _ in 0..<3 {
                try expectNoToken(try await server.redeem("guess"), "invalid_grant", "code_rejected")
            }
            try expectRefusal(try await server.redeem("guess"), "rate_limited", retry: "same")
            server.clock.advance(by: .seconds(20))
            try expectNoToken(try await server.redeem("guess"), "invalid_grant", "code_rejected")
        }
    }

    @Test("HO-09: no other one-time value is a code")
    func otherValues() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let left = try await browser.get(BrowserRequest.path())
            let device = try await server.form("/device_authorization", ["client_id": "my-app"]).json
            let pushed = try await server.form("/par", BrowserRequest.parameters).json
            let values = [
                left.told["state"], left.told["nonce"], browser.cookies.first?.value, browser.cookies.first?.name,
                device?["device_code"]?.string, device?["user_code"]?.string, pushed?["request_uri"]?.string,
                try await server.nonce().verifier, try await server.standIns.yahoo(nonce: nil).code,
            ]
            for value in values {
                try expectNoToken(try await server.redeem(try #require(value)), "invalid_grant", "code_rejected")
            }
        }
    }

    @Test("HO-10: a code is posted, from no other origin, and not in a link")
    func request() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let code = try await browser.signIn()
            try expectRefusal(
                try await server.get("/token?" + Form.encoded(server.handoff(code))), "method_not_allowed")
            let foreign = try await server.form(
                "/token", server.handoff(code), header: [HeaderField("Origin", "https://evil.example")])
            try expectNoToken(foreign, "access_denied", "origin_not_allowed")
            #expect(foreign[field: "Access-Control-Allow-Origin"] == nil)
            let own = try await server.form(
                "/token", server.handoff(code), header: [HeaderField("Origin", Registrations.origin)])
            expectToken(own)
            #expect(own[field: "Access-Control-Allow-Origin"] == Registrations.origin)
            #expect(own[field: "Access-Control-Allow-Credentials"] == nil)
        }
    }

    @Test("HO-17: of two redemptions in one segment one is answered")
    func pipelined() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let body = Form.encoded(server.handoff(try await browser.signIn()))
            let request = TestServer.request(
                "POST /token HTTP/1.1", header: ["Content-Type: application/x-www-form-urlencoded"], body: body)
            let responses = try await Wire.connect(to: server.publicPort) { wire in
                try await wire.send(request + request)
                return [try await wire.response(), try await wire.response()]
            }
            #expect(responses.map { $0?.status } == [200, 400])
            #expect(responses[1]?.reason == "replayed")
        }
    }

    @Test("If the store does not respond, or a response failed, the code may be sent again if the response says so")
    func storeFails() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let code = try await browser.signIn()
            try server.store.close()
            try expectRefusal(try await server.redeem(code), "store_unavailable", retry: "same")
        }
    }
}
