import Jansson
import Testing
import Transport

@testable import Server

@Suite("Audit trail of refusals", .serialized, .timeLimit(.minutes(5)))
struct AuditedRefusalTests {
    @Test("LG-04: what no person has caused is not told")
    func untold() {
        for reason in [Reason.overloaded, .draining, .clockBehind, .rateLimited] { #expect(!reason.isAudited) }
        #expect(Reason.replayed.isAudited)
    }

    @Test("LG-04: each refusal is one line with its reason, and names nobody who is not known")
    func refusals() async throws {
        let trail = Trail()
        try await Street.open(.with { $0.audit = trail.audit }) { street in
            let alice = try await street.atYahoo()
            trail.forget()
            let last = try await alice.unlink("yahoo.com")
            AuditTests.expect(
                trail,
                [
                    "audit": "refusal", "endpoint": "/v1/account/unlink", "uid": .string(alice.uid),
                    "reason": "last_identity",
                ], last)
            let rejected = try await alice.link(Bodies.inventedCode)
            AuditTests.expect(
                trail,
                [
                    "audit": "refusal", "endpoint": "/v1/account/link", "client": "my-app", "provider": "yahoo.com",
                    "uid": .string(alice.uid), "reason": "code_rejected",
                ], rejected)
            let nobody = try await street.post("/v1/account/link", Bodies.inventedCode)
            AuditTests.expect(
                trail,
                ["audit": "refusal", "endpoint": "/v1/account/link", "reason": "id_token_missing"], nobody)
            let stranger = try await street.exchange(Bodies.inventedCode.setting("client_id", to: "stranger"))
            AuditTests.expect(
                trail,
                [
                    "audit": "refusal", "endpoint": "/v1/exchange", "provider": "yahoo.com", "reason": "unknown_client",
                ], stranger)
            let code = try await street.redeem("made-up")
            AuditTests.expect(
                trail,
                ["audit": "refusal", "endpoint": "/token", "client": "my-app", "reason": "code_rejected"], code)
            let body = try await street.idTokenBody()
            _ = try await street.exchange(body)
            trail.forget()
            let replayed = try await street.exchange(body)
            AuditTests.expect(
                trail,
                [
                    "audit": "refusal", "endpoint": "/v1/exchange", "client": "my-app", "provider": "yahoo.com",
                    "reason": "replayed",
                ], replayed)
        }
    }

    @Test("LG-04: of one address as many refusals are told as it may make calls, and all that was done")
    func rate() async throws {
        let trail = Trail()
        let plan = Plan.with {
            $0.audit = trail.audit
            $0.limits.exchangesPerAddress = RateLimit(count: 3, period: .seconds(60))
        }
        try await Street.open(plan) { street in
            var visitor = Visitor(street)
            for number in 0..<20 { _ = try await visitor.get("/callback/yahoo.com?code=\(number)&state=s") }
            #expect(trail.lines.count == 3)
            let body = try await street.idTokenBody()
            #expect(try await street.exchange(body).status == 200)
            #expect(trail.lines.count == 4)
            street.clock.advance(by: .seconds(20))
            for number in 0..<20 { _ = try await visitor.get("/callback/yahoo.com?code=\(number)&state=s") }
            #expect(trail.lines.count == 5)
        }
    }

    @Test("LG-04: a device that polls is no refusal")
    func polls() async throws {
        let trail = Trail()
        try await Street.open(.with { $0.audit = trail.audit }) { street in
            let device = try await street.beginDevice()
            for _ in 0..<3 { _ = try await device.poll(after: 0) }
            #expect(trail.lines.isEmpty, "\(trail.text)")
        }
    }
}
