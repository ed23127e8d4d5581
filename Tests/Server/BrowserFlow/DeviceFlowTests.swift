import Jansson
import Sandbox
import Server
import Standards
import Support
import Testing
import Transport

@Suite("Device flow", .serialized, .timeLimit(.minutes(5)))
struct DeviceFlowTests {
    private static let done = "Done. Return to your device."

    @Test("A device is signed in after a user has typed its code, signed in, and approved it (RFC 8628)")
    func success() async throws {
        try await TestServer.open { server in
            let begun = try await server.form("/device_authorization", ["client_id": "living-room-tv"])
            #expect(begun.status == 200)
            expectSafeHeader(begun)
            let response = try #require(begun.json?.object)
            let userCode = response["user_code"]?.string ?? ""
            #expect(
                response.keys.sorted() == [
                    "device_code", "expires_in", "interval", "user_code", "verification_uri",
                    "verification_uri_complete",
                ])
            #expect(userCode.wholeMatch(of: /[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil)
            #expect(response["device_code"]?.string?.utf8.count == 43)
            #expect(response["expires_in"] == 600)
            #expect(response["interval"] == 5)
            #expect(response["verification_uri"] == "https://auth.example.com/device")
            #expect(
                response["verification_uri_complete"]?.string == "https://auth.example.com/device?user_code=\(userCode)"
            )
            let device = Device(
                server: server, client: "living-room-tv", deviceCode: response["device_code"]?.string ?? "",
                userCode: userCode)

