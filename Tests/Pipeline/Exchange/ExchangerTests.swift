import Exchange
import Flows
import Providers
import Standards
import Stores
import Support
import Testing
import Transport

@Suite("Exchange of authorization codes")
struct CodeExchangeTests {
    @Test("A code is exchanged for the provider's tokens, and is spent", arguments: Redemption.Server.allCases)
    func baseline(_ server: Redemption.Server) async throws {
        let redemption = try Redemption(server)
        let tokens = try await redemption.redeem()
        switch server {
        case .yahoo:
            #expect(tokens.provider == Yahoo.id)
            #expect(tokens.accessToken?.secret.secretText == Yahoo.accessToken)
            #expect(tokens.refreshToken?.secret.secretText == "refresh-token")
            #expect(tokens.idToken != nil)
            #expect(tokens.expiresIn == 3600)
        case .generic:
            #expect(tokens.provider == Generic.id)
            #expect(tokens.accessToken?.secret.secretText == Generic.accessToken)
            #expect(tokens.idToken != nil)
        case .x:
            #expect(tokens.provider == X.id)
            #expect(tokens.accessToken?.secret.secretText == "x-access-token")
            #expect(tokens.idToken == nil)
            #expect(tokens.scope == "tweet.read users.read users.email")
            #expect(tokens.expiresIn == 7200)
        }
        #expect(tokens.tokenCredentials == nil && tokens.userID == nil && tokens.screenName == nil)
        #expect(redemption.deployment.store.spentKinds == [.authorizationCode])
    }

    @Test(
        "EX-01, X2-03: A code that was redeemed is refused as a replay without a second call to the provider",
        arguments: Redemption.Server.allCases)
    func replay(_ server: Redemption.Server) async throws {
        let redemption = try Redemption(server)
        _ = try await redemption.redeem()
        await expectRefusal(Refusal.replayed(.authorizationCode)) {
            try await redemption.redeem()
        }
        #expect(redemption.requests.count == 1)
    }

    @Test("EX-01: A code is refused as a replay for an hour, whatever else the request contains")
    func replayLater() async throws {
        let redemption = try Redemption(.yahoo)
        _ = try await redemption.redeem()
        redemption.deployment.clock.advance(by: .seconds(3599))
        // Records that have expired by now are deleted.
        _ = try await redemption.deployment.store.sweep(expiredBefore: redemption.deployment.clock.now, atMost: 10)
        await expectRefusal(Refusal.replayed(.authorizationCode)) {
            try await redemption.redeem(redirectURI: DeploymentPlan.loopbackURI, verifier: nil)
        }
        #expect(redemption.requests.count == 1)
    }

