import Accounts
import Flows
import Providers
import Standards
import Stores
import Support
import Testing

/// What was begun under one configuration, and ends under another.
@Suite("Browser flows across a reload")
struct ReloadTests {
    private static let gone = Refusal.unknownClient(among: [DeploymentPlan.otherApp, DeploymentPlan.yahooApp])

    /// The refusal of a grant that the client has lost, and what it still has.
    private static func lost(_ grant: String, butNot others: String) -> Refusal {
        Refusal.grantNotAllowed.with(
            finding: "the request needs \(grant), and clients.\(DeploymentPlan.app).grants has \(others)")
    }
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    /// The clients without one, or with another in its place.
    private func clients(_ replacement: RegisteredClient?) -> [RegisteredClient] {
        DeploymentPlan.clientsOfEveryTest.filter { $0.id != DeploymentPlan.app } + [replacement].compactMap(\.self)
    }

    @Test("HO-16: permissions that a client lost after the callback count when it redeems the handoff")
    func handoff() async throws {
        let app = DeploymentPlan.app
        let xOnly = DeploymentPlan.client(app, providers: [X.id])
        for (replacement, error) in [
            (nil, Self.gone),
            (
                DeploymentPlan.client(app, grants: [.tokenExchange, .deviceCode]),
                Self.lost("authorization_code", butNot: "device_code, token_exchange")
            ),
            (xOnly, .providerDisabled(Yahoo.id, of: xOnly)),
        ] as [(RegisteredClient?, Refusal)] {
            let code = try await deployment.handoffCode()
            let flows = try deployment.reloaded(clients: clients(replacement))
            await expectRefusal(error) { try await deployment.redeem(code, in: flows) }
        }
        let code = try await deployment.handoffCode()
        let flows = try deployment.reloaded(providers: [deployment.generic, deployment.x])
        await expectRefusal(Reason.unknownProvider) { try await deployment.redeem(code, in: flows) }
    }

    @Test("HO-16: an account that was removed since the callback does not come back by its handoff")
    func removedAccount() async throws {
        _ = try await deployment.redeem(try await deployment.handoffCode())
        let code = try await deployment.handoffCode()
        #expect(try await deployment.store.retire(uid: Way.yahooCallback.uid, at: deployment.clock.now))
        let account = try await deployment.redeem(code).account
        #expect(account.uid != Way.yahooCallback.uid)
        #expect(account.isNew)
    }

    @Test("DG-15: permissions that a client or a provider lost after the approval count at the next poll")
    func device() async throws {
        let app = DeploymentPlan.app
        let xOnly = DeploymentPlan.client(app, providers: [X.id])
        for (replacement, error) in [
            (nil, Self.gone),
            (
                DeploymentPlan.client(app, grants: [.tokenExchange, .authorizationCode]),
                Self.lost("device_code", butNot: "authorization_code, token_exchange")
            ),
            (xOnly, .providerDisabled(Yahoo.id, of: xOnly)),
        ] as [(RegisteredClient?, Refusal)] {
            var browser = TestBrowser()
            let code = try await deployment.approvedDevice(&browser)
            let flows = try deployment.reloaded(clients: clients(replacement))
            await expectRefusal(error) { try await flows.device.redeem(deviceCode: code, client: app) }
        }
        var browser = TestBrowser()
        let code = try await deployment.approvedDevice(&browser)
        let flows = try deployment.reloaded(providers: [deployment.generic, deployment.x])
        await expectRefusal(Reason.unknownProvider) {
            try await flows.device.redeem(deviceCode: code, client: app)
        }
    }

    @Test("A page of a redirect URI that was removed is refused")
    func redirectURI() async throws {
        let app = DeploymentPlan.app
        var browser = TestBrowser()
        let step = try await deployment.flows.browser.authorize(Wish.parameters(["provider": nil]))
        try browser.follow(step)
        guard case .ask(let prompt, _) = step else {
            Issue.record("Nobody is asked.")
            return
        }
        let handle = prompt.handle.secretText
        for (replacement, error) in [
            (DeploymentPlan.client(app, redirectURIs: [DeploymentPlan.schemeURI]), .redirectURINotAllowed),
            (nil, .unknownClient),
        ] as [(RegisteredClient?, Reason)] {
            let flows = try deployment.reloaded(clients: clients(replacement))
            for provider in [Yahoo.id, nil] {
                await expectFailure(error, tells: nil) {
                    try await flows.browser.choose(provider, handle: handle, cookies: browser.cookies)
                }
            }
        }
        let flows = try deployment.reloaded(clients: clients(DeploymentPlan.client(app, providers: [X.id])))
        await expectFailure(Reason.providerDisabled, tells: DeploymentPlan.redirectURI) {
            try await flows.browser.choose(Yahoo.id, handle: handle, cookies: browser.cookies)
        }
    }

    @Test("A pushed request meets the configuration of when it is used")
    func pushedRequest() async throws {
        let app = DeploymentPlan.app
        func path() async throws -> Parameters {
            let pushed = try await deployment.flows.browser.push(Wish.parameters())
            return Parameters([("client_id", app.text), ("request_uri", pushed.requestURI.secretText)])
        }
        let without = try deployment.reloaded(clients: clients(nil))
        let (first, second, third) = (try await path(), try await path(), try await path())
        await expectFailure(Reason.unknownClient, tells: nil) { try await without.browser.authorize(first) }
        let elsewhere = try deployment.reloaded(
            clients: clients(DeploymentPlan.client(app, redirectURIs: [DeploymentPlan.schemeURI])))
        await expectFailure(Reason.redirectURINotAllowed, tells: nil) { try await elsewhere.browser.authorize(second) }
        let disabled = try deployment.reloaded(clients: clients(DeploymentPlan.client(app, providers: [X.id])))
        await expectFailure(Reason.providerDisabled, tells: DeploymentPlan.redirectURI) {
            try await disabled.browser.authorize(third)
        }
    }

