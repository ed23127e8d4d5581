import Exchange
import OAuth
import Providers
import Stores
import Support
import Testing
import Transport

@Suite("Codes given back")
struct GivingBackTests {
    private static let host = "api.login.yahoo.com"

    @Test(
        "A code that cannot have been taken can be used again",
        arguments: [
            (ScriptedAnswer.status(429, header: [HeaderField("Retry-After", "3")]), .throttled(retryAfter: 3)),
            (.status(503), .unavailable(retryAfter: nil)),
            (.failure(.unreachable(host: host)), .noAnswer(.unreachable(host: host))),
            (.failure(.untrusted(host: host)), .noAnswer(.untrusted(host: host))),
            (.failure(.overloaded(host: host)), .noAnswer(.overloaded(host: host))),
            (
                .failure(.timedOut(host: host, requestSent: false)),
                .noAnswer(.timedOut(host: host, requestSent: false))
            ),
            (.failure(.cancelled(requestSent: false)), .noAnswer(.cancelled(requestSent: false))),
        ] as [(ScriptedAnswer, ProviderFailure)])
    func givenBack(_ answer: ScriptedAnswer, _ failure: ProviderFailure) async throws {
        let redemption = try Redemption(.yahoo)
        let success = ScriptedAnswer.json(
            try Deployment.tokens(.yahoo(nonce: "n"), accessToken: Yahoo.accessToken))
        redemption.deployment.peer.script(.post, Yahoo.token, answer, success)
        await #expect(throws: ExchangeError.provider(failure, givenBack: true)) { try await redemption.redeem() }
        #expect(redemption.deployment.store.spentKinds.isEmpty)
        let tokens = try await redemption.redeem()
        #expect(tokens.accessToken?.secret.secretText == Yahoo.accessToken)
        #expect(redemption.deployment.store.spentKinds == [.authorizationCode])
    }

    @Test(
        "UP-06: A code that may have been taken stays spent",
        arguments: [
            (
                ScriptedAnswer.failure(.timedOut(host: host, requestSent: true)),
                .noAnswer(.timedOut(host: host, requestSent: true))
            ),
            (.failure(.interrupted(host: host)), .noAnswer(.interrupted(host: host))),
            (.failure(.cancelled(requestSent: true)), .noAnswer(.cancelled(requestSent: true))),
            (.failure(.tooLarge(host: host)), .noAnswer(.tooLarge(host: host))),
            (.failure(.notHTTP(host: host)), .noAnswer(.notHTTP(host: host))),
            (.status(500), .failed(status: 500)), (.status(502), .failed(status: 502)),
            (.status(504), .failed(status: 504)), (.status(408), .failed(status: 408)),
        ] as [(ScriptedAnswer, ProviderFailure)])
    func spent(_ answer: ScriptedAnswer, _ failure: ProviderFailure) async throws {
        let redemption = try Redemption(.yahoo)
        redemption.script(answer)
        await #expect(throws: ExchangeError.provider(failure, givenBack: false)) { try await redemption.redeem() }
        await #expect(throws: ExchangeError.replayed) { try await redemption.redeem() }
        #expect(redemption.requests.count == 1)
    }

    @Test("Where the store cannot give it back, the code stays spent, and nobody is told otherwise")
    func storeFails() async throws {
        for answer in [ScriptedAnswer.status(503), .failure(.unreachable(host: Self.host))] {
            let redemption = try Redemption(.yahoo)
            redemption.script(answer)
            redemption.deployment.store.fail(atCall: 2)
            do {
                _ = try await redemption.redeem()
                Issue.record("The code was redeemed.")
            } catch ExchangeError.provider(_, let givenBack) {
                #expect(!givenBack)
            }
            await #expect(throws: ExchangeError.replayed) { try await redemption.redeem() }
        }
    }

    @Test("Of fifty parallel copies of a code that is given back, no two are with the provider at once")
    func parallel() async throws {
        let redemption = try Redemption(.yahoo)
        redemption.script(.status(503))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { _ = try? await redemption.redeem() }
            }
        }
        let calls = redemption.deployment.store.calls
        #expect(calls.count { $0 == .giveBack([.authorizationCode]) } == redemption.requests.count)
        #expect(redemption.deployment.store.spentKinds.isEmpty)
    }
}
