import Jansson
import Sandbox
import Testing
import Transport

@Suite("Further flows of the home page")
struct FurtherFlowTests {
    private static let television: JSON = .object([
        "device_code": .string("the-device-code"), "user_code": .string("WDJB-MJHT"),
        "verification_uri": .string(ScriptedServer.url + "/device"),
        "verification_uri_complete": .string(ScriptedServer.url + "/device?user_code=WDJB-MJHT"),
    ])

    @Test(
        "With the application's own redirect, the session and the whole callback URL are sent to the server",
        arguments: [
            ("redirect-yahoo", "yahoo.com", nil), ("redirect-x", "twitter.com", nil),
            ("redirect-x-oauth1", "twitter.com", "oauth1"),
        ] as [(String, String, String?)])
    func redirect(scenario: String, provider: String, flow: String?) async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.server.answer(
                "/v1/signin",
                .object([
                    "authorization_url": .string("http://provider.example/a?state=s"),
                    "session": .string("the-session"),
                ]))
            await visitor.server.answer("/v1/exchange", HomeVisitor.success)
            let begun = try await visitor.begin(scenario)
            #expect(begun.location == "http://provider.example/a?state=s")
            let order = await visitor.server.requests(at: "/v1/signin").first?.json
            #expect(order?["client_id"]?.string == "sandbox")
            #expect(order?["provider"]?.string == provider)
            #expect(order?["flow"]?.string == flow)
            #expect(order?["redirect_uri"]?.string == visitor.origin + "/signin-callback/" + provider)

