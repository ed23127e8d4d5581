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

/// What is spent, and what is given back, where the store or the key fails.
@Suite("Faults of a browser flow")
struct FlowFaultTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    /// Runs `body` within a task that is cancelled, for which the pool does not sign.
    private func unsigned(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            try await body()
        }
        task.cancel()
        try await task.value
    }

    // MARK: Callback

    @Test("A callback spends in this order: flow, code, ID token, handoff")
    func order() async throws {
        _ = try await deployment.handoffCode()
        #expect(
            deployment.store.calls == [
                .spend([.flow]), .spend([.authorizationCode]), .spend([.idToken]), .account, .keepHandoff,
            ])
    }

    @Test("Whichever of these calls fails, there is no code; the flow is spent unless the first one wrote nothing")
    func storeFails() async throws {
        for call in 1...5 {
            let deployment = try Deployment()
            var browser = TestBrowser()
            try await deployment.leave(&browser)
            let answer = browser.answer()
            deployment.store.fail(atCall: call)
            await #expect(throws: (any Error).self) {
                _ = try await deployment.flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
            }
            if call == 1 {
                _ = try await deployment.flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
            } else {
                await expectFailure(Refusal.replayed(.flow), tells: nil) {
                    try await deployment.flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
                }
            }
            #expect(deployment.peer.requests(to: Yahoo.token).count == (call == 2 ? 0 : 1))
        }
    }

    @Test("The application receives the error, and the cookie of the ended flow is deleted")
    func told() async throws {
        for (call, isOver) in [(1, false), (2, true), (5, true)] {
            let deployment = try Deployment()
            var browser = TestBrowser()
            try await deployment.leave(&browser)
            let answer = browser.answer()
            deployment.store.fail(atCall: call)
            let failure = await failure {
                _ = try await deployment.flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
            }
            #expect(failure?.returnAddress?.redirectURI == DeploymentPlan.redirectURI)
            #expect(failure?.returnAddress?.state == "the-state")
            #expect(failure?.ended == (isOver ? browser.cookies.keys.first : nil))
        }
    }

    @Test("A refusal of the user is reported although the keys of the provider cannot be fetched")
    func refusalWithoutKeys() async throws {
        deployment.peer.script(.get, Yahoo.keys, .status(500))
        var browser = TestBrowser()
        try await deployment.leave(&browser)
        let answer = Parameters([("error", "access_denied"), ("state", browser.asked["state"] ?? "")])
        await expectFailure(ProviderRefusal.accessDenied.refusal, tells: DeploymentPlan.redirectURI) {
            try await deployment.flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
        }
        #expect(deployment.store.spentKinds == [.flow])
        let flow = try await deployment.begin(Yahoo.id)
        let refusal = flow.callback("error=access_denied&state=\(flow.parameters["state"] ?? "")")
        await expectRefusal(ProviderRefusal.accessDenied.refusal) {
            try await deployment.finish(flow, refusal, of: Yahoo.id)
        }
        #expect(deployment.peer.requests(to: Yahoo.keys).isEmpty)
    }

    @Test("If the keys cannot be fetched, the application receives the error, and the flow stays usable")
    func noKeys() async throws {
        deployment.peer.script(.get, Yahoo.keys, .status(500))
        var browser = TestBrowser()
        try await deployment.leave(&browser)
        let failure = ProviderFailure.document(.keysRefused(status: 500)).refusal.unspent
        await expectFailure(failure, tells: DeploymentPlan.redirectURI) {
            try await deployment.flows.browser.callback(Yahoo.id, browser.answer(), cookies: browser.cookies)
        }
        #expect(deployment.store.spentKinds.isEmpty)
        deployment.peer.script(.get, Yahoo.keys, .json(try TestKeys.shared.keySet()))
        deployment.clock.advance(by: .seconds(31))
        try browser.follow(
            try await deployment.flows.browser.callback(Yahoo.id, browser.answer(), cookies: browser.cookies))
        #expect(browser.cookies.isEmpty)
    }

    // MARK: Handoff

    @Test("A handoff stays usable if its account could not be read")
    func accountFails() async throws {
        let code = try await deployment.handoffCode()
        deployment.store.fail(atCall: 2)
        await expectRefusal(StoreError.unavailable(.busy).refusal.unspent) {
            try await deployment.redeem(code)
        }
        #expect(deployment.store.calls.suffix(3) == [.redeemHandoff, .account, .giveBackHandoff])
        #expect(try await deployment.redeem(code).account.uid == Way.yahooCallback.uid)
        await expectRefusal(Refusal.replayed(.handoff)) { try await deployment.redeem(code) }
    }

    @Test("If a commit may have happened, the handoff stays spent")
    func accountUnknown() async throws {
        let code = try await deployment.handoffCode()
        deployment.store.fail(atCall: 2, with: .outcomeUnknown(.inputOutput), afterwards: true)
        await expectRefusal(StoreError.outcomeUnknown(.inputOutput).refusal.spent) {
            try await deployment.redeem(code)
        }
        await expectRefusal(Refusal.replayed(.handoff)) { try await deployment.redeem(code) }
    }

    @Test("A handoff stays usable if the key did not sign")
    func signerFails() async throws {
        let code = try await deployment.handoffCode()
        await expectRefusal(MintingError.cancelled.refusal.unspent) {
            try await unsigned { _ = try await deployment.redeem(code) }
        }
        #expect(try await deployment.redeem(code).account.uid == Way.yahooCallback.uid)
    }

    @Test("If the store does not give it back, the response does not say that it did")
    func giveBackFails() async throws {
        let code = try await deployment.handoffCode()
        deployment.store.fail(atCall: 2, lasting: true)
        await expectRefusal(StoreError.unavailable(.busy).refusal.spent) {
            try await deployment.redeem(code)
        }
        deployment.store.recover()
        await expectRefusal(Refusal.replayed(.handoff)) { try await deployment.redeem(code) }
    }

    @Test("If the redemption itself fails, nothing is issued")
    func redeemFails() async throws {
        let code = try await deployment.handoffCode()
        deployment.store.fail(atCall: 1)
        await expectRefusal(StoreError.unavailable(.busy).refusal) { try await deployment.redeem(code) }
        deployment.store.fail(atCall: 1, with: .outcomeUnknown(.inputOutput), afterwards: true)
        await expectRefusal(StoreError.outcomeUnknown(.inputOutput).refusal) { try await deployment.redeem(code) }
        await expectRefusal(Refusal.replayed(.handoff)) { try await deployment.redeem(code) }
    }

    // MARK: Device

    @Test("A device whose account could not be read, or for which the key did not sign, may poll again")
    func device() async throws {
        var browser = TestBrowser()
        let code = try await deployment.approvedDevice(&browser)
        deployment.store.fail(atCall: 2)
        await expectRefusal(StoreError.unavailable(.busy).refusal.unspent) {
            try await deployment.flows.device.redeem(deviceCode: code, client: DeploymentPlan.app)
        }
        #expect(deployment.store.calls.suffix(3) == [.pollDeviceGrant, .account, .giveBackDeviceGrant])
        await expectRefusal(MintingError.cancelled.refusal.unspent) {
            try await unsigned {
                _ = try await deployment.flows.device.redeem(deviceCode: code, client: DeploymentPlan.app)
            }
        }
        let outcome = try await deployment.flows.device.redeem(deviceCode: code, client: DeploymentPlan.app)
        #expect(outcome.account.uid == Way.yahooCallback.uid)
        await expectRefusal(Refusal.replayed(.deviceCode)) {
            try await deployment.flows.device.redeem(deviceCode: code, client: DeploymentPlan.app)
        }
    }

    @Test("A device whose grant was not given back gets an error that makes it begin again")
    func deviceNotGivenBack() async throws {
        for (error, lasting) in [(StoreError.outcomeUnknown(.inputOutput), false), (.unavailable(.busy), true)] {
            var browser = TestBrowser()
            let code = try await deployment.approvedDevice(&browser)
            deployment.store.fail(atCall: 2, with: error, lasting: lasting)
            await expectRefusal(error.refusal.spent) {
                try await deployment.flows.device.redeem(deviceCode: code, client: DeploymentPlan.app)
            }
            deployment.store.recover()
            await expectRefusal(Refusal.replayed(.deviceCode)) {
                try await deployment.flows.device.redeem(deviceCode: code, client: DeploymentPlan.app)
            }
        }
    }

    @Test("A refusal that could not be recorded for the device is not reported to the user")
    func deviceRefusalNotKept() async throws {
        for fails in [false, true] {
            let begun = try await deployment.flows.device.begin(Parameters([("client_id", DeploymentPlan.app.text)]))
            var browser = TestBrowser()
            let prompt = try await deployment.confirmation(begun, &browser)
            try browser.follow(
                try await deployment.flows.device.signIn(
                    deviceAt: Yahoo.id, form: prompt.form.field, browser: browser.device))
            let answer = Parameters([("error", "access_denied"), ("state", browser.asked["state"] ?? "")])
            // The first call spends the flow, and the second one denies the grant.
            if fails { deployment.store.fail(atCall: 2) }
            await expectFailure(
                fails ? StoreError.unavailable(.busy).refusal : ProviderRefusal.accessDenied.refusal, tells: nil
            ) {
                try await deployment.flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
            }
            deployment.clock.advance(by: .seconds(6))
            await expectRefusal(fails ? Reason.authorizationPending : .accessDenied) {
                try await deployment.flows.device.redeem(deviceCode: begun.deviceCode, client: DeploymentPlan.app)
            }
        }
    }

    @Test("A store that fails while a device begins, or while its code is typed, is said as it is")
    func deviceStore() async throws {
        let parameters = Parameters([("client_id", DeploymentPlan.app.text)])
        deployment.store.fail(atCall: 1)
        await expectRefusal(StoreError.unavailable(.busy).refusal) {
            _ = try await deployment.flows.device.begin(parameters)
        }
        let begun = try await deployment.flows.device.begin(parameters)
        var browser = TestBrowser()
        deployment.store.fail(atCall: 1)
        await expectRefusal(StoreError.unavailable(.busy).refusal) {
            _ = try await deployment.confirmation(begun, &browser)
        }
        _ = try await deployment.verifiedDevice(begun, &browser)
    }
}
