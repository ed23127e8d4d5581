import Accounts
import Exchange
import Firebase
import Flows
import Minting
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Faults")
struct FaultTests {
    private static func sorted(_ kinds: [SpentKind]) -> [String] { kinds.map(\.rawValue).sorted() }

    /// What a sign-in may leave spent when the given call to the store fails with nothing written.
    private static func spent(_ way: Way, failingCall call: Int) -> [SpentKind] {
        switch (way, call) {
        case (_, 1): []
        // Given back: the provider knows nothing of it.
        case (.yahooIDToken, _), (.xPair, _), (.genericAccessToken, _): []
        case (.xCode, _): [.authorizationCode]
        case (.yahooCode, 2), (.genericCode, 2): [.authorizationCode]
        case (.yahooCode, _), (.genericCode, _): [.authorizationCode, .idToken]
        // The code was not spent, and so the session is as good as before.
        case (.yahooCallback, 2), (.genericCallback, 2), (.xOAuth1Callback, 2), (.xOAuth2Callback, 2): []
        case (.yahooCallback, 3), (.genericCallback, 3), (.xOAuth1Callback, _), (.xOAuth2Callback, _):
            [.session, .authorizationCode]
        case (.yahooCallback, _), (.genericCallback, _): [.session, .authorizationCode, .idToken]
        }
    }

    @Test(
        "SR-10: Whichever call to the store fails, there is no token, and the next sign-in works",
        arguments: Way.allCases)
    func storeFails(_ way: Way) async throws {
        for call in 1...way.storeCalls.count {
            let deployment = try Deployment()
            let credential = try await way.credential(in: deployment)
            deployment.store.fail(atCall: call)
            await expectRefusal(Self.storeError(way, call: call, .unavailable(.busy))) {
                try await deployment.exchange(credential, of: way.provider)
            }
            let spent = Self.spent(way, failingCall: call)
            #expect(Self.sorted(deployment.store.spentKinds) == Self.sorted(spent), "call \(call)")
            if spent.isEmpty {
                // The same request may be sent again.
                let outcome = try await deployment.exchange(credential, of: way.provider)
                #expect(outcome.account.uid == way.uid)
            }
        }
    }

    @Test("SR-08, SR-10: A commit whose outcome is unknown gives no token, whichever it is", arguments: Way.allCases)
    func outcomeUnknown(_ way: Way) async throws {
        for call in 1...way.storeCalls.count {
            let deployment = try Deployment()
            let credential = try await way.credential(in: deployment)
            deployment.store.fail(atCall: call, with: .outcomeUnknown(.inputOutput), afterwards: true)
            await expectRefusal(Self.storeError(way, call: call, .outcomeUnknown(.inputOutput))) {
                try await deployment.exchange(credential, of: way.provider)
            }
            // What may have been spent is.
            await expectRefusal(SignInTests.replay(of: credential)) {
                try await deployment.exchange(credential, of: way.provider)
            }
        }
    }

    @Test(
        "SR-10: A store that fails permanently gives nothing back, and the response does not say that it did",
        arguments: Way.allCases)
    func storeFailsForGood(_ way: Way) async throws {
        for call in 1...way.storeCalls.count {
            let deployment = try Deployment()
            let credential = try await way.credential(in: deployment)
            deployment.store.fail(atCall: call, lasting: true)
            await expectRefusal(Self.storeError(way, call: call, .unavailable(.busy), lasting: true)) {
                try await deployment.exchange(credential, of: way.provider)
            }
        }
    }

    /// Returns the error of the component that makes the call, with whether the credential is unspent.
    ///
    /// If the fault is `lasting`, the store cannot give the credential back either.
    private static func storeError(
        _ way: Way, call: Int, _ error: StoreError, lasting: Bool = false
    ) -> Refusal {
        let isOurs = [.yahooIDToken, .xPair, .genericAccessToken].contains(way)
        return switch way.storeCalls[call - 1] {
        case .spend([.session]): error.refusal
        case .spend([.authorizationCode]):
            error.refusal.with(isUnspent: error.nothingWasWritten && !(lasting && call > 1))
        case .spend:
            error.refusal.with(isUnspent: error.nothingWasWritten && isOurs)
        default: error.refusal.with(isUnspent: error.nothingWasWritten && isOurs && !lasting)
        }
    }

    // MARK: Signing

