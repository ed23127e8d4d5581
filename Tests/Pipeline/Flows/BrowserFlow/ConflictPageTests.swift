import Accounts
import Fixtures
import Flows
import Jansson
import Minting
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

/// Conflicts that the person of a browser or device flow settles on a page.
@Suite("Conflict pages")
struct ConflictPageTests {
    private static let ann = "ann@example.org"

    private func deployment(_ change: (inout DeploymentPlan) -> Void = { _ in }) async throws -> Deployment {
        let deployment = try Deployment { plan in
            plan.emails = .oneAccountEach
            plan.rules.settlesConflicts = true
            change(&plan)
        }
        _ = try await deployment.signIn(.yahooIDToken)
        return deployment
    }

    // MARK: Steps

    /// Returns from the generic provider, as a new identity with Ann's address.
    private func returnFromGeneric(
        _ deployment: Deployment, _ browser: inout TestBrowser
    ) async throws -> AuthorizationStep {
        var token = IDTokenBuilder.generic(nonce: browser.asked["nonce"] ?? "", at: deployment.clock.now)
        token.claims["email"] = .string(Self.ann)
        token.claims["email_verified"] = .bool(true)
        try deployment.scriptGeneric(token)
        let answer = browser.answer(code: try deployment.random.source.unguessableText())
        let step = try await deployment.flows.browser.callback(Generic.id, answer, cookies: browser.cookies)
        try browser.follow(step)
        return step
    }

    /// Goes through the generic provider with a new identity, up to the page of the conflict.
    private func conflict(
        _ deployment: Deployment, _ browser: inout TestBrowser, _ changes: [String: String?] = [:]
    ) async throws -> ConflictPrompt {
        try browser.follow(
            try await deployment.flows.browser.authorize(
                Wish.parameters(["provider": Generic.id.text].merging(changes) { $1 })))
        guard case .settle(let prompt, _, _) = try await returnFromGeneric(deployment, &browser)
        else { throw DeploymentError.noSuchProtocol }
        return prompt
    }

    /// Goes from the page of a conflict through Yahoo, as the person with this subject.
    private func prove(
        _ prompt: ConflictPrompt, _ deployment: Deployment, _ browser: inout TestBrowser,
        as subject: String = Yahoo.subject
    ) async throws -> AuthorizationStep {
        try browser.follow(
            try await deployment.flows.browser.choose(
                Yahoo.id, handle: prompt.handle.secretText, cookies: browser.cookies))
        var token = IDTokenBuilder.yahoo(nonce: browser.asked["nonce"] ?? "", at: deployment.clock.now)
        token.claims["sub"] = .string(subject)
        try deployment.scriptYahoo(token)
        let answer = browser.answer(code: try deployment.random.source.unguessableText())
        let step = try await deployment.flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
        try browser.follow(step)
        return step
    }

    private func redeemed(_ step: AuthorizationStep, _ deployment: Deployment) async throws -> SignInOutcome {
        guard case .finish(let url, _) = step else { throw DeploymentError.noSuchProtocol }
        let query = url.secretText.drop { $0 != "?" }.dropFirst()
        return try await deployment.redeem(Secret(try Parameters.parse(query)["code"] ?? ""))
    }

    // MARK: The page