    @Test("A code that the provider refused stays spent")
    func replayOfRefused() async throws {
        let redemption = try Redemption(.yahoo)
        redemption.script(.json(#"{"error":"invalid_grant"}"#, status: 400))
        await expectRefusal(Refusal.codeRejected) { try await redemption.redeem() }
        await expectRefusal(Refusal.replayed(.authorizationCode)) {
            try await redemption.redeem()
        }
        #expect(redemption.requests.count == 1)
    }

    @Test(
        "EX-02, X2-03: Of fifty parallel copies of a code one is redeemed, with one call to the provider",
        arguments: Redemption.Server.allCases)
    func parallel(_ server: Redemption.Server) async throws {
        let redemption = try Redemption(server)
        let outcomes = await withTaskGroup(of: Refusal?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        _ = try await redemption.redeem()
                        return nil
                    } catch {
                        return error as? Refusal
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.count { $0 == .replayed(.authorizationCode) } == 49)
        #expect(redemption.requests.count == 1)
    }

    @Test("EX-10: The same code at another provider is another code, and is sent only there")
    func otherProvider() async throws {
        let redemption = try Redemption(.yahoo)
        redemption.deployment.scriptX()
        _ = try await redemption.redeem()
        let elsewhere = try await redemption.deployment.exchanger.exchange(
            AuthorizationGrant(
                code: Secret("x2tzunc"), redirectURI: DeploymentPlan.redirectURI,
                codeVerifier: CodeVerifier(Redemption.verifier)),
            with: redemption.deployment.xOAuth2, of: redemption.deployment.x)
        #expect(elsewhere.provider == X.id)
        #expect(redemption.requests.count == 1)
    }

    @Test("Codes of any length are accepted", arguments: [1, 7, 4096])
    func length(_ count: Int) async throws {
        let redemption = try Redemption(.yahoo)
        _ = try await redemption.redeem(code: String(repeating: "x", count: count))
    }

    @Test("SR-09: A code that cannot be recorded is not redeemed")
    func storeFails() async throws {
        let redemption = try Redemption(.yahoo)
        redemption.deployment.store.fail(atCall: 1, with: .unavailable(.full))
        await expectRefusal(StoreError.unavailable(.full).refusal.unspent) {
            try await redemption.redeem()
        }
        #expect(redemption.requests.isEmpty)
        _ = try await redemption.redeem()
    }

    @Test("SR-08: If the record may have been written, the code is not redeemed and counts as spent")
    func outcomeUnknown() async throws {
        let redemption = try Redemption(.yahoo)
        redemption.deployment.store.fail(atCall: 1, with: .outcomeUnknown(.inputOutput), afterwards: true)
        await expectRefusal(StoreError.outcomeUnknown(.inputOutput).refusal.spent) {
            try await redemption.redeem()
        }
        await expectRefusal(Refusal.replayed(.authorizationCode)) {
            try await redemption.redeem()
        }
        #expect(redemption.requests.isEmpty)
    }

    @Test("If the metadata cannot be fetched, the code is not spent")
    func noMetadata() async throws {
        let redemption = try Redemption(.generic)
        redemption.deployment.peer.script(.get, Generic.metadata, .status(500))
        await expectRefusal(ProviderFailure.document(.status(500)).refusal.unspent) {
            try await redemption.redeem()
        }
        #expect(redemption.deployment.store.calls.isEmpty)
        #expect(redemption.requests.isEmpty)
    }
}

@Suite("Codes that are given back")
struct GivingBackTests {
    private static let host = "api.login.yahoo.com"

    @Test(
        "A code that the provider cannot have received can be used again",
        arguments: [
            (ScriptedAnswer.status(429, header: [HeaderField("Retry-After", "3")]), .throttled(retryAfter: 3)),
            (.status(503), .unavailable(retryAfter: nil)),
            (.failure(.unreachable(host: host)), .noAnswer(.unreachable(host: host))),
            (.failure(.untrusted(host: host)), .noAnswer(.untrusted(host: host))),
            (.failure(.overloaded(host: host)), .noAnswer(.overloaded(host: host))),
            (
                .failure(.proxyFailed(proxy: "p:3128", host: host, status: 407)),
                .noAnswer(.proxyFailed(proxy: "p:3128", host: host, status: 407))
            ),
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
        await expectRefusal(failure.refusal.unspent) { try await redemption.redeem() }
        #expect(redemption.deployment.store.spentKinds.isEmpty)
        let tokens = try await redemption.redeem()
        #expect(tokens.accessToken?.secret.secretText == Yahoo.accessToken)
        #expect(redemption.deployment.store.spentKinds == [.authorizationCode])
    }

    @Test(
        "UP-06: A code that the provider may have received stays spent",
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
        await expectRefusal(failure.refusal.spent) { try await redemption.redeem() }
        await expectRefusal(Refusal.replayed(.authorizationCode)) {
            try await redemption.redeem()
        }
        #expect(redemption.requests.count == 1)
    }

    @Test("If the store cannot give it back, the code stays spent, and the error says so")
    func storeFails() async throws {
        for answer in [ScriptedAnswer.status(503), .failure(.unreachable(host: Self.host))] {
            let redemption = try Redemption(.yahoo)
            redemption.script(answer)
            redemption.deployment.store.fail(atCall: 2)
            let failure = await refusal { try await redemption.redeem() }
            #expect(failure?.isUnspent == false)
            await expectRefusal(Refusal.replayed(.authorizationCode)) {
                try await redemption.redeem()
            }
        }
    }

    @Test("Of fifty parallel copies of a code that is given back, at most one is sent to the provider at a time")
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
