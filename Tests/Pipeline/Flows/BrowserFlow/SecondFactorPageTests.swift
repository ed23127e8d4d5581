import Accounts
import Fixtures
import Flows
import Jansson
import Minting
import SecondFactors
import Standards
import Stores
import Support
import Testing

/// Browser flows of a person whose account at Yahoo has a second factor.
@Suite("Pages of second factors")
struct SecondFactorPageTests {
    private static let ann = "ann@example.org"

    /// Makes the account, and adds the factor.
    private func deployment(
        _ change: (inout DeploymentPlan) -> Void = { _ in }
    ) async throws -> (Deployment, Authenticator) {
        let deployment = try Deployment { plan in
            plan.emails = .oneAccountEach
            plan.rules.settlesConflicts = true
            change(&plan)
        }
        _ = try await deployment.signIn(.yahooIDToken)
        return (deployment, try await deployment.enroll(Person.yahooUID))
    }

    private func returnFromYahoo(
        _ deployment: Deployment, _ browser: inout TestBrowser
    ) async throws -> AuthorizationStep {
        try deployment.scriptAnswer(to: browser)
        let answer = browser.answer(code: try deployment.random.source.unguessableText())
        let step = try await deployment.flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
        try browser.follow(step)
        return step
    }

    private func challenge(
        _ deployment: Deployment, _ browser: inout TestBrowser, _ changes: [String: String?] = [:]
    ) async throws -> ChallengePrompt {
        try browser.follow(try await deployment.flows.browser.authorize(Wish.parameters(changes)))
        guard case .challenge(let prompt, _, _) = try await returnFromYahoo(deployment, &browser)
        else { throw DeploymentError.noPage }
        return prompt
    }

    private func prove(
        _ code: String, _ prompt: ChallengePrompt, _ deployment: Deployment, _ browser: TestBrowser
    ) async throws -> AuthorizationStep {
        try await deployment.flows.browser.prove(code, handle: prompt.handle.secretText, cookies: browser.cookies)
    }

    @Test("The code of the page is in the custom token, and no further one is asked for")
    func baseline() async throws {
        let (deployment, authenticator) = try await deployment()
        var browser = TestBrowser()
        let prompt = try await challenge(deployment, &browser)
        #expect(prompt.client.id == DeploymentPlan.app && !prompt.isRepeated)
        let step = try await prove(authenticator.code(), prompt, deployment, browser)
        guard case .finish(let url, _) = step else {
            Issue.record("\(step)")
            return
        }
        let code = Secret(try Parameters.parse(url.secretText.drop { $0 != "?" }.dropFirst())["code"] ?? "")
        let outcome = try await deployment.redeem(code)
        #expect(try MintedToken(outcome.token.secret).payload["claims"]?["second_factor"] == .string("totp"))
    }

    @Test("With prompt=none no page is shown, and the application learns that it needs one")
    func silent() async throws {
        let (deployment, _) = try await deployment()
        _ = try await deployment.store.link(
            IncomingIdentity(identity: Person.generic, details: IdentityDetails(), email: nil), to: Person.yahooUID,
            at: deployment.clock.now)
        var browser = TestBrowser()
        try browser.follow(
            try await deployment.flows.browser.authorize(
                Wish.parameters(["provider": Generic.id.text, "prompt": "none"])))
        try deployment.scriptGeneric(.generic(nonce: browser.asked["nonce"] ?? "", at: deployment.clock.now))
        await expectFailure(
            ProviderRefusal.interactionRequired(.interaction, isSilent: true).refusal, tells: DeploymentPlan.redirectURI
        ) {
            try await deployment.flows.browser.callback(Generic.id, browser.answer(), cookies: browser.cookies)
        }
    }

    @Test("A flow with an intent asks for no code, because its endpoint requires a session that has proven one")
    func intent() async throws {
        let (deployment, _) = try await deployment()
        let user = try await deployment.user("native")
        let code = try await deployment.handoff(.link, for: user)
        await #expect(throws: (any Error).self) {
            try await deployment.flows.accounts.link(deployment.user(Person.yahooUID), .handoff(code))
        }
    }

    @Test("A conflict is settled only after the second factor of the account was proven")
    func conflict() async throws {
        let (deployment, authenticator) = try await deployment()
        var browser = TestBrowser()
        try browser.follow(
            try await deployment.flows.browser.authorize(Wish.parameters(["provider": Generic.id.text])))
        var token = IDTokenBuilder.generic(nonce: browser.asked["nonce"] ?? "", at: deployment.clock.now)
        token.claims["email"] = .string(Self.ann)
        token.claims["email_verified"] = .bool(true)
        try deployment.scriptGeneric(token)
        let answer = browser.answer(code: try deployment.random.source.unguessableText())
        let met = try await deployment.flows.browser.callback(Generic.id, answer, cookies: browser.cookies)
        try browser.follow(met)
        guard case .settle(let conflict, _, _) = met else { throw DeploymentError.noPage }
        try browser.follow(
            try await deployment.flows.browser.choose(
                Yahoo.id, handle: conflict.handle.secretText, cookies: browser.cookies))
        guard case .challenge(let prompt, _, _) = try await returnFromYahoo(deployment, &browser)
        else { throw DeploymentError.noPage }
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])

        let step = try await prove(authenticator.code(), prompt, deployment, browser)
        guard case .finish(let url, _) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.generic, Person.yahoo])
        let code = Secret(try Parameters.parse(url.secretText.drop { $0 != "?" }.dropFirst())["code"] ?? "")
        let outcome = try await deployment.redeem(code)
        #expect(outcome.isLinked && outcome.account.uid == Person.yahooUID)
        #expect(try MintedToken(outcome.token.secret).payload["claims"]?["second_factor"] == .string("totp"))
    }

    @Test("The proof of one account is worth nothing for another")
    func otherAccount() async throws {
        let (deployment, authenticator) = try await deployment { $0.rules.settlesConflicts = false }
        var browser = TestBrowser()
        let prompt = try await challenge(deployment, &browser)
        let step = try await prove(authenticator.code(), prompt, deployment, browser)
        guard case .finish(let url, _) = step else { throw DeploymentError.noPage }
        let code = Secret(try Parameters.parse(url.secretText.drop { $0 != "?" }.dropFirst())["code"] ?? "")
        // Meanwhile the identity moves to an account with another factor.
        #expect(try await deployment.store.retire(uid: Person.yahooUID, at: deployment.clock.now))
        let arrival = IncomingIdentity(identity: Person.yahoo, details: IdentityDetails(), email: nil)
        _ = try await deployment.store.signIn(
            arrival, candidates: ["other"], emails: .shared, at: deployment.clock.now)
        _ = try await deployment.enroll("other")
        await #expect(throws: (any Error).self) { try await deployment.redeem(code) }
    }

    @Test("A cookie of the page does not lead to another page, and its code can be used once")
    func cookie() async throws {
        let (deployment, authenticator) = try await deployment()
        var browser = TestBrowser()
        let prompt = try await challenge(deployment, &browser)
        let kept = browser
        _ = try await prove(authenticator.code(), prompt, deployment, browser)
        await #expect(throws: (any Error).self) {
            try await prove(authenticator.code(after: 1), prompt, deployment, kept)
        }
        await #expect(throws: (any Error).self) {
            try await deployment.flows.browser.callback(
                Yahoo.id, Parameters([("state", prompt.handle.secretText), ("code", "c")]), cookies: kept.cookies)
        }
    }
}
