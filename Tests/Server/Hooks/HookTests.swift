import Jansson
import Minting
import Support
import Synchronization
import Testing
import Transport

extension Plan {
    /// Hooks whose answers are the bodies that `answer` returns for the member `event`.
    static func hooked(
        _ points: [HookPoint], _ change: (inout Plan) -> Void = { _ in },
        answer: @escaping @Sendable (JSON) -> String
    ) -> Plan {
        var plan = Plan()
        for point in points {
            plan.hooks[point] = Hook(
                url: "https://hooks.example/\(point.rawValue)", timeout: .seconds(2), allowsOnFailure: false)
        }
        plan.hookTransport = HTTPTransport { request throws(TransportError) in
            let event = Payload.of(String(decoding: request.body, as: UTF8.self))?["event"]
            return OutboundResponse(status: 200, body: Array(answer(event ?? .null).utf8))
        }
        change(&plan)
        return plan
    }
}

@Suite("Hooks", .serialized, .timeLimit(.minutes(5)))
struct HookTests {
    /// What the hooks were asked.
    final class Questions: Sendable {
        private let events = Mutex<[JSON]>([])

        var all: [JSON] { events.withLock { $0 } }
        func record(_ event: JSON) { events.withLock { $0.append(event) } }
    }

    private static let refusal = #"{"deny":{"message":"Ask \"Ann\" <b>first</b>: \u00e4"}}"#

    @Test("A hook learns the address of the client and the identifier of the request")
    func origin() async throws {
        let questions = Questions()
        let plan = Plan.hooked([.beforeCreate, .beforeSignIn]) { plan in
            plan.trustsLoopback = true
        } answer: {
            questions.record($0)
            return "{}"
        }
        try await TestServer.open(plan) { server in
            let response = try await server.raw(
                TestServer.request(
                    "POST /v1/anonymous HTTP/1.1",
                    header: ["Content-Type: application/json", "X-Forwarded-For: 2001:db8:0:0::a:1"],
                    body: #"{"client_id":"my-app"}"#))
            #expect(response?.status == 200)
            let ids = questions.all.map { $0["request_id"]?.string }
            #expect(ids == Array(repeating: response?[field: "X-Request-Id"], count: 2))
            #expect(questions.all.map { $0["address"]?.string } == ["2001:db8::a:1", "2001:db8::a:1"])
        }
    }

    @Test("The text of a refusal is in message, as the hook wrote it, and never in error_description")
    func refused() async throws {
        let plan = Plan.hooked([.beforeSignIn]) { _ in Self.refusal }
        try await TestServer.open(plan) { server in
            let response = try await server.exchange(try await server.codeBody())
            try expectRefusal(response, "blocked_by_hook", further: ["message"])
            #expect(response.json?["message"]?.string == "Ask \"Ann\" <b>first</b>: \u{E4}")
        }
    }

    @Test("At /token a refusal is a 400, after a browser flow and for a device")
    func token() async throws {
        let plan = Plan.hooked([.beforeSignIn]) { _ in Self.refusal }
        try await TestServer.open(plan) { server in
            var browser = TestBrowser(server)
            let redeemed = try await server.redeem(try await browser.signIn(["provider": "yahoo.com"]))
            #expect(redeemed.status == 400)
            #expect(redeemed.json?["error"]?.string == "access_denied")
            #expect(redeemed.reason == "blocked_by_hook")
            #expect(redeemed.json?["message"]?.string?.hasPrefix("Ask ") == true)
            let device = try await server.beginDevice()
            var phone = TestBrowser(server)
            _ = try await phone.decide("approve", on: try await phone.verify(device.userCode))
            let polled = try await device.poll()
            #expect(polled.status == 400)
            #expect(polled.reason == "blocked_by_hook")
            #expect(polled.json?["message"] == redeemed.json?["message"])
            #expect(try await device.poll().reason == "replayed")
        }
    }

    @Test("A refusal is a line of the audit trail, after that of the new account; the text is not in it")
    func audit() async throws {
        let trail = Trail()
        let plan = Plan.hooked([.beforeSignIn]) {
            $0.audit = trail.audit
        } answer: { _ in
            Self.refusal
        }
        try await TestServer.open(plan) { server in
            let response = try await server.exchange(try await server.codeBody())
            let created: JSON = [
                "audit": "create", "endpoint": "/v1/exchange", "client": "my-app", "provider": "yahoo.com",
                "audience_proof": "authorization_code", "uid": .string(TestServer.alice),
            ]
            let refused = created.setting("audit", to: "refusal").setting("reason", to: "blocked_by_hook")
            AuditTests.expect(trail, lines: [created, refused], response)
        }
    }

    @Test("A hook that gives no answer is logged as an error of the server, with its cause")
    func logged() async throws {
        let plan = Plan.hooked([.beforeSignIn]) { _ in "[]" }
        try await TestServer.open(plan) { server in
            // Nothing of an ID token is spent at its provider, so that it may be sent again.
            let response = try await server.exchange(try await server.idTokenBody())
            try expectRefusal(response, "hook_unavailable", retry: "same")
            let line = try #require(server.log.lines.last { $0.contains("hook_unavailable") })
            #expect(line.hasPrefix("error") && line.contains("the answer is not one JSON object"))
        }
    }

    @Test("A claim that Firebase reserves is named in a sentence of the log")
    func reservedClaim() async throws {
        let plan = Plan.hooked([.beforeSignIn]) { _ in #"{"claims":{"exp":1}}"# }
        try await TestServer.open(plan) { server in
            let response = try await server.exchange(try await server.idTokenBody())
            try expectRefusal(response, "hook_unavailable", retry: "same")
            let line = try #require(server.log.lines.last { $0.contains("hook_unavailable") })
            #expect(
                line.contains(#""error": the claims of the answer cannot be used: Firebase reserves the claim exp"#),
                "\(line)")
        }
    }
}
