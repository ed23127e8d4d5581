import Jansson
import Standards
import Support
import Synchronization
import Testing
import Transport

@testable import Server

@Suite("Audit trail", .serialized, .timeLimit(.minutes(5)))
struct AuditTests {
    /// The members of a line without time and request id.
    private static func facts(_ line: JSON) -> JSON {
        line.setting("time", to: nil).setting("request_id", to: nil)
    }

    static func expect(
        _ trail: Trail, _ facts: JSON, _ response: OutboundResponse?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expect(trail, lines: [facts], response, sourceLocation: sourceLocation)
    }

    /// Expects several lines of one request.
    static func expect(
        _ trail: Trail, lines expected: [JSON], _ response: OutboundResponse?,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let lines = trail.lines
        #expect(lines.map(Self.facts) == expected, sourceLocation: sourceLocation)
        let id = response?[field: "X-Request-Id"]
        #expect(id?.utf8.count == 32, sourceLocation: sourceLocation)
        for line in lines {
            #expect(line["time"] == "2023-11-14T22:13:20.000Z", sourceLocation: sourceLocation)
            #expect(line["request_id"]?.string == id, sourceLocation: sourceLocation)
        }
        trail.forget()
    }

    @Test("LG-04: a sign-in is one line with the uid, provider, proof and client")
    func mint() async throws {
        let trail = Trail()
        try await TestServer.open(.with { $0.audit = trail.audit }) { server in
            let signedIn = try await server.exchange(try await server.idTokenBody())
            // Issuing a nonce does not concern an account.
            Self.expect(
                trail,
                [
                    "audit": "mint", "endpoint": "/v1/exchange", "client": "my-app", "provider": "yahoo.com",
                    "audience_proof": "id_token_aud", "uid": .string(TestServer.alice),
                ], signedIn)
            var browser = TestBrowser(server)
            let redeemed = try await server.redeem(try await browser.signIn(["provider": "twitter.com"], as: "bjorn"))
            Self.expect(
                trail,
                [
                    "audit": "mint", "endpoint": "/token", "client": "my-app", "provider": "twitter.com",
                    "audience_proof": "authorization_code", "uid": .string(TestServer.bjornAtX),
                ], redeemed)
            let anonymous = try await server.post("/v1/anonymous", ["client_id": "my-app"])
            Self.expect(
                trail,
                [
                    "audit": "mint", "endpoint": "/v1/anonymous", "client": "my-app",
                    "uid": anonymous.json?["uid"] ?? .null,
                ], anonymous)
            let proven = try await server.person(TestServer.alice).reauthenticate(try await server.freshCodeBody())
            Self.expect(
                trail,
                [
                    "audit": "mint", "endpoint": "/v1/account/reauthenticate", "client": "my-app",
                    "provider": "yahoo.com", "audience_proof": "authorization_code", "uid": .string(TestServer.alice),
                ], proven)
        }
    }

    @Test("LG-04: each change of an account is one line")
    func changes() async throws {
        let trail = Trail()
        try await TestServer.open(.with { $0.audit = trail.audit }) { server in
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
            trail.forget()
            let uid = JSON.string(alice.uid)
            let linked = try await alice.link(try await server.xCodeBody())
            Self.expect(
                trail,
                [
                    "audit": "link", "endpoint": "/v1/account/link", "client": "my-app", "provider": "twitter.com",
                    "audience_proof": "authorization_code", "uid": uid,
                ], linked)
            let unlinked = try await alice.post(
                "/v1/account/unlink", ["client_id": "my-app", "provider": "twitter.com"])
            Self.expect(
                trail,
                [
                    "audit": "unlink", "endpoint": "/v1/account/unlink", "client": "my-app", "provider": "twitter.com",
                    "uid": uid,
                ], unlinked)
            let merged = try await alice.merge("from_id_token", bjorn.idToken)
            Self.expect(
                trail,
                [
                    "audit": "merge", "endpoint": "/v1/account/merge", "client": "my-app", "uid": uid,
                    "merged_uid": .string(bjorn.uid),
                ], merged)
            let signedOut = try await alice.post("/v1/account/signout", ["client_id": "my-app"])
            Self.expect(
                trail,
                ["audit": "sign_out", "endpoint": "/v1/account/signout", "client": "my-app", "uid": uid], signedOut)
            _ = try await alice.ask("GET", "/v1/account")
            #expect(trail.lines.isEmpty, "Reading changes nothing.")
            let deleted = try await alice.ask("DELETE", "/v1/account?client_id=my-app")
            Self.expect(
                trail, ["audit": "delete", "endpoint": "/v1/account", "client": "my-app", "uid": uid], deleted)
        }
    }
}