            let callback = "/signin-callback/\(provider)?state=s&code=a%2Fb"
            #expect(try await visitor.get(callback).status == 400)
            #expect(try await visitor.get(callback, cookie: begun.cookie)[field: "location"] == begun.path)
            let body = await visitor.server.requests(at: "/v1/exchange").first?.json
            #expect(body?["credential"]?["type"]?.string == "callback")
            #expect(body?["credential"]?["session"]?.string == "the-session")
            #expect(body?["credential"]?["callback_url"]?.string == visitor.origin + callback)
            #expect(try await visitor.get(begun.path).text.contains("A custom token for"))
        }
    }

    @Test("A library's ID token contains the server's nonce, and is sent with the verifier")
    func idToken() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            await visitor.server.answer("/v1/exchange", HomeVisitor.success)
            let begun = try await visitor.begin("library-yahoo")
            let credential = await visitor.server.requests(at: "/v1/exchange").first?.json?["credential"]
            let token = IDToken(credential?["id_token"]?.string)
            #expect(credential?["type"]?.string == "id_token")
            #expect(credential?["nonce"]?.string == "the-verifier")
            #expect(token?.claims["nonce"]?.string == "the-nonce")
            #expect(token?.claims["aud"]?.string == SandboxApplication.ours.yahoo.clientID)
            #expect(try await visitor.get(begun.location).text.contains("<code>id_token</code>, decoded"))
        }
    }

    @Test("The same token is exchanged at /token by RFC 8693")
    func tokenExchange() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            await visitor.server.answer(
                "/token",
                .object(["access_token": .string(HomeVisitor.customToken), "uid": .string("u")]))
            let begun = try await visitor.begin("library-yahoo-rfc8693")
            let form = await visitor.server.requests(at: "/token").first?.form ?? [:]
            #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange")
            #expect(form["subject_token_type"] == "urn:ietf:params:oauth:token-type:id_token")
            #expect(form["subject_issuer"] == "yahoo.com")
            #expect(form["nonce"] == "the-verifier")
            #expect(form["client_id"] == "sandbox")
            #expect(IDToken(form["subject_token"])?.claims["nonce"]?.string == "the-nonce")
            #expect(try await visitor.get(begun.location).text.contains("A custom token for"))
        }
    }

    @Test("The code of a device is shown, and each poll is shown until the user has confirmed")
    func device() async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            await visitor.server.answer("/device_authorization", Self.television)
            await visitor.server.refuse("/token", "authorization_pending", "authorization_pending")
            await visitor.server.refuse("/token", "slow_down", "slow_down")
            await visitor.server.answer(
                "/token", .object(["access_token": .string(HomeVisitor.customToken), "uid": .string("u")]))
            let begun = try await visitor.begin("device")
            let form = await visitor.server.requests(at: "/device_authorization").first?.form ?? [:]
            #expect(form["client_id"] == "living-room-tv")
            let page = try await visitor.get(begun.location).text
            #expect(page.contains("WDJB-MJHT"))
            #expect(page.contains("href=\"\(ScriptedServer.url)/device?user_code=WDJB-MJHT\""))

            for (reason, step) in [("authorization_pending", 3), ("slow_down", 4)] {
                let reply = try await visitor.press(begun.path + "/poll")
                #expect(reply[field: "location"] == begun.path + "#step-\(step)")
                let page = try await visitor.get(begun.path).text
                #expect(page.contains(Defence.sentence(for: reason) ?? "?"), "\(reason)")
                #expect(page.contains("Ask now"))
            }
            #expect(try await visitor.press(begun.path + "/poll")[field: "location"] == begun.path)
            #expect(try await visitor.get(begun.path).text.contains("A custom token for"))
            let polls = await visitor.server.requests(at: "/token")
            #expect(polls.allSatisfy { $0.form["device_code"] == "the-device-code" })
            #expect(polls.first?.form["grant_type"] == "urn:ietf:params:oauth:grant-type:device_code")
            _ = try await visitor.press(begun.path + "/poll")
            #expect(await visitor.server.requests(at: "/token").count == 3)
        }
    }

    @Test(
        "A device whose sign-in was refused or has expired is not polled again",
        arguments: ["access_denied", "expired_token"])
    func refusedDevice(error: String) async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            await visitor.server.answer("/device_authorization", Self.television)
            await visitor.server.refuse("/token", error, error)
            let begun = try await visitor.begin("device")
            _ = try await visitor.press(begun.path + "/poll")
            let page = try await visitor.get(begun.path).text
            #expect(page.contains("No one is signed in"))
            #expect(!page.contains("Ask now"))
        }
    }

    @Test(
        "A verification page of another origin is not linked",
        arguments: ["verification_uri", "verification_uri_complete"])
    func elsewhere(member: String) async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerMetadata()
            var answer = Self.television.object ?? [:]
            answer[member] = .string("javascript:alert(1)")
            await visitor.server.answer("/device_authorization", .object(answer))
            let begun = try await visitor.begin("device")
            #expect(!(try await visitor.get(begun.location).text.contains("href=\"javascript")))
        }
    }

    @Test(
        "The credential of a hostile application is the one on its button, and the refusal is shown with its defence",
        arguments: [
            ("attack-other-application", "audience_mismatch"), ("attack-other-consumer", "token_rejected"),
            ("attack-access-token", "audience_unverifiable"), ("attack-altered", "signature_invalid"),
            ("attack-unsigned", "algorithm_not_allowed"),
        ])
    func hostile(scenario: String, reason: String) async throws {
        try await HomeVisitor.visit { visitor in
            await visitor.answerNonce()
            await visitor.server.refuse("/v1/exchange", reason)
            let begun = try await visitor.begin(scenario)
            let page = try await visitor.get(begun.location).text
            #expect(page.contains("Refused, as it must be: no one is signed in"))
            #expect(page.contains(Defence.sentence(for: reason) ?? "?"))

            let credential = await visitor.server.requests(at: "/v1/exchange").first?.json?["credential"]
            #expect(credential?["nonce"]?.string == "the-verifier")
            let token = IDToken(credential?["id_token"]?.string)
            let keys = try await visitor.get(visitor.client.addresses.yahoo + "/openid/v1/certs").json
            switch scenario {
            case "attack-other-application":
                #expect(token?.claims["aud"]?.string == SandboxApplication.hostile.yahoo.clientID)
                #expect(token?.claims["sub"]?.string == SandboxUser.alice.yahooSubject)
                #expect(token?.isSigned(under: keys) == true)
            case "attack-other-consumer":
                #expect(credential?["oauth_token"]?.string?.hasPrefix(SandboxUser.alice.xID) == true)
            case "attack-access-token":
                #expect(credential?["access_token"]?.string?.isEmpty == false)
            case "attack-altered":
                #expect(token?.claims["sub"]?.string == SandboxUser.alice.yahooSubject)
                #expect(token?.claims["aud"]?.string == SandboxApplication.ours.yahoo.clientID)
                #expect(token?.header["alg"]?.string == "ES256")
                #expect(token?.isSigned(under: keys) == false)
            default:
                #expect(token?.claims["sub"]?.string == SandboxUser.alice.yahooSubject)
                #expect(token?.header["alg"]?.string == "none")
            }
        }
    }
}
