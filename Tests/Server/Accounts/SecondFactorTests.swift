import JOSE
import Jansson
import Stores
import Support
import Testing
import Transport

@Suite("Second factors over HTTP", .serialized, .timeLimit(.minutes(5)))
struct SecondFactorHTTPTests {
    @Test("A factor is added, confirmed, listed, asked for and removed")
    func life() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let begun = try await alice.post(
                "/v1/account/factors", ["client_id": "my-app", "type": "totp", "name": "Phone"])
            #expect(begun.status == 200, "\(begun.text)")
            expectSafeHeader(begun)
            #expect(begun.json?.object?.keys.sorted() == ["expires_in", "factor_id", "otpauth_uri", "secret"])
            let (id, secret) = (begun.json?["factor_id"]?.string ?? "", begun.json?["secret"]?.string ?? "")
            #expect(secret.count == 32 && begun.json?["expires_in"] == 600)
            #expect(
                begun.json?["otpauth_uri"]?.string
                    == "otpauth://totp/My%20App:alice%40example.com?secret=\(secret)&issuer=My%20App"
                    + "&algorithm=SHA1&digits=6&period=30")
            #expect(try await alice.factors()?["factors"] == [])

            let authenticator = Authenticator(id, secret: secret, time: server.clock.source)
            let confirmed = try await alice.confirm(id, authenticator.code())
            #expect(confirmed.status == 200, "\(confirmed.text)")
            let codes = confirmed.json?["recovery_codes"]?.array?.compactMap(\.string) ?? []
            #expect(codes.count == 10)
            #expect(
                try await alice.factors() == [
                    "factors": [
                        ["factor_id": .string(id), "type": "totp", "name": "Phone", "created_at": 1_700_000_000]
                    ],
                    "recovery_codes_left": 10,
                ])

            server.clock.advance(by: .seconds(30))
            let challenge = try await server.exchange(try await server.codeBody())
            try expectRefusal(challenge, "second_factor_required", further: ["factors", "pending_credential"])
            #expect(challenge.json?["factors"] == ["totp", "recovery_code"])
            let handle = challenge.json?["pending_credential"]?.string ?? ""
            let signedIn = try await server.prove(handle, "totp", authenticator.code())
            #expect(signedIn.status == 200, "\(signedIn.text)")
            #expect(signedIn.json?["provider"] == "yahoo.com" && signedIn.json?["is_new_user"] == false)
            let claims = Payload.of(signedIn.json?["custom_token"]?.string)?["claims"]
            #expect(claims?["second_factor"] == "totp" && claims?["second_factor_time"] == 1_700_000_030)

            let removed = try await alice.removeFactor(id, "recovery_code", codes[0])
            #expect(removed.status == 200 && removed.json == [:], "\(removed.text)")
            #expect(try await server.exchange(try await server.codeBody()).status == 200)
            #expect(try await alice.factors() == ["factors": [], "recovery_codes_left": 0])
        }
    }

    @Test("A factor that is added during a browser flow is asked for at /token, as a 400 with a handle")
    func token() async throws {
        try await TestServer.open { server in
            _ = try await server.atYahoo()
            var browser = TestBrowser(server)
            let left = try await browser.get(BrowserRequest.path(["provider": "yahoo.com"]))
            let back = try await browser.get(try await browser.consent(at: left.location ?? ""))
            let (_, authenticator) = try await server.atYahooWithFactor()
            let challenge = try await server.redeem(back.told["code"] ?? "")
            #expect(challenge.status == 400 && challenge.reason == "second_factor_required")
            let handle = challenge.json?["pending_credential"]?.string ?? ""
            #expect(try await server.prove(handle, "totp", authenticator.code()).status == 200)
        }
    }

    @Test("The lock says when it ends, and a handle with a wrong code stays valid")
    func lock() async throws {
        try await TestServer.open { server in
            let (_, authenticator) = try await server.atYahooWithFactor()
            let handle = try await server.challenge()
            for _ in 0..<5 {
                try expectRefusal(
                    try await server.prove(handle, "totp", authenticator.wrongCode()), "second_factor_invalid")
            }
            let locked = try await server.prove(handle, "totp", authenticator.code())
            try expectRefusal(locked, "second_factor_locked")
            #expect(locked[field: "Retry-After"] == "900")
        }
    }

    @Test("The second half may name the provider of the first, and no other")
    func namedProvider() async throws {
        try await TestServer.open { server in
            let (_, authenticator) = try await server.atYahooWithFactor()
            let handle = try await server.challenge()
            func body(_ provider: String) -> JSON {
                Bodies.exchange(
                    provider,
                    [
                        "type": "second_factor", "pending_credential": .string(handle),
                        "totp": .string(authenticator.code()),
                    ])
            }
            for (provider, reason) in [("twitter.com", "code_rejected"), ("nobody.example", "unknown_provider")] {
                try expectRefusal(try await server.exchange(body(provider)), reason)
            }
            #expect(try await server.exchange(body("yahoo.com")).status == 200)
        }
    }

    @Test(
        "A body with a wrong member names it",
        arguments: [
            (["type": "second_factor"], "missing_field"),
            (["type": "second_factor", "pending_credential": "h"], "missing_field"),
            (["type": "second_factor", "pending_credential": "h", "totp": "12345"], "malformed_body"),
            (["type": "second_factor", "pending_credential": "h", "totp": 123_456], "malformed_body"),
            (["type": "second_factor", "pending_credential": "h", "recovery_code": "ABCD"], "malformed_body"),
            (
                [
                    "type": "second_factor", "pending_credential": "h", "totp": "123456",
                    "recovery_code": "ABCD-EFGH-IJKL-MNOP",
                ], "unknown_field"
            ),
            (["type": "second_factor", "pending_credential": "h", "totp": "123456", "code": "c"], "unknown_field"),
            (["type": "second_factor", "pending_credential": "h", "totp": "123456"], "code_rejected"),
            (["type": "second_factor", "pending_credential": "h", "totp": "123 456"], "code_rejected"),
        ] as [(JSON, String)])
    func bodies(credential: JSON, reason: String) async throws {
        try await TestServer.open { server in
            try expectRefusal(
                try await server.exchange(["client_id": "my-app", "credential": credential]), reason)
        }
    }

    @Test(
        "The response and the log name the member that is wrong, and what is wrong with it",
        arguments: [
            (
                ["totp": "12345"], "The member totp is not six digits. See its schema at /openapi.json.",
                "The member totp is not six digits"
            ),
            (
                ["otp": "123456"], "The request has a member that this endpoint",
                "The request has a member that this endpoint does not support"
            ),
            (["recovery_code": "ABCD"], "The member recovery_code is not 16", "The member recovery_code is not 16"),
            (
                ["totp": "123456", "recovery_code": "ABCD-EFGH-IJKL-MNOP"],
                "The request has both totp and recovery_code. Send only one of them.", "The request has both totp"
            ),
        ] as [([String: JSON], String, String)])
    func words(codes: [String: JSON], description: String, finding: String) async throws {
        try await TestServer.open { server in
            let credential: [String: JSON] = ["type": "second_factor", "pending_credential": "h"]
            let response = try await server.exchange(
                ["client_id": "my-app", "credential": .object(credential.merging(codes) { $1 })])
            #expect(response.json?["error_description"]?.string?.hasPrefix(description) == true, "\(response.text)")
            #expect(server.log.text.contains("\"finding\": \(finding)"), "\(server.log.text)")
        }
    }

    @Test("Calls that change an account need a session with the second factor, except the removal with a code")
    func sessions() async throws {
        try await TestServer.open { server in
            let (alice, _) = try await server.atYahooWithFactor()
            for response in [
                try await alice.link(try await server.xCodeBody(user: "bjorn")), try await alice.unlink("yahoo.com"),
                try await alice.reauthenticate(try await server.freshCodeBody()),
                try await alice.merge("from_id_token", try await server.atX().idToken),
                try #require(try await alice.ask("DELETE", "/v1/account")),
                try await alice.post("/v1/account/factors", ["client_id": "my-app", "type": "totp"]),
            ] {
                try expectRefusal(response, "second_factor_required")
                #expect(response.json?["pending_credential"] == nil)
            }
            #expect(try await alice.ask("GET", "/v1/account")?.status == 200)
            let proven = try await server.person(
                alice.uid, ["claims": ["second_factor": "totp", "second_factor_time": 1_700_000_000]])
            server.clock.advance(by: .seconds(270))
            let linked = try await proven.link(try await server.xCodeBody())
            #expect(linked.status == 200, "\(linked.text)")
            let claims = Payload.of(linked.json?["custom_token"]?.string)?["claims"]
            #expect(claims?["second_factor"] == "totp" && claims?["second_factor_time"] == 1_700_000_000)
            server.clock.advance(by: .seconds(1))
            let late = try await server.person(
                alice.uid, ["claims": ["second_factor": "totp", "second_factor_time": 1_700_000_000]])
            try expectRefusal(try await late.unlink("twitter.com"), "second_factor_required")
        }
    }

    @Test("An account with a second factor is not merged away, whichever proof is sent")
    func mergedAway() async throws {
        try await TestServer.open { server in
            let (alice, _) = try await server.atYahooWithFactor()
            let bjorn = try await server.atX()
            try expectRefusal(try await bjorn.merge("from_id_token", alice.idToken), "merge_not_possible")
            let conflict = try await bjorn.link(try await server.codeBody())
            let handle = conflict.json?["pending_credential"]?.string ?? ""
            try expectRefusal(try await bjorn.merge("pending_credential", handle), "merge_not_possible")
        }
    }

    @Test("A browser flow asks for the code on a page before it promises anything; a wrong code is asked again")
    func page() async throws {
        try await TestServer.open { server in
            let (_, authenticator) = try await server.atYahooWithFactor()
            var browser = TestBrowser(server)
            let page = try await browser.toChallenge()
            #expect(page.status == 200 && page.heading == "Enter your code")
            expectPage(page)
            #expect(page.buttons("decision") == ["prove", "cancel"])
            for typed in [authenticator.wrongCode(), "", "no code"] {
                let again = try await browser.prove(page, typed)
                #expect(again.status == 400 && again.heading == "Enter your code")
                #expect(again.text.contains("This code is wrong or was already used."))
                #expect(again.hiddenFlow == page.hiddenFlow)
            }
            let typed = authenticator.code()
            let done = try await browser.prove(page, " \(typed.prefix(3)) \(typed.suffix(3)) ")
            #expect(done.status == 303, "\(done.text)")
            let token = try await server.redeem(done.told["code"] ?? "")
            expectToken(token)
            #expect(Payload.of(token.json?["access_token"]?.string)?["claims"]?["second_factor"] == "totp")
            #expect(try await browser.prove(page, authenticator.code(after: 1)).heading == "This sign-in has ended")
        }
    }

    @Test("The page belongs to one browser, and each of its flows asks for a code of its own")
    func otherBrowser() async throws {
        try await TestServer.open { server in
            let (_, authenticator) = try await server.atYahooWithFactor()
            var browser = TestBrowser(server)
            let page = try await browser.toChallenge()
            var other = TestBrowser(server)
            _ = try await other.toChallenge()
            #expect(try await other.prove(page, authenticator.code()).heading == "This sign-in has ended")
            #expect(try await browser.prove(page, authenticator.code()).status == 303)
        }
    }

    @Test("Cancelling tells the application access_denied, and a button of another page does nothing")
    func cancelled() async throws {
        try await TestServer.open { server in
            let (_, authenticator) = try await server.atYahooWithFactor()
            var browser = TestBrowser(server)
            let page = try await browser.toChallenge()
            let cancelled = try await browser.post(
                "/authorize", ["flow": page.hiddenFlow ?? "", "decision": "cancel", "code": "1"])
            #expect(cancelled.told["error"] == "access_denied" && cancelled.told["code"] == nil)
            #expect(try await browser.prove(page, authenticator.code()).status == 400)
            let next = try await browser.toChallenge()
            let chosen = try await browser.post(
                "/authorize", ["flow": next.hiddenFlow ?? "", "provider": "yahoo.com"])
            #expect(chosen.told["error"] == "access_denied")
        }
    }

    @Test("After five wrong codes the page says that the person has to wait, with a way back")
    func lockedPage() async throws {
        try await TestServer.open { server in
            let (_, authenticator) = try await server.atYahooWithFactor()
            var browser = TestBrowser(server)
            let page = try await browser.toChallenge()
            for _ in 0..<5 { _ = try await browser.prove(page, authenticator.wrongCode()) }
            let locked = try await browser.prove(page, authenticator.code())
            #expect(locked.heading == "There were too many wrong codes")
            #expect(locked[field: "Retry-After"] == "900")
            #expect(locked.text.contains("Back to"))
        }
    }

    @Test("A device is signed in only after the code, and its token says so")
    func device() async throws {
        try await TestServer.open { server in
            let (_, authenticator) = try await server.atYahooWithFactor()
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let page = try await browser.verify(device.userCode)
            #expect(page.heading == "Enter your code")
            let approval = try await browser.prove(page, authenticator.code())
            #expect(approval.buttons("decision") == ["approve", "deny"], "\(approval.text)")
            #expect(try await browser.decide("approve", on: approval).status == 200)
            let token = try await device.poll()
            expectToken(token)
            #expect(Payload.of(token.json?["access_token"]?.string)?["claims"]?["second_factor"] == "totp")
        }
    }
}

