import Firebase
import Flows
import SecondFactors
import Standards
import Stores
import Support
import Testing

extension Deployment {
    /// A credential that was never used before, one second after the last.
    func fresh(
        _ way: Way, client: ClientID = DeploymentPlan.app, purpose: AccountIntent.Purpose? = nil,
        for user: FirebaseUser? = nil
    ) async throws -> Credential {
        clock.advance(by: .seconds(1))
        return try await way.credential(
            in: self, client: client, code: random.source.unguessableText(), purpose: purpose, for: user)
    }

    /// What shows to link, or to reauthenticate, that the way is the user's.
    func proof(
        _ way: Way, client: ClientID = DeploymentPlan.app, purpose: AccountIntent.Purpose = .link,
        of user: FirebaseUser
    ) async throws -> AccountProof {
        .credential(
            ExchangeRequest(
                client: client, provider: way.provider,
                credential: try await fresh(way, client: client, purpose: purpose, for: user)))
    }

    func signIn(_ way: Way, client: ClientID = DeploymentPlan.app) async throws -> SignInOutcome {
        try await exchange(fresh(way, client: client), of: way.provider, client: client)
    }

    func link(_ way: Way, to uid: UID, client: ClientID = DeploymentPlan.app) async throws -> LinkOutcome {
        let user = try await user(uid)
        return try await flows.accounts.link(user, proof(way, client: client, of: user))
    }

    /// The conflict in which linking ends.
    func linkConflict(
        _ way: Way, to uid: UID, client: ClientID = DeploymentPlan.app
    ) async throws -> PendingSignIn {
        try await conflict { _ = try await link(way, to: uid, client: client) }
    }

    /// The handle of a sign-in that waits for a second factor.
    func challenge(_ way: Way) async throws -> Secret {
        try await conflict { _ = try await signIn(way) }.pendingCredential
    }

    /// Continues a sign-in with a code as a person types it.
    func prove(
        _ code: String, _ handle: Secret, client: ClientID = DeploymentPlan.app
    ) async throws -> SignInOutcome {
        try await flows.direct.exchange(
            SecondFactorRequest(
                client: client, pendingCredential: handle, code: try #require(FactorCode(typed: code))))
    }

    func conflict(_ body: () async throws -> Void) async throws -> PendingSignIn {
        guard case .pending(let pending)? = await refusal(of: body)?.detail else { throw DeploymentError.noPage }
        return pending
    }

    /// Up to the provider, over the page before it where there is one.
    func leave(_ browser: inout TestBrowser, _ pushed: PushedRequest, for provider: ProviderID = Yahoo.id) async throws
    {
        let step = try await flows.browser.authorize(
            Parameters([("client_id", DeploymentPlan.app.text), ("request_uri", pushed.requestURI.secretText)]))
        try browser.follow(step)
        guard case .ask(let prompt, _) = step else { return }
        try browser.follow(
            try await flows.browser.choose(provider, handle: prompt.handle.secretText, cookies: browser.cookies))
    }

    /// A code of a browser flow that was pushed with a purpose; nil is to sign in.
    func handoff(
        _ purpose: AccountIntent.Purpose?, for user: FirebaseUser?, provider: ProviderID = Yahoo.id
    ) async throws -> Secret {
        clock.advance(by: .seconds(1))
        let pushed = try await flows.browser.push(
            Wish.parameters(["intent": purpose?.rawValue, "provider": provider.text]), for: user)
        var browser = TestBrowser()
        try await leave(&browser, pushed, for: provider)
        try scriptAnswer(to: browser)
        let answer = browser.answer(code: try random.source.unguessableText())
        guard case .finish(let url, _) = try await flows.browser.callback(provider, answer, cookies: browser.cookies)
        else { throw DeploymentError.noSuchProtocol }
        return Secret(try Parameters.parse(url.secretText.drop { $0 != "?" }.dropFirst())["code"] ?? "")
    }
}

extension AccountProof {
    /// A handoff code with all that it was made for.
    static func handoff(_ code: Secret) -> Self {
        .handoff(
            client: DeploymentPlan.app, code: code, redirectURI: DeploymentPlan.redirectURI,
            codeVerifier: Secret(Wish.verifier))
    }

    static func pending(_ pending: Secret, of provider: ProviderID) -> Self {
        .credential(
            ExchangeRequest(client: DeploymentPlan.app, provider: provider, credential: .pending(pending)))
    }
}