    /// Signs in within a task that is cancelled, for which nothing is signed.
    private func exchangeUnsigned(
        _ credential: Credential, of way: Way, in deployment: Deployment
    ) async throws {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await deployment.exchange(credential, of: way.provider)
        }
        task.cancel()
        _ = try await task.value
    }

    @Test(
        "MT-10: If the key does not sign, the records of this server are given back",
        arguments: [Way.yahooIDToken, .xPair, .genericAccessToken])
    func signerFails(_ way: Way) async throws {
        let deployment = try Deployment()
        let credential = try await way.credential(in: deployment)
        await expectRefusal(MintingError.cancelled.refusal.unspent) {
            try await exchangeUnsigned(credential, of: way, in: deployment)
        }
        #expect(deployment.store.spentKinds.isEmpty)
        let outcome = try await deployment.exchange(credential, of: way.provider)
        #expect(outcome.account.uid == way.uid)
        await expectRefusal(SignInTests.replay(of: credential)) {
            try await deployment.exchange(credential, of: way.provider)
        }
    }

    @Test("MT-10: A credential that the provider has spent stays spent", arguments: Way.codes + Way.callbacks)
    func signerFailsAfterCode(_ way: Way) async throws {
        let deployment = try Deployment()
        let credential = try await way.credential(in: deployment)
        await expectRefusal(MintingError.cancelled.refusal.spent) {
            try await exchangeUnsigned(credential, of: way, in: deployment)
        }
        await expectRefusal(SignInTests.replay(of: credential)) {
            try await deployment.exchange(credential, of: way.provider)
        }
        #expect(deployment.peer.requests(to: way.tokenEndpoint).count == 1)
    }

    @Test("If the key does not sign and the store does not give back, the response does not say that it did")
    func signerAndStoreFail() async throws {
        let deployment = try Deployment()
        let credential = try await Way.yahooIDToken.credential(in: deployment)
        deployment.store.fail(atCall: 3)
        await expectRefusal(MintingError.cancelled.refusal.spent) {
            try await exchangeUnsigned(credential, of: .yahooIDToken, in: deployment)
        }
        #expect(deployment.store.spentKinds == [.idToken, .nonce])
    }

    @Test("MT-06: If the claims are not allowed in a token, none is minted, and the credential is given back")
    func claims() async throws {
        let deployment = try Deployment { $0.claimTemplates = ["sub": [.placeholder(.subject)]] }
        await expectRefusal(MintingError.reservedClaim("sub").refusal.unspent) {
            try await deployment.exchange(deployment.yahooIDToken(), of: Yahoo.id)
        }
        #expect(deployment.store.spentKinds.isEmpty)
    }

    // MARK: The provider

    @Test("A callback can be sent again if the provider cannot have received its code", arguments: Way.callbacks)
    func providerBusy(_ way: Way) async throws {
        let host = "the-provider"
        for (answer, failure) in [
            (ScriptedAnswer.status(503), ProviderFailure.unavailable(retryAfter: nil)),
            (.status(429), .throttled(retryAfter: nil)),
            (.failure(.unreachable(host: host)), .noAnswer(.unreachable(host: host))),
        ] {
            let deployment = try Deployment()
            let flow = try await way.begin(in: deployment)
            let callback = way.callback(flow)
            deployment.peer.script(.post, way.tokenEndpoint, answer)
            await expectRefusal(failure.refusal.unspent) {
                try await deployment.finish(flow, callback, of: way.provider)
            }
            #expect(deployment.store.spentKinds.isEmpty)
            let nonce = flow.parameters["nonce"] ?? ""
            switch way.provider {
            case Yahoo.id: try deployment.scriptYahoo(.yahoo(nonce: nonce))
            case Generic.id: try deployment.scriptGeneric(.generic(nonce: nonce))
            default: deployment.scriptX()
            }
            _ = try await deployment.finish(flow, callback, of: way.provider)
        }
    }

    @Test("A callback cannot be sent again if the provider may have received its code", arguments: Way.callbacks)
    func providerSilent(_ way: Way) async throws {
        let deployment = try Deployment()
        let flow = try await way.begin(in: deployment)
        let error = TransportError.timedOut(host: "the-provider", requestSent: true)
        deployment.peer.script(.post, way.tokenEndpoint, .failure(error))
        await expectRefusal(ProviderFailure.noAnswer(error).refusal.spent) {
            try await deployment.finish(flow, way.callback(flow), of: way.provider)
        }
        #expect(Self.sorted(deployment.store.spentKinds) == ["code", "session"])
        await expectRefusal(Refusal.replayed(.session)) {
            try await deployment.finish(flow, way.callback(flow), of: way.provider)
        }
    }

    @Test(
        "If the session, or its code, cannot be given back, the response does not say that it was", arguments: [3, 4])
    func givingBackFails(_ call: Int) async throws {
        // Session and code are spent by the first two calls, and given back by the next ones: the code first.
        let deployment = try Deployment()
        let flow = try await Way.yahooCallback.begin(in: deployment)
        deployment.peer.script(.post, Yahoo.token, .status(503))
        deployment.store.fail(atCall: call)
        await expectRefusal(ProviderFailure.unavailable(retryAfter: nil).refusal.spent) {
            try await deployment.finish(flow, flow.callback(code: "c"), of: Yahoo.id)
        }
        await expectRefusal(Refusal.replayed(.session)) {
            try await deployment.finish(flow, flow.callback(code: "c"), of: Yahoo.id)
        }
    }

    @Test("While the keys cannot be fetched, neither a code nor a posted ID token is spent")
    func noKeys() async throws {
        let deployment = try Deployment()
        deployment.peer.script(.get, Yahoo.keys, .status(500))
        let failure = ProviderFailure.document(.keysRefused(status: 500))
        await expectRefusal(failure.refusal.unspent) {
            try await deployment.exchange(Way.yahooCode.credential(in: deployment), of: Yahoo.id)
        }
        await expectRefusal(failure.refusal.unspent) {
            try await deployment.exchange(Way.yahooIDToken.credential(in: deployment), of: Yahoo.id)
        }
        #expect(deployment.store.spentKinds.isEmpty)
        #expect(deployment.peer.requests(to: Yahoo.token).isEmpty)
    }

    @Test("A callback just after a start without keys does not have to begin again")
    func noKeysAtCallback() async throws {
        let deployment = try Deployment()
        let credential = try await Way.yahooCallback.credential(in: deployment)
        deployment.peer.script(.get, Yahoo.keys, .status(500))
        await expectRefusal(ProviderFailure.document(.keysRefused(status: 500)).refusal.unspent) {
            try await deployment.exchange(credential, of: Yahoo.id)
        }
        #expect(deployment.store.spentKinds.isEmpty)
        deployment.peer.script(.get, Yahoo.keys, .json(try TestKeys.shared.keySet()))
        deployment.clock.advance(by: .seconds(31))
        #expect(try await deployment.exchange(credential, of: Yahoo.id).account.isNew)
    }

    @Test("If the random source fails for a uid, the credential is given back")
    func noRandomness() async throws {
        let deployment = try Deployment()
        let credential = try await Way.yahooIDToken.credential(in: deployment)
        deployment.random.fail(atCall: 1)
        await expectRefusal(RandomFailure().refusal) {
            try await deployment.exchange(credential, of: Yahoo.id)
        }
        _ = try await deployment.exchange(credential, of: Yahoo.id)
    }

    @Test("Claims that are too long stay so at the next sign-in of the same person, so that the response asks for none")
    func lastingClaims() {
        let refusal = MintingError.claimsTooLarge(bytes: 1001).refusal
        #expect(refusal.reason == .providerResponseInvalid && refusal.retry == .never)
    }

    @Test(
        "The operator reads an error as a sentence, and not as a value of the program",
        arguments: [
            (MintingError.reservedClaim("exp"), "Firebase reserves the claim exp"),
            (
                MintingError.claimsTooLarge(bytes: 1001),
                "the developer claims have 1001 bytes, which Firebase does not accept"
            ),
            (FirebaseTokenError.expired, "the token has expired, or the clock of this machine is wrong"),
            (
                FirebaseTokenError.keys(.status(503)),
                "the public keys of Firebase cannot be fetched from Google: the status is 503"
            ),
            (RandomFailure(), "the source of random octets failed"),
            (HookFailure.status(204), "the status of the answer is 204, and must be 200"),
            (HookFailure.protectedClaim("idp"), "the answer has the claim idp, which only this server may set"),
        ] as [(any RefusalCause, String)])
    func sentences(_ error: any RefusalCause, _ finding: String) {
        #expect(error.refusal.finding == finding)
    }
}