    @Test("The page names the application, both providers and the address, before any code is issued")
    func page() async throws {
        let deployment = try await deployment()
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        #expect(prompt.client.id == DeploymentPlan.app)
        #expect(prompt.provider == deployment.flows.providers[Generic.id]?.name)
        #expect(prompt.person == Self.ann)
        #expect(prompt.signInMethods == ["Yahoo"])
        #expect(prompt.providers.map(\.id) == [Yahoo.id])
        #expect(!prompt.isRepeated)
        #expect(try await deployment.store.account(uid: Person.genericUID) == nil)
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])
    }

    @Test("If the proven identity leaves the account while the hook is asked, nothing is linked to that account")
    func leftMeanwhile() async throws {
        let deployment = try await deployment {
            $0.hooks[.beforeLink] = Hook(
                url: HookPoint.beforeLink.url, timeout: .milliseconds(1500), allowsOnFailure: false)
        }
        deployment.script(.beforeLink, "{}")
        _ = try await deployment.link(.xPair, to: Person.yahooUID)
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        deployment.peer.script(
            .post, HookPoint.beforeLink.url,
            ScriptedAnswer { _ throws(TransportError) in
                _ = try? await deployment.store.unlink(
                    provider: Yahoo.id, from: Person.yahooUID, at: deployment.clock.now)
                return OutboundResponse(
                    status: 200, header: [HeaderField("Content-Type", "application/json")], body: Array("{}".utf8))
            })
        let failure = await failure { try await prove(prompt, deployment, &browser) }
        #expect(failure?.error == Refusal.identityLost)
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.x])
        #expect(try await deployment.identities(of: Person.genericUID) == nil)
    }

    @Test("After the person has proven the old identity, the new one is linked, and the flow ends as its account")
    func settled() async throws {
        let deployment = try await deployment()
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        let journal = Journal()
        let step = try await journal.keep { try await prove(prompt, deployment, &browser) }
        #expect(journal.facts.map(\.operation) == [.link])
        #expect(journal.facts.allSatisfy { $0.uid == Person.yahooUID && $0.provider == Generic.id })
        #expect(journal.facts.allSatisfy { $0.client == DeploymentPlan.app })
        let outcome = try await redeemed(step, deployment)
        #expect(outcome.account.uid == Person.yahooUID)
        #expect(outcome.isLinked && !outcome.account.isNew)
        #expect(outcome.account.identity?.provider == Generic.id)
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.generic, Person.yahoo])
        #expect(browser.cookies.isEmpty)
    }

    @Test("Without a conflict there is no page: not for a known identity, nor for another or an unverified address")
    func none() async throws {
        let deployment = try await deployment()
        _ = try await deployment.handoffCode()
        for (email, isVerified) in [("bob@example.org", true), (Self.ann, false)] {
            var browser = TestBrowser()
            try browser.follow(
                try await deployment.flows.browser.authorize(Wish.parameters(["provider": Generic.id.text])))
            var token = IDTokenBuilder.generic(nonce: browser.asked["nonce"] ?? "", at: deployment.clock.now)
            token.claims["email"] = .string(email)
            token.claims["email_verified"] = .bool(isVerified)
            try deployment.scriptGeneric(token)
            let answer = browser.answer(code: try deployment.random.source.unguessableText())
            let step = try await deployment.flows.browser.callback(Generic.id, answer, cookies: browser.cookies)
            guard case .finish = step else {
                Issue.record("There is a page for \(email).")
                continue
            }
        }
    }

    @Test("If the configuration leaves conflicts to the client, they are reported at /token")
    func client() async throws {
        let deployment = try await deployment { $0.rules.settlesConflicts = false }
        var browser = TestBrowser()
        try browser.follow(
            try await deployment.flows.browser.authorize(Wish.parameters(["provider": Generic.id.text])))
        let step = try await returnFromGeneric(deployment, &browser)
        let error = await refusal { try await redeemed(step, deployment) }
        #expect(error?.reason == .accountExists)
    }

    // MARK: Refusals

    @Test("A person who cancels sends the application the error, without an address or a pending credential")
    func cancelled() async throws {
        let deployment = try await deployment()
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        await expectFailure(.conflictNotSettled, tells: DeploymentPlan.redirectURI) {
            try await deployment.flows.browser.choose(
                nil, handle: prompt.handle.secretText, cookies: browser.cookies)
        }
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])
        // The flow of the page is spent.
        await expectFailure(Refusal.replayed(.flow), tells: nil) {
            try await deployment.flows.browser.choose(
                nil, handle: prompt.handle.secretText, cookies: browser.cookies)
        }
    }

    @Test("With prompt=none the application gets the error instead of a page")
    func silent() async throws {
        let deployment = try await deployment { $0.generic.allowedParameters = ["prompt"] }
        var browser = TestBrowser()
        try browser.follow(
            try await deployment.flows.browser.authorize(
                Wish.parameters(["provider": Generic.id.text, "prompt": "none"])))
        await expectFailure(
            ProviderRefusal.interactionRequired(.interaction, isSilent: true).refusal, tells: DeploymentPlan.redirectURI
        ) {
            try await returnFromGeneric(deployment, &browser)
        }
    }

    @Test("An identity of another account, or of none, leads to the page again, and after three to the error")
    func otherAccount() async throws {
        let deployment = try await deployment()
        _ = try await deployment.exchange(
            try deployment.yahooIDToken {
                $0.claims["sub"] = .string("bob")
                $0.claims["email"] = .string("bob@example.org")
            }, of: Yahoo.id)
        var browser = TestBrowser()
        var prompt = try await conflict(deployment, &browser)
        for subject in ["bob", "nobody-known"] {
            guard case .settle(let next, _, _) = try await prove(prompt, deployment, &browser, as: subject) else {
                Issue.record("\(subject) settled the conflict.")
                return
            }
            #expect(next.isRepeated && next.person == Self.ann)
            prompt = next
        }
        await expectFailure(.conflictNotSettled, tells: DeploymentPlan.redirectURI) {
            try await prove(prompt, deployment, &browser, as: "bob")
        }
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])
        #expect(try await deployment.identities(of: "yahoo.com:bob")?.count == 1)
    }

    @Test("After a wrong identity the right one still settles the conflict")
    func secondTry() async throws {
        let deployment = try await deployment()
        var browser = TestBrowser()
        var prompt = try await conflict(deployment, &browser)
        guard case .settle(let next, _, _) = try await prove(prompt, deployment, &browser, as: "bob") else {
            Issue.record("Another identity settled the conflict.")
            return
        }
        prompt = next
        _ = try await prove(prompt, deployment, &browser)
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.generic, Person.yahoo])
    }

    @Test("The page continues only in its own browser, and only with a provider that it offers")
    func bound() async throws {
        let deployment = try await deployment()
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        await expectFailure(.unknownBrowserFlow, tells: nil) {
            try await deployment.flows.browser.choose(Yahoo.id, handle: prompt.handle.secretText, cookies: [:])
        }
        for provider in [Generic.id, X.id, ProviderID("unknown")] {
            await expectFailure(Refusal.unknownProvider, tells: DeploymentPlan.redirectURI) {
                try await deployment.flows.browser.choose(
                    provider, handle: prompt.handle.secretText, cookies: browser.cookies)
            }
        }
        // The second part of the flow, at the provider, belongs to the browser as well.
        try browser.follow(
            try await deployment.flows.browser.choose(
                Yahoo.id, handle: prompt.handle.secretText, cookies: browser.cookies))
        try deployment.scriptYahoo(.yahoo(nonce: browser.asked["nonce"] ?? "", at: deployment.clock.now))
        await expectFailure(.unknownBrowserFlow, tells: nil) {
            try await deployment.flows.browser.callback(Yahoo.id, browser.answer(), cookies: [:])
        }
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])
    }

    @Test("Two callbacks of one conflict link once: the kept identity is good for one use")
    func twice() async throws {
        let deployment = try await deployment()
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        var other = browser
        _ = try await prove(prompt, deployment, &browser)
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.generic, Person.yahoo])
        await expectFailure(Refusal.replayed(.pendingCredential), tells: DeploymentPlan.redirectURI) {
            try await prove(prompt, deployment, &other)
        }
    }

    @Test("What was linked is recorded, also if the flow then fails")
    func linkedAndFailed() async throws {
        let deployment = try await deployment()
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        try browser.follow(
            try await deployment.flows.browser.choose(
                Yahoo.id, handle: prompt.handle.secretText, cookies: browser.cookies))
        try deployment.scriptYahoo(.yahoo(nonce: browser.asked["nonce"] ?? "", at: deployment.clock.now))
        // The last call of the store keeps the handoff code.
        let calls = try await callsOfSettlement()
        deployment.store.fail(atCall: calls)
        let journal = Journal()
        await expectFailure(StoreError.unavailable(.busy).refusal, tells: DeploymentPlan.redirectURI) {
            try await journal.keep {
                try await deployment.flows.browser.callback(Yahoo.id, browser.answer(), cookies: browser.cookies)
            }
        }
        #expect(journal.facts.map(\.operation) == [.link] && journal.facts.first?.uid == Person.yahooUID)
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.generic, Person.yahoo])
    }

    /// The number of calls of the store from the callback at Yahoo until the handoff code is kept.
    private func callsOfSettlement() async throws -> Int {
        let deployment = try await deployment()
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        let before = deployment.store.calls.count
        _ = try await prove(prompt, deployment, &browser)
        let calls = deployment.store.calls.dropFirst(before)
        return try #require(calls.firstIndex(of: .keepHandoff)) - before + 1
    }

    @Test("Nothing is linked for a device that was refused in another tab")
    func deniedDevice() async throws {
        let deployment = try await deployment()
        var browser = TestBrowser()
        let begun = try await deployment.flows.device.begin(Parameters([("client_id", DeploymentPlan.app.text)]))
        let device = try await deployment.confirmation(begun, &browser)
        try browser.follow(
            try await deployment.flows.device.signIn(
                deviceAt: Generic.id, form: device.form.field, browser: browser.device))
        guard case .settle(let prompt, _, _) = try await returnFromGeneric(deployment, &browser)
        else { throw DeploymentError.noSuchProtocol }
        _ = try await deployment.flows.device.decide(
            approving: false, form: device.form.field, browser: browser.device)
        let journal = Journal()
        await expectFailure(Refusal.takenUserCode, tells: nil) {
            try await journal.keep { try await prove(prompt, deployment, &browser) }
        }
        #expect(journal.facts.isEmpty)
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])
    }

    @Test("After ten minutes the conflict has expired")
    func expired() async throws {
        let deployment = try await deployment()
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        deployment.clock.advance(by: .seconds(599))
        try browser.follow(
            try await deployment.flows.browser.choose(
                Yahoo.id, handle: prompt.handle.secretText, cookies: browser.cookies))
        deployment.clock.advance(by: .seconds(1))
        try deployment.scriptYahoo(.yahoo(nonce: browser.asked["nonce"] ?? "", at: deployment.clock.now))
        await expectFailure(Refusal.pendingCredentialExpired, tells: DeploymentPlan.redirectURI) {
            try await deployment.flows.browser.callback(Yahoo.id, browser.answer(), cookies: browser.cookies)
        }
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])
    }

    @Test("A disabled account is entered by neither identity")
    func disabled() async throws {
        let deployment = try await deployment()
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        #expect(try await deployment.store.setDisabled(true, uid: Person.yahooUID))
        await expectFailure(
            Refusal.userDisabled, tells: DeploymentPlan.redirectURI
        ) {
            try await prove(prompt, deployment, &browser)
        }
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])
    }

    @Test("An account that has another identity of the same provider cannot get the new one: the page offers nothing")
    func sameProvider() async throws {
        let deployment = try await deployment()
        var browser = TestBrowser()
        _ = try await deployment.store.link(
            IncomingIdentity(
                identity: ExternalIdentity(provider: Generic.id, subject: "older"), details: IdentityDetails(),
                email: nil), to: Person.yahooUID, at: deployment.clock.now)
        let prompt = try await conflict(deployment, &browser)
        #expect(prompt.providers.isEmpty && prompt.isFull)
        #expect(prompt.signInMethods == [deployment.flows.providers[Generic.id]?.name, "Yahoo"])
        // The page of a language switch is the same.
        guard
            case .conflict(let again) = try await deployment.flows.browser.prompt(
                handle: prompt.handle.secretText, cookies: browser.cookies)
        else {
            Issue.record("There is another page.")
            return
        }
        #expect(again.providers.isEmpty && again.isFull)
        await expectFailure(Refusal.unknownProvider, tells: DeploymentPlan.redirectURI) {
            try await deployment.flows.browser.choose(
                Yahoo.id, handle: prompt.handle.secretText, cookies: browser.cookies)
        }
    }

    // MARK: Continuing in the application

    /// An account that only Firebase knows how to enter.
    private func native(
        signInMethods: SignInMethods, _ change: (inout DeploymentPlan) -> Void = { _ in }
    ) async throws -> Deployment {
        let deployment = try Deployment { plan in
            plan.emails = .oneAccountEach
            plan.rules.settlesConflicts = true
            change(&plan)
        }
        var account = StoredAccount(uid: "native", createdAt: deployment.clock.now)
        account.email = EmailAddress(Self.ann)
        account.isAdopted = true
        account.hasOtherSignInMethod = true
        account.signInMethods = signInMethods
        #expect(try await deployment.store.add(account) == .added)
        return deployment
    }

    /// Presses the button of a page that cannot settle its conflict.
    private func leave(
        _ prompt: ConflictPrompt, _ deployment: Deployment, _ browser: TestBrowser
    ) async throws -> FlowFailure {
        try await deployment.flows.browser.leaveConflict(
            handle: prompt.handle.secretText, cookies: browser.cookies)
    }

    /// The conflict that the application fetches with the code.
    private func fetched(_ failure: FlowFailure, _ deployment: Deployment) async throws -> PendingSignIn {
        let code = try #require(failure.code)
        let error = await refusal { try await deployment.redeem(code) }
        guard case .pending(let conflict)? = error?.detail else { throw DeploymentError.noPage }
        return conflict
    }

    @Test(
        "Native ways to sign in have the names of their providers; custom tokens of another issuer have none",
        arguments: [
            (["google.com", "password"], ["Google", "password"]), (["apple.com"], ["Apple"]),
            (["facebook.com", "github.com", "microsoft.com"], ["Facebook", "GitHub", "Microsoft"]),
            (["gc.apple.com", "playgames.google.com"], ["Game Center", "Google Play Games"]),
            (["emailLink", "oidc.corp", "phone"], ["emailLink", "oidc.corp", "phone"]), (["custom"], []), ([], []),
        ] as [(SignInMethods, [String])])
    func names(_ signInMethods: SignInMethods, _ names: [String]) async throws {
        let deployment = try await native(signInMethods: signInMethods)
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        #expect(prompt.signInMethods == names)
        #expect(prompt.providers.isEmpty && !prompt.isFull)
        let conflict = try await fetched(try await leave(prompt, deployment, browser), deployment)
        #expect(conflict.kind == .accountExists(email: Self.ann, providers: signInMethods.names))
    }

    @Test("The application fetches the conflict, and its pending credential links to the account, once")
    func left() async throws {
        let deployment = try await native(signInMethods: ["google.com"])
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        let failure = try await leave(prompt, deployment, browser)
        #expect(failure.error == .conflictNotSettled)
        #expect(failure.returnAddress?.redirectURI == DeploymentPlan.redirectURI)
        #expect(failure.ended == browser.cookies.keys.first)
        let pending = try await fetched(failure, deployment).pendingCredential
        await expectRefusal(Refusal.replayed(.handoff)) {
            try await deployment.redeem(try #require(failure.code))
        }
        await expectRefusal(Refusal.otherUse) {
            try await deployment.exchange(.pending(pending), of: Generic.id)
        }
        await expectRefusal(Refusal.unknownPendingCredential) {
            try await deployment.flows.accounts.link(
                deployment.user("stranger"), .pending(pending, of: Generic.id))
        }
        _ = try await deployment.flows.accounts.link(deployment.user("native"), .pending(pending, of: Generic.id))
        #expect(try await deployment.identities(of: "native") == [Person.generic])
    }

    @Test("The page is good for one press of its buttons")
    func leftOnce() async throws {
        let deployment = try await native(signInMethods: ["password"])
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        _ = try await leave(prompt, deployment, browser)
        let again = await failure { try await leave(prompt, deployment, browser) }
        #expect(again?.error == .replayed(.flow) && again?.returnAddress == nil)
        await expectFailure(Refusal.replayed(.flow), tells: nil) {
            try await deployment.flows.browser.choose(
                nil, handle: prompt.handle.secretText, cookies: browser.cookies)
        }
    }

    @Test("A page that can settle its conflict has no such button: pressing it changes nothing")
    func notLeft() async throws {
        let deployment = try await deployment()
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        let failure = await failure { try await leave(prompt, deployment, browser) }
        #expect(failure?.error == .parameterMalformed("decision"))
        #expect(failure?.returnAddress == nil && failure?.code == nil)
        _ = try await prove(prompt, deployment, &browser)
        #expect(try await deployment.identities(of: Person.yahooUID)?.count == 2)
    }

    @Test("Neither a flow before its conflict nor one at the provider has such a button, nor another browser")
    func nothingToLeave() async throws {
        let deployment = try await native(signInMethods: ["password"])
        var browser = TestBrowser()
        try browser.follow(try await deployment.flows.browser.authorize(Wish.parameters(["provider": nil])))
        let prompt = try await { browser in
            var browser = browser
            return try await conflict(deployment, &browser)
        }(browser)
        for (handle, cookies) in [
            (prompt.handle.secretText, [:]), (browser.cookies.keys.first ?? "", browser.cookies), ("", browser.cookies),
        ] as [(String, FlowCookies)] {
            let failure = await failure {
                try await deployment.flows.browser.leaveConflict(handle: handle, cookies: cookies)
            }
            #expect(failure?.error == .unknownBrowserFlow && failure?.code == nil)
        }
    }

    @Test("A conflict that has ended before its application asks is an error, and never a sign-in")
    func ended() async throws {
        let deployment = try await native(signInMethods: ["google.com"])
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        let failure = try await leave(prompt, deployment, browser)
        #expect(try await deployment.store.retire(uid: "native", at: deployment.clock.now))
        let code = try #require(failure.code)
        await expectRefusal(Reason.expired) { try await deployment.redeem(code) }
        #expect(try await deployment.store.account(uid: Person.genericUID) == nil)
        await expectRefusal(Refusal.replayed(.handoff)) { try await deployment.redeem(code) }
    }

    @Test("A provider that this client may not use is no way in of the page, and its name is still shown")
    func otherClient() async throws {
        let deployment = try await native(signInMethods: []) {
            $0.clients = [DeploymentPlan.client(DeploymentPlan.app, providers: [Generic.id])]
        }
        _ = try await deployment.store.link(
            IncomingIdentity(identity: Person.yahoo, details: IdentityDetails(), email: nil), to: "native",
            at: deployment.clock.now)
        var browser = TestBrowser()
        let prompt = try await conflict(deployment, &browser)
        #expect(prompt.signInMethods == ["Yahoo"] && prompt.providers.isEmpty)
        let conflict = try await fetched(try await leave(prompt, deployment, browser), deployment)
        #expect(conflict.kind == .accountExists(email: Self.ann, providers: [Yahoo.id]))
    }
}
