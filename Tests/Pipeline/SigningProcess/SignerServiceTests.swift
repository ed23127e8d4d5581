import Firebase
import JOSE
import Jansson
import Minting
import OpenSSL
import SigningProcess
import Standards
import Support
import Synchronization
import Testing

@testable import LocalSockets

@Suite("Signing process")
struct SignerServiceTests {
    private let clock = TestClock()
    private let trail = Trail()

    /// Collects the lines of the audit trail.
    private final class Trail: Sendable {
        let lines = Mutex<[JSON]>([])
        let isFull = Mutex(false)

        func write(_ event: SignerEvent) -> Bool {
            lines.withLock { $0.append(event.json) }
            return isFull.withLock { !$0 }
        }
    }

    private static let peer = LocalPeer(processID: 7, userID: 1000)
    private static let question = SigningRequest(
        projectID: "my-project",
        kind: .customToken(uid: "u", claims: ["role": .string("editor")], tenantID: nil, lifetime: 60))

    private func service(rate: Int = 100, otherRate: Int = 100, refusalRate: Int = 100) throws -> SignerService {
        let account = try ServiceAccount.parse(
            Deployment.serviceAccountFile(changing: ["project_id": .string("my-project")]))
        return SignerService(
            account: account, signer: try CustomTokenSigner(serviceAccount: account, threadCount: 1),
            rules: SignerRules(
                projectID: "my-project", maximumLifetime: .seconds(300), claims: ["role"], tenants: [nil],
                uidPrefixes: nil, hooks: ["https://hooks.example/a"], allowsAccessTokens: true),
            rate: SigningRate(count: rate, per: .seconds(60), time: clock.source),
            otherRate: SigningRate(count: otherRate, per: .seconds(60), time: clock.source),
            refusalRate: SigningRate(count: refusalRate, per: .seconds(60), time: clock.source), users: [1000],
            time: clock.source
        ) { [trail] event in trail.write(event) }
    }

    private func ask(_ service: SignerService, _ bytes: [UInt8]) async throws -> (content: JSON, isLast: Bool) {
        let answer = await service.answer(to: Self.peer, bytes)
        return (try JSON.parse(answer.body), answer.isLast)
    }

    private func token(_ question: SigningRequest) async throws -> MintedToken {
        let answer = try await ask(try service(), question.json.serialized())
        return try MintedToken(Secret(try #require(answer.content["token"]?.string)))
    }

    @Test("A custom token has the issuer of the key and the time of the signer's clock")
    func customToken() async throws {
        clock.advance(by: .seconds(5))
        let token = try await token(Self.question)
        #expect(try token.isSigned(by: TestKeys.shared.account.publicKey))
        #expect(token.header["typ"] == .string("JWT"))
        let issuer = JSON.string(try Deployment.serviceAccount().clientEmail)
        #expect(
            token.payload
                == .object([
                    "iss": issuer, "sub": issuer, "aud": .string(CustomTokenClaims.audience),
                    "iat": .integer(1_700_000_005), "exp": .integer(1_700_000_065), "uid": .string("u"),
                    "claims": .object(["role": .string("editor")]),
                ]))
    }

    @Test("The question to a hook has a type of its own, and is valid for one minute")
    func hookEvent() async throws {
        let token = try await token(
            SigningRequest(
                projectID: "my-project",
                kind: .hookEvent(
                    audience: "https://hooks.example/a", id: "1", event: .object(["type": .string("before_create")]))
            ))
        #expect(token.header["typ"] == .string("token-exchange-hook+jwt"))
        #expect(token.payload["aud"] == .string("https://hooks.example/a"))
        #expect(token.payload["exp"] == .integer(1_700_000_060))
        #expect(token.payload["event"] == .object(["type": .string("before_create")]))
    }

    @Test("An assertion is for Google's token endpoint, for five minutes, with the scope of Identity Toolkit only")
    func assertion() async throws {
        let token = try await token(SigningRequest(projectID: "my-project", kind: .accessTokenAssertion))
        #expect(try token.isSigned(by: TestKeys.shared.account.publicKey))
        #expect(token.payload["aud"] == .string("https://oauth2.googleapis.com/token"))
        #expect(token.payload["scope"] == .string("https://www.googleapis.com/auth/identitytoolkit"))
        #expect(token.payload["exp"] == .integer(1_700_000_300))
        #expect(token.payload["uid"] == nil)
    }

    @Test("A check signs, gives out no token, and leaves no audit line")
    func check() async throws {
        let question = SigningRequest(projectID: "my-project", kind: .check)
        let answer = try await ask(try service(), question.json.serialized())
        let key = try TestKeys.shared.account.publicKey
        #expect(
            answer.content
                == .object([
                    "issuer": .string(try Deployment.serviceAccount().clientEmail),
                    "n": .string(Base64URL.encode(key.modulus)),
                    "e": .string("AQAB"),
                ]))
        #expect(trail.lines.withLock { $0 } == [])
    }