@Suite("Audit trail of refusals", .serialized, .timeLimit(.minutes(5)))
struct AuditedRefusalTests {
    @Test("LG-04: refusals for load, shutdown, clock or rate are not audited")
    func untold() {
        for reason in [Reason.overloaded, .draining, .clockBehind, .rateLimited] { #expect(!reason.isAudited) }
        #expect(Reason.replayed.isAudited)
    }

    @Test("LG-04: each refusal is one line with its reason, and names only configured clients and providers")
    func refusals() async throws {
        let trail = Trail()
        try await TestServer.open(.with { $0.audit = trail.audit }) { server in
            let alice = try await server.atYahoo()
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
            let nobody = try await server.post("/v1/account/link", Bodies.inventedCode)
            AuditTests.expect(
                trail,
                ["audit": "refusal", "endpoint": "/v1/account/link", "reason": "id_token_missing"], nobody)
            let stranger = try await server.exchange(Bodies.inventedCode.setting("client_id", to: "stranger"))
            AuditTests.expect(
                trail,
                [
                    "audit": "refusal", "endpoint": "/v1/exchange", "provider": "yahoo.com", "reason": "unknown_client",
                ], stranger)
            let code = try await server.redeem("made-up")
            AuditTests.expect(
                trail,
                ["audit": "refusal", "endpoint": "/token", "client": "my-app", "reason": "code_rejected"], code)
            let body = try await server.idTokenBody()
            _ = try await server.exchange(body)
            trail.forget()
            let replayed = try await server.exchange(body)
            AuditTests.expect(
                trail,
                [
                    "audit": "refusal", "endpoint": "/v1/exchange", "client": "my-app", "provider": "yahoo.com",
                    "reason": "replayed",
                ], replayed)
        }
    }

    @Test("LG-04: a wrong code names the account and the provider of its handle, on the page as in a call")
    func wrongCode() async throws {
        let trail = Trail()
        try await TestServer.open(.with { $0.audit = trail.audit }) { server in
            let (alice, authenticator) = try await server.atYahooWithFactor()
            let handle = try await server.challenge()
            var browser = TestBrowser(server)
            let page = try await browser.toChallenge()
            trail.forget()
            _ = try await server.prove(handle, "totp", authenticator.wrongCode())
            #expect(try await browser.prove(page, authenticator.wrongCode()).status == 400)
            let lines = trail.lines
            #expect(lines.map { $0["endpoint"] } == ["/v1/exchange", "/authorize"])
            for line in lines {
                #expect(line["audit"] == "refusal" && line["reason"] == "second_factor_invalid", "\(line)")
                #expect(line["uid"] == .string(alice.uid) && line["provider"] == "yahoo.com", "\(line)")
            }
        }
    }

    @Test("LG-04: every success is audited, and as many refusals of one address as it may make calls")
    func rate() async throws {
        let trail = Trail()
        let plan = Plan.with {
            $0.audit = trail.audit
            $0.limits.exchangesPerAddress = RateLimit(count: 3, period: .seconds(60))
        }
        try await TestServer.open(plan) { server in
            var browser = TestBrowser(server)
            for number in 0..<20 { _ = try await browser.get("/callback/yahoo.com?code=\(number)&state=s") }
            #expect(trail.lines.count == 3)
            let body = try await server.idTokenBody()
            #expect(try await server.exchange(body).status == 200)
            #expect(trail.lines.count == 4)
            server.clock.advance(by: .seconds(20))
            for number in 0..<20 { _ = try await browser.get("/callback/yahoo.com?code=\(number)&state=s") }
            #expect(trail.lines.count == 5)
        }
    }

    @Test("LG-04: a device that polls is no refusal")
    func polls() async throws {
        let trail = Trail()
        try await TestServer.open(.with { $0.audit = trail.audit }) { server in
            let device = try await server.beginDevice()
            for _ in 0..<3 { _ = try await device.poll(after: 0) }
            #expect(trail.lines.isEmpty, "\(trail.text)")
        }
    }
}

/// An audit trail that keeps its lines.
final class Trail: Sendable {
    private let kept = Mutex<[String]>([])

    var audit: AuditTrail { AuditTrail { event in self.kept.withLock { $0.append(event.line) } } }

    var lines: [JSON] { kept.withLock { $0 }.compactMap { try? JSON.parse(Array($0.utf8)) } }

    var text: String { kept.withLock { $0.joined(separator: "\n") } }

    func forget() { kept.withLock { $0 = [] } }
}