extension TestBrowser {
    /// Goes through Yahoo up to the page of the second factor.
    mutating func toChallenge() async throws -> OutboundResponse {
        let left = try await get(BrowserRequest.path(["provider": "yahoo.com"]))
        return try await get(try await consent(at: left.location ?? ""))
    }

    mutating func prove(_ page: OutboundResponse, _ code: String) async throws -> OutboundResponse {
        try await post("/authorize", ["flow": page.hiddenFlow ?? "", "decision": "prove", "code": code])
    }
}

extension Person {
    func factors() async throws -> JSON? { try await ask("GET", "/v1/account/factors")?.json }

    func confirm(_ factor: String, _ code: String) async throws -> OutboundResponse {
        try await post(
            "/v1/account/factors/confirm",
            ["client_id": "my-app", "factor_id": .string(factor), "totp": .string(code)])
    }

    func removeFactor(_ factor: String, _ kind: String, _ code: String) async throws -> OutboundResponse {
        try await post(
            "/v1/account/factors/remove",
            ["client_id": "my-app", "factor_id": .string(factor), "\(kind)": .string(code)])
    }
}

extension TestServer {
    /// Makes a user of Yahoo whose account has a second factor, and moves the clock to the next code.
    func atYahooWithFactor() async throws -> (Person, Authenticator) {
        let alice = try await atYahoo()
        let begun = try await alice.post("/v1/account/factors", ["client_id": "my-app", "type": "totp"]).json
        let authenticator = Authenticator(
            begun?["factor_id"]?.string ?? "", secret: begun?["secret"]?.string ?? "", time: clock.source)
        guard try await alice.confirm(authenticator.id, authenticator.code()).status == 200 else {
            throw DeploymentError.secondFactor
        }
        clock.advance(by: .seconds(30))
        return (alice, authenticator)
    }

    /// The handle of a sign-in that waits for a second factor.
    func challenge() async throws -> String {
        try await exchange(try await codeBody()).json?["pending_credential"]?.string ?? ""
    }

    func prove(_ handle: String, _ kind: String, _ code: String) async throws -> OutboundResponse {
        try await exchange([
            "client_id": "my-app",
            "credential": [
                "type": "second_factor", "pending_credential": .string(handle), "\(kind)": .string(code),
            ],
        ])
    }
}