    @Test("After the removal of a client or its redirect URI, its callbacks are refused")
    func callback() async throws {
        var browser = TestBrowser()
        try await deployment.leave(&browser)
        for (replacement, error) in [
            (
                DeploymentPlan.client(DeploymentPlan.app, redirectURIs: [DeploymentPlan.schemeURI]),
                .redirectURINotAllowed
            ),
            (nil, .unknownClient),
        ] as [(RegisteredClient?, Reason)] {
            let flows = try deployment.reloaded(clients: clients(replacement))
            for answer in [
                browser.answer(), Parameters([("error", "access_denied"), ("state", browser.asked["state"] ?? "")]),
            ] {
                await expectFailure(error, tells: nil) {
                    try await flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
                }
            }
        }
        #expect(deployment.peer.requests(to: Yahoo.token).isEmpty)
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("HO-06: a redirect URI that was given up since the callback fetches no handoff")
    func redirectURIOfHandoff() async throws {
        let code = try await deployment.handoffCode()
        let app = DeploymentPlan.app
        let flows = try deployment.reloaded(
            clients: clients(DeploymentPlan.client(app, redirectURIs: [DeploymentPlan.schemeURI])))
        let finding =
            "the redirect_uri is \(DeploymentPlan.redirectURI), and clients.\(app.text).redirect_uris has "
            + DeploymentPlan.schemeURI
        await expectRefusal(Refusal.handoffRejected.with(finding: finding)) {
            try await deployment.redeem(code, in: flows)
        }
        _ = try await deployment.redeem(code)
    }

    @Test("A provider that was removed after the flow began is not called")
    func provider() async throws {
        var browser = TestBrowser()
        try await deployment.leave(&browser)
        let flows = try deployment.reloaded(providers: [deployment.generic, deployment.x])
        await expectFailure(Reason.unknownProvider, tells: nil) {
            try await flows.browser.callback(Yahoo.id, browser.answer(), cookies: browser.cookies)
        }
        #expect(deployment.peer.requests(to: Yahoo.token).isEmpty)
    }

    @Test("The page of an expired flow offers no way back to a redirect URI that was removed")
    func wayBack() async throws {
        var browser = TestBrowser()
        let step = try await deployment.flows.browser.authorize(Wish.parameters(["provider": nil]))
        guard case .ask(let prompt, _) = step else { throw DeploymentError.noSuchProtocol }
        try browser.follow(step)
        deployment.clock.advance(by: .seconds(600))
        let app = DeploymentPlan.client(DeploymentPlan.app, redirectURIs: [DeploymentPlan.schemeURI])
        for (flows, isOffered) in [
            (deployment.flows, true), (try deployment.reloaded(clients: clients(app)), false),
            (try deployment.reloaded(clients: clients(nil)), false),
        ] {
            let failure = await failure {
                _ = try await flows.browser.choose(
                    Yahoo.id, handle: prompt.handle.secretText, cookies: browser.cookies)
            }
            #expect(failure?.error == Refusal.sessionExpired)
            #expect((failure?.wayBack?.url != nil) == isOffered)
        }
    }

    @Test("Pages offer the providers in the order of the client", arguments: [[X.id, Yahoo.id], [Yahoo.id, X.id]])
    func order(providers: [ProviderID]) async throws {
        let app = DeploymentPlan.app
        let flows = try deployment.reloaded(clients: clients(DeploymentPlan.client(app, providers: providers)))
        let step = try await flows.browser.authorize(Wish.parameters(["provider": nil]))
        guard case .ask(let prompt, _) = step else { throw DeploymentError.noSuchProtocol }
        #expect(prompt.providers.map(\.id) == providers)
        let begun = try await flows.device.begin(Parameters([("client_id", app.text)]))
        let form = try flows.device.deviceForm(browser: nil)
        let device = try await flows.device.findDevice(
            begun.userCode, form: form.field, browser: form.browser.value)
        #expect(device.providers.map(\.id) == providers)
    }

    @Test("If the client of a device was removed, no step signs a user in")
    func deviceSteps() async throws {
        let flows = try deployment.reloaded(clients: clients(nil))
        let begun = try await deployment.flows.device.begin(Parameters([("client_id", DeploymentPlan.app.text)]))
        var browser = TestBrowser()
        let prompt = try await deployment.confirmation(begun, &browser)
        let form = try flows.device.deviceForm(browser: browser.device)
        await expectRefusal(Reason.unknownClient) {
            _ = try await flows.device.findDevice(begun.userCode, form: form.field, browser: browser.device)
        }
        await expectRefusal(Reason.unknownClient) {
            _ = try await flows.device.signIn(deviceAt: Yahoo.id, form: prompt.form.field, browser: browser.device)
        }
        let approval = try await deployment.verifiedDevice(begun, &browser)
        await expectRefusal(Reason.unknownClient) {
            _ = try await flows.device.decide(approving: true, form: approval.form.field, browser: browser.device)
        }
        let narrowed = try deployment.reloaded(
            clients: clients(DeploymentPlan.client(DeploymentPlan.app, grants: [.authorizationCode])))
        await expectRefusal(Self.lost("device_code", butNot: "authorization_code")) {
            _ = try await narrowed.device.decide(approving: true, form: approval.form.field, browser: browser.device)
        }
    }
}