            try expectNoToken(try await device.poll(after: 0), "authorization_pending", "authorization_pending")
            var browser = TestBrowser(server)
            let form = try await browser.get("/device")
            #expect(form.heading == "Enter the code from your device")
            expectPage(form)
            let asked = try await browser.post("/device", ["flow": form.hiddenFlow ?? "", "user_code": userCode])
            #expect(asked.heading == "Sign in to Living Room TV on your device?")
            #expect(asked.text.contains(userCode))
            expectPage(asked)
            try expectNoToken(try await device.poll(), "authorization_pending", "authorization_pending")
            let left = try await browser.post("/device", ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"])
            #expect(left.status == 303)
            #expect(left.location?.hasPrefix(server.standIns.addresses.yahoo) ?? false)
            try expectNoToken(try await device.poll(), "authorization_pending", "authorization_pending")
            let verified = try await browser.get(try await browser.consent(at: left.location ?? ""))
            #expect(verified.heading == "Last step: sign in to Living Room TV?")
            #expect(verified.text.contains("Alice Example, alice@example.com"))
            #expect(verified.buttons("decision") == ["approve", "deny"])
            expectPage(verified)
            try expectNoToken(try await device.poll(), "authorization_pending", "authorization_pending")
            let approved = try await browser.decide("approve", on: verified)
            #expect(approved.status == 200)
            #expect(approved.heading == Self.done)
            let token = try await device.poll()
            expectToken(token)
            #expect(token[field: "Pragma"] == "no-cache")
            #expect(
                token.json?.object?.keys.sorted() == [
                    "access_token", "audience_proof", "expires_in", "is_new_user", "profile", "provider",
                    "provider_uid", "token_type", "uid",
                ])
            #expect(token.json?["token_type"] == "Bearer")
        }
    }

    @Test("DG-12: a code in the link fills the field, and nothing else happens")
    func completeLink() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let page = try await browser.get("/device?user_code=" + device.userCode)
            #expect(page.heading == "Enter the code from your device")
            #expect(page.text.contains("value=\"\(device.userCode)\""))
            #expect(!page.text.contains("Living Room TV"))
            expectPage(page)
            for query in ["&decision=approve", "&provider=yahoo.com", "&flow=x&decision=approve"] {
                let response = try await browser.get("/device?user_code=\(device.userCode)\(query)")
                #expect(response.heading == "Enter the code from your device")
            }
            try expectNoToken(try await device.poll(after: 0), "authorization_pending", "authorization_pending")
            #expect(try await browser.enter(device.userCode).buttons("provider").contains("yahoo.com"))
        }
    }

    @Test("DG-13: the page names the application and the code, and describes the trick of an attacker")
    func question() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice("my-app", ["provider": "twitter.com"])
            var browser = TestBrowser(server)
            let asked = try await browser.enter(device.userCode)
            #expect(asked.text.contains("My App") && asked.text.contains(device.userCode))
            #expect(asked.text.contains("If someone sent you the code or a link, it may be a trick"))
            #expect(asked.buttons("provider") == ["twitter.com"])
            #expect(asked.buttons("decision") == ["deny"])
            try expectProblem(
                try await browser.post("/device", ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"]),
                "This link is damaged")
        }
    }

    @Test("DG-05: a refusal is reported to the device once", arguments: ["confirm", "approve"])
    func denial(step: String) async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let page =
                step == "confirm"
                ? try await browser.enter(device.userCode) : try await browser.verify(device.userCode)
            let refused = try await browser.decide("deny", on: page)
            #expect(refused.status == 200)
            #expect(refused.heading == "Your device was not signed in")
            try expectProblem(
                try await browser.decide("approve", on: page),
                step == "confirm" ? "This page cannot be used any more" : "This code is no longer valid")
            try expectNoToken(try await device.poll(), "access_denied", "access_denied")
            try expectNoToken(try await device.poll(), "invalid_grant", "replayed")
        }
    }

    @Test("DG-05: a device code can be used once")
    func again() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let page = try await browser.verify(device.userCode)
            _ = try await browser.decide("approve", on: page)
            let responses = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let response = try await device.poll(after: 0)
                        return response.reason ?? "\(response.status)"
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(responses == ["200": 1, "replayed": 19])
        }
    }

    @Test("DG-03: ten minutes later it is expired_token, and the user code is unknown")
    func expiry() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            server.clock.advance(by: .seconds(100))
            var browser = TestBrowser(server)
            let page = try await browser.verify(device.userCode)
            try expectNoToken(try await device.poll(after: 499), "authorization_pending", "authorization_pending")
            try expectNoToken(try await device.poll(after: 1), "expired_token", "expired_token")
            let ended = "This code is no longer valid"
            try expectProblem(try await browser.decide("approve", on: page), ended)
            let typed = try await browser.enter(device.userCode)
            #expect(typed.status == 400)
            #expect(typed.text.contains("This code does not work."))
            try expectNoToken(try await device.poll(), "expired_token", "expired_token")
            // The form has ended as well.
            server.clock.advance(by: .seconds(100))
            try expectProblem(try await browser.decide("approve", on: page), ended)
        }
    }

    @Test("DG-06: a device code belongs to its client")
    func otherClient() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            _ = try await browser.decide("approve", on: try await browser.verify(device.userCode))
            try expectNoToken(try await device.poll(["client_id": "my-app"]), "invalid_grant", "code_rejected")
            try expectNoToken(
                try await device.poll(["client_id": "x-only"]), "unauthorized_client", "unauthorized_client")
            expectToken(try await device.poll())
        }
    }

    @Test("A device that polls too fast gets slow_down, and must then wait five seconds longer")
    func slowDown() async throws {
        try await TestServer.open(.limits { $0.exchangesPerAddress = nil }) { server in
            let device = try await server.beginDevice()
            try expectNoToken(try await device.poll(after: 0), "authorization_pending", "authorization_pending")
            try expectNoToken(try await device.poll(after: 4), "slow_down", "slow_down")
            try expectNoToken(try await device.poll(after: 9), "slow_down", "slow_down")
            try expectNoToken(try await device.poll(after: 15), "authorization_pending", "authorization_pending")
            for _ in 0..<20 { try expectNoToken(try await device.poll(after: 0), "slow_down", "slow_down") }
            try expectNoToken(try await device.poll(after: 60), "authorization_pending", "authorization_pending")
        }
    }

    @Test("A device that was approved in time is signed in, however fast it polled before")
    func approvedWhileFast() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            _ = try await device.poll(after: 0)
            _ = try await device.poll(after: 0)
            var browser = TestBrowser(server)
            _ = try await browser.decide("approve", on: try await browser.verify(device.userCode))
            expectToken(try await device.poll(after: 0))
        }
    }

    @Test("DG-19: no other one-time value is a device code")
    func otherValues() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let device = try await server.beginDevice()
            let values = [
                try await browser.get(BrowserRequest.path()).told["state"] ?? "", try await browser.signIn(),
                device.userCode,
                try await server.nonce().verifier, try await server.subjectToken()["subject_token"] ?? "", "x",
            ]
            for value in values {
                try expectNoToken(
                    try await device.poll(["device_code": value]), "invalid_grant", "code_rejected")
            }
        }
    }

    @Test("An error of a device's request is returned immediately")
    func badRequest() async throws {
        try await TestServer.open { server in
            for (changes, reason) in [
                (["client_id": nil], "missing_field"), (["client_id": "nobody"], "unknown_client"),
                (["client_id": "x-only"], "unauthorized_client"), (["provider": "nobody.example"], "unknown_provider"),
                (["provider": "yahoo.com", "scope": "mail-w"], "invalid_scope"), (["scope": "mail-w"], "invalid_scope"),
                (["scope": String(repeating: "a", count: 1025)], "malformed_body"),
            ] as [([String: String?], String)] {
                try expectRefusal(
                    try await server.form("/device_authorization", ["client_id": "my-app"].changing(changes)), reason)
            }
            let begun = try await server.form(
                "/device_authorization", ["client_id": "my-app", "provider": "yahoo.com", "scope": "openid mail-r"])
            var browser = TestBrowser(server)
            let asked = try await browser.enter(begun.json?["user_code"]?.string ?? "")
            let left = try await browser.post("/device", ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"])
            #expect(left.told["scope"] == "openid profile email mail-r")
        }
    }

    @Test("A refusal at the provider is shown on the page, and the device receives it")
    func personSaysNo() async throws {
        try await TestServer.open { server in
            for provider in ["yahoo.com", "twitter.com"] {
                let device = try await server.beginDevice()
                var browser = TestBrowser(server)
                let asked = try await browser.enter(device.userCode)
                let left = try await browser.post("/device", ["flow": asked.hiddenFlow ?? "", "provider": provider])
                let denied = try await browser.get(
                    try await browser.consent(at: left.location ?? "", decision: "deny"))
                try expectProblem(denied, "Permission was not given")
                #expect(denied.text.contains("get a new code on your device"))
                try expectNoToken(try await device.poll(), "access_denied", "access_denied")
                try expectNoToken(try await device.poll(), "invalid_grant", "replayed")
                #expect(try await browser.enter(device.userCode).heading == "Enter the code from your device")
            }
        }
    }

    @Test("A refusal at the provider after an approval in another tab does not say that nothing happened")
    func lateNo() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let asked = try await browser.enter(device.userCode)
            let left = try await browser.post("/device", ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"])
            let denial = try await browser.consent(at: left.location ?? "", decision: "deny")
            _ = try await browser.decide("approve", on: try await browser.verify(device.userCode))
            try expectProblem(try await browser.get(denial), "This code is no longer valid")
            expectToken(try await device.poll())
        }
    }

    @Test("A failure at the provider is shown on a page, and the code stays usable")
    func providerFails() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let asked = try await browser.enter(device.userCode)
            let fields = ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"]
            let left = try await browser.post("/device", fields)
            let refused = try await browser.consent(at: left.location ?? "", decision: "deny")
            let scope = try await browser.get(refused.replacing("access_denied", with: "invalid_scope"))
            #expect(scope.heading == "The sign-in service did not respond correctly")
            let second = try await browser.post("/device", fields)
            let callback = try await browser.consent(at: second.location ?? "")
            try await server.standIns.fault("yahoo.token", ["status": 500])
            let failed = try await browser.get(callback)
            #expect(failed.heading == "The sign-in service did not respond correctly")
            #expect(failed.location == nil)
            #expect(failed.text.contains("enter the same code again in this browser"))
            let third = try await browser.post("/device", fields)
            let last = try await browser.consent(at: third.location ?? "")
            try await server.standIns.spoilNextIDToken(["set": ["aud": "another-client"]])
            let foreign = try await browser.get(last)
            #expect(foreign.heading == "The sign-in service did not respond correctly")
            try expectNoToken(try await device.poll(), "authorization_pending", "authorization_pending")
            _ = try await browser.decide("approve", on: try await browser.verify(device.userCode))
            expectToken(try await device.poll())
        }
    }
}