    @Test("A signature has an audit line with the names of its claims and without their values")
    func auditOfSignature() async throws {
        _ = try await token(Self.question)
        #expect(
            trail.lines.withLock { $0 } == [
                .object([
                    "time": .integer(1_700_000_000_000), "event": .string("signed"), "type": .string("custom_token"),
                    "uid": .string("u"), "claims": .array([.string("role")]), "lifetime": .integer(60),
                    "peer": .object(["pid": .integer(7), "user_id": .integer(1000)]),
                ])
            ])
    }

    @Test("A refusal has an audit line with its reason, and the connection stays open")
    func auditOfRefusal() async throws {
        let question = SigningRequest(
            projectID: "my-project", kind: .hookEvent(audience: "https://evil.example", id: "1", event: .object([:])))
        let answer = try await ask(try service(), question.json.serialized())
        #expect(answer.content == .object(["error": .string("audience_not_allowed")]))
        #expect(!answer.isLast)
        #expect(
            trail.lines.withLock { $0 } == [
                .object([
                    "time": .integer(1_700_000_000_000), "event": .string("refused"), "type": .string("hook_event"),
                    "reason": .string("audience_not_allowed"), "audience": .string("https://evil.example"),
                    "jti": .string("1"), "peer": .object(["pid": .integer(7), "user_id": .integer(1000)]),
                ])
            ])
    }

    @Test("Without its audit line no token is given out")
    func auditFails() async throws {
        trail.isFull.withLock { $0 = true }
        let answer = try await ask(try service(), Self.question.json.serialized())
        #expect(answer.content == .object(["error": .string("audit_failed")]))
    }

    @Test("Only a process of a named user is admitted; the audit line of another one has no question")
    func peer() async throws {
        let service = try service()
        let peer = LocalPeer(processID: 8, userID: 0)
        #expect(service.refusal(of: Self.peer) == nil)
        let message = try #require(service.refusal(of: peer))
        #expect(try JSON.parse(message) == .object(["error": .string("peer_not_allowed")]))
        await service.record(.notAdmitted, of: peer)
        #expect(
            trail.lines.withLock { $0 } == [
                .object([
                    "time": .integer(1_700_000_000_000), "event": .string("refused"),
                    "reason": .string("peer_not_allowed"),
                    "peer": .object(["pid": .integer(8), "user_id": .integer(0)]),
                ])
            ])
    }

    @Test(
        "A connection that is closed because of what it sent has a line",
        arguments: [
            FrameFault.tooLarge(bytes: 70_000), .truncated,
        ])
    func fault(_ fault: FrameFault) async throws {
        await (try service()).record(fault, of: Self.peer)
        #expect(trail.lines.withLock { $0.map { $0["reason"] } } == [.string("malformed")])
    }

    @Test("The connection of a peer whose question cannot be read is closed")
    func malformed() async throws {
        let answer = try await ask(try service(), Array("{".utf8))
        #expect(answer.content == .object(["error": .string("malformed")]))
        #expect(answer.isLast)
    }

    @Test("The rate counts custom tokens only, and grows again with time")
    func rate() async throws {
        let service = try service(rate: 2)
        func error(_ question: SigningRequest) async throws -> String? {
            try await ask(service, question.json.serialized()).content["error"]?.string
        }
        let assertion = SigningRequest(projectID: "my-project", kind: .accessTokenAssertion)
        for question in [assertion, Self.question, assertion, Self.question] {
            #expect(try await error(question) == nil)
        }
        #expect(try await error(Self.question) == "rate_exceeded")
        #expect(try await error(assertion) == nil)
        clock.advance(by: .seconds(29))
        #expect(try await error(Self.question) == "rate_exceeded")
        clock.advance(by: .seconds(1))
        #expect(try await error(Self.question) == nil)
        #expect(try await error(Self.question) == "rate_exceeded")
        // A clock that is set back gives no tokens.
        clock.advance(by: .seconds(-600))
        #expect(try await error(Self.question) == "rate_exceeded")
    }

    @Test("Assertions and questions to hooks have a rate of their own")
    func otherRate() async throws {
        let service = try service(otherRate: 2)
        let assertion = SigningRequest(projectID: "my-project", kind: .accessTokenAssertion)
        let event = SigningRequest(
            projectID: "my-project",
            kind: .hookEvent(audience: "https://hooks.example/a", id: "1", event: .object([:])))
        for question in [assertion, event] {
            #expect(try await ask(service, question.json.serialized()).content["token"] != nil)
        }
        for question in [assertion, event] {
            let answer = try await ask(service, question.json.serialized())
            #expect(answer.content == .object(["error": .string("rate_exceeded")]))
        }
        #expect(try await ask(service, Self.question.json.serialized()).content["token"] != nil)
    }

    @Test("Refusals over the rate have no line, and the next line has their number")
    func floodOfRefusals() async throws {
        let service = try service(refusalRate: 2)
        for _ in 0..<5 { _ = try await ask(service, Array("{".utf8)) }
        #expect(trail.lines.withLock { $0.count } == 2)
        _ = try await ask(service, Self.question.json.serialized())
        #expect(trail.lines.withLock { $0.map { $0["omitted_refusals"] } } == [nil, nil, .integer(3)])
    }

    @Test("A flood of refusals takes nothing from the other signatures")
    func refusalsBesideSignatures() async throws {
        let service = try service(otherRate: 1, refusalRate: 1)
        for _ in 0..<5 { _ = try await ask(service, Array("{".utf8)) }
        let assertion = SigningRequest(projectID: "my-project", kind: .accessTokenAssertion)
        #expect(try await ask(service, assertion.json.serialized()).content["token"] != nil)
    }

    @Test("A question that breaks a rule takes nothing from the rate")
    func refusalsAreFree() async throws {
        let service = try service(rate: 1)
        let other = SigningRequest(projectID: "other", kind: Self.question.kind)
        _ = try await ask(service, other.json.serialized())
        #expect(try await ask(service, Self.question.json.serialized()).content["token"] != nil)
    }
}
