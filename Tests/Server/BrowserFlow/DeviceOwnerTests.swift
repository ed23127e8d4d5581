import Server
import Standards
import Testing
import Transport

@Suite("The browser that may sign a device in", .serialized, .timeLimit(.minutes(5)))
struct DeviceOwnerTests {
    private static let taken = "This code is in use in another browser"
    private static let unusable = "This page cannot be used any more"
    private static let ended = "This sign-in has ended"
    private static let used = "This code is no longer valid"

    @Test("DG-11: the first browser that confirms owns the code; others can neither use nor refuse it")
    func taken() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var victim = TestBrowser(server)
            let asked = try await victim.enter(device.userCode)
            var attacker = TestBrowser(server)
            let attackers = try await attacker.enter(device.userCode)
            let left = try await victim.post("/device", ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"])
            try expectProblem(
                try await attacker.post("/device", ["flow": attackers.hiddenFlow ?? "", "provider": "yahoo.com"]),
                Self.taken)
            try expectProblem(try await attacker.decide("deny", on: attackers), Self.taken)
            let verified = try await victim.get(try await victim.consent(at: left.location ?? ""))
            try expectProblem(try await attacker.decide("deny", on: attackers), Self.taken)
            #expect(try await victim.decide("approve", on: verified).status == 200)
            try expectProblem(try await attacker.decide("deny", on: attackers), Self.used)
            expectToken(try await device.poll())
        }
    }

    @Test("DG-10: the approval belongs to the browser that signed in, and is posted by a form")
    func approval() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var victim = TestBrowser(server)
            let verified = try await victim.verify(device.userCode)
            var attacker = TestBrowser(server)
            try expectProblem(try await attacker.decide("approve", on: verified), Self.unusable)
            _ = try await attacker.get("/device")
            try expectProblem(try await attacker.decide("approve", on: verified), Self.unusable)
            try expectProblem(
                try await victim.post(
                    "/device", ["flow": verified.hiddenFlow ?? "", "decision": "approve"],
                    header: [HeaderField("Sec-Fetch-Site", "cross-site")]), "This link is damaged")
            for query in ["decision=approve", "flow=\(verified.hiddenFlow ?? "")&decision=approve"] {
                #expect(try await victim.get("/device?" + query).heading == "Enter the code from your device")
            }
            try expectNoToken(try await device.poll(), "authorization_pending", "authorization_pending")
            let approved = try await victim.decide("approve", on: verified)
            #expect(approved.status == 200)
            // A button that the person presses twice has the same page both times.
            #expect(try await victim.decide("approve", on: verified).heading == approved.heading)
            try expectProblem(try await victim.decide("deny", on: verified), Self.used)
            expectToken(try await device.poll())
        }
    }

    @Test("DG-10: the field of a page is valid only for its step: the page before the provider approves nothing")
    func otherStep() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let form = try await browser.get("/device")
            let asked = try await browser.post(
                "/device", ["flow": form.hiddenFlow ?? "", "user_code": device.userCode])
            for page in [form, asked] {
                try expectProblem(try await browser.decide("approve", on: page), Self.unusable)
            }
            try expectProblem(try await browser.decide("deny", on: form), Self.unusable)
            try expectProblem(
                try await browser.post("/device", ["flow": form.hiddenFlow ?? "", "provider": "yahoo.com"]),
                Self.unusable)
            try expectProblem(
                try await browser.post(
                    "/device", ["flow": asked.hiddenFlow ?? "", "user_code": device.userCode]), Self.unusable)
            let verified = try await browser.verify(device.userCode)
            try expectProblem(
                try await browser.post("/device", ["flow": verified.hiddenFlow ?? "", "provider": "yahoo.com"]),
                Self.unusable)
            try expectProblem(try await browser.decide("approve", on: asked), Self.unusable)
            try expectNoToken(try await device.poll(), "authorization_pending", "authorization_pending")
        }
    }

    @Test("DG-10: a field of a page is ten minutes old, or another browser's, or made up: it does nothing")
    func badField() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let form = try await browser.get("/device")
            let first = try await server.beginDevice()
            for field in ["", "made-up", (form.hiddenFlow ?? "") + "A", String((form.hiddenFlow ?? "").dropLast())] {
                try expectProblem(
                    try await browser.post("/device", ["flow": field, "user_code": first.userCode]), Self.unusable)
            }
            try expectProblem(try await browser.post("/device", ["user_code": first.userCode]), Self.unusable)
            let fields = ["flow": form.hiddenFlow ?? "", "user_code": first.userCode]
            #expect(try await browser.post("/device", fields).status == 200)
            server.clock.advance(by: .seconds(600))
            let device = try await server.beginDevice()
            try expectProblem(
                try await browser.post("/device", fields.changing(["user_code": device.userCode])), Self.unusable)
        }
    }

    @Test("A callback of a device's flow ends in its own browser")
    func callback() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var victim = TestBrowser(server)
            let asked = try await victim.enter(device.userCode)
            let left = try await victim.post("/device", ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"])
            let callback = try await victim.consent(at: left.location ?? "")
            var attacker = TestBrowser(server)
            _ = try await attacker.get("/device")
            try expectProblem(try await attacker.get(callback), Self.ended)
            #expect(try await server.tokenRequests() == 0)
            #expect(try await victim.get(callback).heading == "Last step: sign in to Living Room TV?")
        }
    }

    @Test("The owner may begin again; the result of the first sign-in is discarded")
    func beginAgain() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            let first = try await browser.verify(device.userCode, as: "mallory")
            let asked = try await browser.enter(device.userCode)
            let left = try await browser.post("/device", ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"])
            try expectProblem(try await browser.decide("approve", on: first), Self.taken)
            let second = try await browser.get(try await browser.consent(at: left.location ?? "", as: "alice"))
            // The page that named the first person does not approve the second.
            try expectProblem(try await browser.decide("approve", on: first), Self.taken)
            #expect(try await browser.decide("approve", on: second).status == 200)
            expectToken(try await device.poll())
        }
    }

    @Test("DG-14: of approvals and refusals at once only those or these are heard, and the device hears the same")
    func race() async throws {
        try await TestServer.open { server in
            for _ in 0..<5 {
                let device = try await server.beginDevice()
                var browser = TestBrowser(server)
                let page = try await browser.verify(device.userCode)
                let heard = try await withThrowingTaskGroup(of: String?.self) { [browser] group in
                    for index in 0..<10 {
                        group.addTask {
                            var copy = browser
                            let word = index.isMultiple(of: 2) ? "approve" : "deny"
                            return try await copy.decide(word, on: page).status == 200 ? word : nil
                        }
                    }
                    return try await group.reduce(into: [String]()) { if let word = $1 { $0.append(word) } }
                }
                #expect(Set(heard).count == 1)
                let response = try await device.poll()
                if heard.first == "approve" {
                    expectToken(response)
                } else {
                    try expectNoToken(response, "access_denied", "access_denied")
                }
            }
        }
    }

    @Test("The browser's cookie says nothing but which browser it is, and stays")
    func cookie() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let first = try #require(try await browser.get("/device").setCookies.first)
            #expect(first.name == "__Host-device")
            #expect(first.attributes == ["Path=/", "Max-Age=600", "HttpOnly", "SameSite=Lax", "Secure"])
            var planted = TestBrowser(server)
            planted.cookies = [("__Host-device", "planted")]
            let form = try await planted.get("/device")
            #expect(planted.cookies.first?.value != "planted")
            // A form for one browser, and the cookie of another.
            planted.cookies = [("__Host-device", first.value)]
            let device = try await server.beginDevice()
            try expectProblem(
                try await planted.post("/device", ["flow": form.hiddenFlow ?? "", "user_code": device.userCode]),
                Self.unusable)
        }
    }
}
