import Accounts
import Flows
import JOSE
import Providers
import Standards
import Stores
import Support
import Testing

/// A browser on its way through a deployment, without HTTP between.
struct TestBrowser: Sendable {
    var cookies: FlowCookies = [:]
    /// Which browser it is at `/device`.
    var device: Secret?
    /// The query parameters of the authorization request to the provider.
    var asked: [String: String] = [:]

    /// What answers the flow's question to the provider.
    func answer(code: String = "code") -> Parameters {
        if let token = asked["oauth_token"] {
            return Parameters([("oauth_token", token), ("oauth_verifier", code)])
        }
        return Parameters([("code", code), ("state", asked["state"] ?? "")])
    }

    mutating func follow(_ step: AuthorizationStep) throws {
        switch step {
        case .ask(_, let cookie): cookies[cookie.name] = cookie.value
        case .leave(let url, let cookie, let ended):
            if let ended { cookies[ended] = nil }
            cookies[cookie.name] = cookie.value
            let query = url.secretText.drop { $0 != "?" }.dropFirst()
            asked = Dictionary(try Parameters.parse(query).pairs.map { ($0.name, $0.value) }) { first, _ in first }
        case .finish(_, let name): if let name { cookies[name] = nil }
        case .deliver(_, let name): cookies[name] = nil
        case .settle(_, let cookie, let ended):
            cookies[ended] = nil
            cookies[cookie.name] = cookie.value
        case .challenge(_, let cookie, let ended):
            if let ended { cookies[ended] = nil }
            cookies[cookie.name] = cookie.value
        case .approve(let approval, let name):
            cookies[name] = nil
            device = approval.form.browser.value
        }
    }
}

/// A browser flow of an application that asks for nothing wrong.
enum Wish {
    static let verifier = Way.verifier
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    static func parameters(_ changes: [String: String?] = [:]) -> Parameters {
        var all = [
            "response_type": "code", "client_id": DeploymentPlan.app.text, "redirect_uri": DeploymentPlan.redirectURI,
            "state": "the-state", "code_challenge": challenge, "code_challenge_method": "S256",
            "provider": Yahoo.id.text,
        ]
        for (name, value) in changes { all[name] = value }
        return Parameters(all.map { ($0.key, $0.value) })
    }
}

extension Deployment {
    /// A flows of another configuration over the same store and keys: what a reload makes.
    func reloaded(
        clients: [RegisteredClient]? = nil, providers: [Provider]? = nil,
        storeKeys: [[UInt8]] = DeploymentPlan.storeKeys
    ) throws -> FlowSet {
        FlowSet(
            issuer: Self.issuer, clients: clients ?? DeploymentPlan.clientsOfEveryTest,
            providers: providers ?? [yahoo, generic, x], seal: Seal(keys: try Self.keys(DeploymentPlan.sealKeys)),
            storeSeal: StoreSeal(keys: try Self.keys(storeKeys)), exchanger: exchanger, verifier: verifier,
            accounts: accounts, linker: AccountLinker(directory: store, time: clock.source),
            secondFactors: secondFactors, authenticator: google.authenticator, appCheck: google.appCheck,
            toolkit: google.toolkit,
            firebaseSessions: google.firebaseSessions,
            minter: minter, hooks: hooks, rules: AccountRules(), store: store, time: clock.source, random: random.source
        )
    }

    /// Up to the provider, which will answer with this person.
    func leave(_ browser: inout TestBrowser, _ changes: [String: String?] = [:]) async throws {
        try browser.follow(try await flows.browser.authorize(Wish.parameters(changes)))
        try scriptAnswer(to: browser)
    }

    /// The provider's tokens for whoever was sent there.
    func scriptAnswer(to browser: TestBrowser) throws {
        scriptX()
        try scriptYahoo(.yahoo(nonce: browser.asked["nonce"] ?? "", at: clock.now))
    }

    /// Up to the handoff code.
    func handoffCode(_ changes: [String: String?] = [:]) async throws -> Secret {
        var browser = TestBrowser()
        try await leave(&browser, changes)
        let provider = ProviderID((changes["provider"] ?? nil) ?? Yahoo.id.text)
        let answer = browser.answer(code: try random.source.unguessableText())
        let step = try await flows.browser.callback(provider, answer, cookies: browser.cookies)
        guard case .finish(let url, _) = step else { throw DeploymentError.noSuchProtocol }
        let query = url.secretText.drop { $0 != "?" }.dropFirst()
        return Secret(try Parameters.parse(query)["code"] ?? "")
    }

    func redeem(
        _ code: Secret, client: ClientID = DeploymentPlan.app, in flows: FlowSet? = nil
    ) async throws -> SignInOutcome {
        try await (flows ?? self.flows).browser.redeem(
            handoffCode: code, redirectURI: DeploymentPlan.redirectURI, codeVerifier: Secret(Wish.verifier),
            client: client)
    }

    /// A device whose code somebody has typed and approved.
    func approvedDevice(_ browser: inout TestBrowser) async throws -> Secret {
        let begun = try await flows.device.begin(Parameters([("client_id", DeploymentPlan.app.text)]))
        let approval = try await verifiedDevice(begun, &browser)
        _ = try await flows.device.decide(approving: true, form: approval.form.field, browser: browser.device)
        return begun.deviceCode
    }

    /// Up to the last question.
    func verifiedDevice(
        _ begun: DeviceAuthorization, _ browser: inout TestBrowser
    ) async throws -> DeviceApproval {
        let prompt = try await confirmation(begun, &browser)
        try browser.follow(
            try await flows.device.signIn(deviceAt: Yahoo.id, form: prompt.form.field, browser: browser.device))
        try scriptAnswer(to: browser)
        let answer = browser.answer(code: try random.source.unguessableText())
        let step = try await flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
        try browser.follow(step)
        guard case .approve(let approval, _) = step else { throw DeploymentError.noSuchProtocol }
        return approval
    }

    /// Up to the question before the provider.
    func confirmation(
        _ begun: DeviceAuthorization, _ browser: inout TestBrowser
    ) async throws -> DevicePrompt {
        let form = try flows.device.deviceForm(browser: browser.device)
        browser.device = form.browser.value
        return try await flows.device.findDevice(begun.userCode, form: form.field, browser: browser.device)
    }
}

extension DeploymentPlan {
    /// Those of a plan that nobody changed.
    static var clientsOfEveryTest: [RegisteredClient] {
        [
            client(app), client(otherApp, redirectURIs: [redirectURI, otherRedirectURI]),
            client(yahooApp, providers: [Yahoo.id], returnsProviderTokens: false),
        ]
    }
}

/// Expects that a flow ends with an error, and who is told of it: the application, or a page where nil.
func expectFailure(
    _ error: Refusal, tells redirectURI: String?, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> AuthorizationStep
) async {
    let failure = await failure(of: body)
    #expect(failure?.error == error, sourceLocation: sourceLocation)
    #expect(failure?.returnAddress?.redirectURI == redirectURI, sourceLocation: sourceLocation)
}

/// As above, for a reason that only one rule has.
func expectFailure(
    _ reason: Reason, tells redirectURI: String?, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> AuthorizationStep
) async {
    let failure = await failure(of: body)
    #expect(failure?.error.reason == reason, sourceLocation: sourceLocation)
    #expect(failure?.returnAddress?.redirectURI == redirectURI, sourceLocation: sourceLocation)
}

/// Returns the failure of a step of a browser flow; `nil` if it succeeds.
func failure<Value>(of step: () async throws -> Value) async -> FlowFailure? {
    do {
        _ = try await step()
        return nil
    } catch {
        return FlowFailure(error)
    }
}
