import Accounts
import Fixtures
import Flows
import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Synchronization
import Testing
import Transport
import Verification

/// What becomes of a sign-in whose profile the provider does not tell.
@Suite("Profiles that cannot be fetched")
struct ProfileStepTests {
    /// Where the profile of a way comes from, if it is a call of its own.
    private static let sources: [Way: String] = [
        .yahooCode: Yahoo.userInfo, .yahooCallback: Yahoo.userInfo, .genericCallback: Generic.userInfo,
        .genericAccessToken: Generic.userInfo, .xOAuth1Callback: X.verifyCredentials, .xPair: X.verifyCredentials,
    ]
    private static let ways = sources.keys.sorted { $0.rawValue < $1.rawValue }
    /// Those whose credential the provider has spent.
    private static let spentWays = ways.filter { ![.genericAccessToken, .xPair].contains($0) }

    /// Those whose first response contains no address: Yahoo's ID token contains it.
    private static let waysWithoutAddress = spentWays.filter { $0.provider != Yahoo.id }

    private static let passing: [(ScriptedAnswer, ProviderFailure)] = [
        (.status(429), .throttled(retryAfter: nil)), (.status(503), .unavailable(retryAfter: nil)),
        (.status(500), .failed(status: 500)),
        (.failure(.timedOut(host: "h", requestSent: true)), .noAnswer(.timedOut(host: "h", requestSent: true))),
        (.failure(.interrupted(host: "h")), .noAnswer(.interrupted(host: "h"))),
    ]

    private func script(_ way: Way, _ answer: ScriptedAnswer, in deployment: Deployment) {
        deployment.peer.script(.get, Self.sources[way] ?? "", answer)
        // X's second endpoint knows no address.
        if way.provider == X.id { deployment.peer.script(.get, X.usersMe, answer) }
    }

    @Test(
        "A failure that may pass makes no account without its address, and the code is spent",
        arguments: waysWithoutAddress)
    func firstSignIn(_ way: Way) async throws {
        for (answer, failure) in Self.passing {
            let deployment = try Deployment()
            let credential = try await way.credential(in: deployment)
            script(way, answer, in: deployment)
            await expectRefusal(failure.refusal.spent) {
                try await deployment.exchange(credential, of: way.provider)
            }
            #expect(try await deployment.store.account(of: ExternalIdentity(way)) == nil)
            // A moment later the same person is let in, with the address.
            let outcome = try await deployment.exchange(deployment.fresh(way), of: way.provider)
            #expect(outcome.account.isNew)
        }
    }

    @Test(
        "If the ID token contains the address, the sign-in continues without userinfo, and the operator is informed",
        arguments: spentWays.filter { $0.provider == Yahoo.id }, passing.indices)
    func addressInIDToken(_ way: Way, _ row: Int) async throws {
        let (answer, failure) = Self.passing[row]
        let told = Mutex<[ProviderFailure]>([])
        let deployment = try Deployment { $0.onProfileRefusal = { _, failure in told.withLock { $0.append(failure) } } }
        let credential = try await way.credential(in: deployment)
        script(way, answer, in: deployment)
        let outcome = try await deployment.exchange(credential, of: way.provider)
        #expect(outcome.account.isNew)
        #expect(outcome.account.identity?.profile.email == "ann@example.org")
        #expect(outcome.account.identity?.profile.picture == nil)
        #expect(told.withLock { $0 } == [failure])
    }

    @Test("If the provider refuses for now, the records of this server are given back")
    func givenBack() async throws {
        let deployment = try Deployment()
        let credential = try await Way.genericAccessToken.credential(in: deployment)
        script(.genericAccessToken, .status(429), in: deployment)
        await expectRefusal(ProviderFailure.throttled(retryAfter: nil).refusal.unspent) {
            try await deployment.exchange(credential, of: Generic.id)
        }
        #expect(deployment.store.spentKinds.isEmpty)
        deployment.scriptUserInfo(Generic.userInfo, subject: Generic.subject)
        #expect(try await deployment.exchange(credential, of: Generic.id).account.isNew)
    }

    @Test("A user with an account signs in nevertheless", arguments: spentWays)
    func known(_ way: Way) async throws {
        for (answer, _) in Self.passing {
            let deployment = try Deployment()
            let uid = try await deployment.signIn(way).account.uid
            let credential = try await deployment.fresh(way)
            script(way, answer, in: deployment)
            let outcome = try await deployment.exchange(credential, of: way.provider)
            #expect(outcome.account.uid == uid)
            #expect(!outcome.account.isNew)
        }
    }

    @Test("The stored profile of a known user is not replaced by a partial one")
    func details() async throws {
        let deployment = try Deployment()
        _ = try await deployment.signIn(.xOAuth1Callback)
        let before = try await deployment.store.account(of: ExternalIdentity(.xOAuth1Callback))
        let credential = try await deployment.fresh(.xOAuth1Callback)
        script(.xOAuth1Callback, .status(500), in: deployment)
        deployment.clock.advance(by: .seconds(7200))
        let later = try await deployment.fresh(.xOAuth1Callback)
        script(.xOAuth1Callback, .status(500), in: deployment)
        _ = credential
        _ = try await deployment.exchange(later, of: X.id)
        let after = try await deployment.store.account(of: ExternalIdentity(.xOAuth1Callback))
        #expect(before?.identities.first?.details.email == "dev@example.org")
        #expect(after?.identities.first?.details == before?.identities.first?.details)
    }

    @Test("Without userinfo, the claims of the ID token do not replace a complete stored profile")
    func detailsOfIDToken() async throws {
        let deployment = try Deployment()
        func stored() async throws -> IdentityDetails? {
            try await deployment.store.account(of: ExternalIdentity(.yahooCallback))?.identities.first?.details
        }
        _ = try await deployment.exchange(deployment.fresh(.yahooCallback), of: Yahoo.id)
        deployment.clock.advance(by: .seconds(7200))
        let whole = try await stored()
        #expect(whole?.name != nil && whole?.email != nil)
        let flow = try await Way.yahooCallback.begin(in: deployment)
        var token = IDTokenBuilder.yahoo(nonce: flow.parameters["nonce"] ?? "", at: deployment.clock.now)
        token.claims["name"] = .string("Another Name")
        token.claims["email"] = .string("another@example.org")
        try deployment.scriptYahoo(token)
        script(.yahooCallback, .status(500), in: deployment)
        _ = try await deployment.finish(flow, flow.callback(code: "second"), of: Yahoo.id)
        #expect(try await stored() == whole)
    }

    @Test("A posted pair that the second endpoint of X verifies fails until the first one returns the address")
    func pair() async throws {
        let deployment = try Deployment()
        let credential = try await Way.xPair.credential(in: deployment)
        deployment.peer.script(.get, X.verifyCredentials, .status(429))
        deployment.peer.script(.get, X.usersMe, .json(X.me(id: X.userID)))
        await expectRefusal(ProviderFailure.throttled(retryAfter: nil).refusal.unspent) {
            try await deployment.exchange(credential, of: X.id)
        }
        #expect(try await deployment.store.account(of: Person.x) == nil)
        deployment.peer.script(.get, X.verifyCredentials, .json(X.person(id: X.userID)))
        #expect(try await deployment.exchange(credential, of: X.id).account.isNew)
    }

    @Test(
        "After a permanent refusal the sign-in continues without the address, and the operator is informed",
        arguments: [402, 403, 204, 501])
    func refused(_ status: Int) async throws {
        let told = Mutex<[ProviderFailure]>([])
        let deployment = try Deployment { $0.onProfileRefusal = { _, failure in told.withLock { $0.append(failure) } } }
        let credential = try await deployment.fresh(.xOAuth1Callback)
        script(.xOAuth1Callback, .status(status), in: deployment)
        let outcome = try await deployment.exchange(credential, of: X.id)
        #expect(outcome.account.isNew)
        #expect(outcome.account.identity?.profile.email == nil)
        let failure =
            switch status {
            case 402: ProviderFailure.refusedClient(.credit)
            case 403: ProviderFailure.refusedProfile(.user, status: status)
            default: ProviderFailure.failed(status: status)
            }
        #expect(told.withLock { $0 } == [failure])
    }

    @Test("A new identity is not linked without its address either")
    func link() async throws {
        let deployment = try Deployment()
        let user = try await deployment.user("native")
        let proof = try await deployment.proof(.xOAuth1Callback, of: user)
        script(.xOAuth1Callback, .status(500), in: deployment)
        await expectRefusal(ProviderFailure.failed(status: 500).refusal.spent) {
            try await deployment.flows.accounts.link(user, proof)
        }
        #expect(try await deployment.identities(of: "native") == nil)
    }

    @Test("A browser flow sends the error to the application, and issues nothing")
    func browserFlow() async throws {
        let deployment = try Deployment()
        var browser = TestBrowser()
        try await deployment.leave(&browser)
        var token = IDTokenBuilder.yahoo(nonce: browser.asked["nonce"] ?? "", at: deployment.clock.now)
        token.claims["email"] = nil
        try deployment.scriptYahoo(token)
        deployment.peer.script(.get, Yahoo.userInfo, .status(503))
        await expectFailure(
            ProviderFailure.unavailable(retryAfter: nil).refusal.spent,
            tells: DeploymentPlan.redirectURI
        ) { try await deployment.flows.browser.callback(Yahoo.id, browser.answer(), cookies: browser.cookies) }
        #expect(!deployment.store.calls.contains(.keepHandoff))
    }

    @Test("An account that is deleted while its sign-in waits is not created again without its address")
    func goneMeanwhile() async throws {
        let deployment = try Deployment()
        let uid = try await deployment.signIn(.yahooCallback).account.uid
        deployment.clock.advance(by: .seconds(1))
        var browser = TestBrowser()
        try await deployment.leave(&browser)
        deployment.peer.script(.get, Yahoo.userInfo, .status(500))
        guard
            case .finish(let url, _) = try await deployment.flows.browser.callback(
                Yahoo.id, browser.answer(code: "second"), cookies: browser.cookies)
        else { throw DeploymentError.noSuchProtocol }
        let code = try Parameters.parse(url.secretText.drop { $0 != "?" }.dropFirst())["code"] ?? ""
        _ = try await deployment.store.retire(uid: uid, at: deployment.clock.now)
        await expectRefusal(Reason.providerError, isUnspent: true) {
            try await deployment.flows.browser.redeem(
                handoffCode: Secret(code), redirectURI: DeploymentPlan.redirectURI,
                codeVerifier: Secret(Wish.verifier), client: DeploymentPlan.app)
        }
        #expect(try await deployment.store.account(of: ExternalIdentity(.yahooCallback)) == nil)
    }

    // MARK: first_sign_in

    @Test("With first_sign_in the profile is fetched once: for a user without an account")
    func onlyFirst() async throws {
        let deployment = try Deployment {
            $0.xProfileRule = .firstSignIn
            $0.yahoo.profileRule = .firstSignIn
        }
        for way in [Way.xOAuth1Callback, .yahooCallback] {
            let source = Self.sources[way] ?? ""
            let first = try await deployment.signIn(way)
            #expect(first.account.isNew)
            #expect(deployment.peer.requests(to: source).count == 1)
            let second = try await deployment.signIn(way)
            #expect(second.account.uid == first.account.uid)
            #expect(deployment.peer.requests(to: source).count == 1)
        }
    }

    @Test("The id is fetched each time if no other response contains it")
    func onlySource() async throws {
        let deployment = try Deployment { $0.xProfileRule = .firstSignIn }
        _ = try await deployment.signIn(.xOAuth2Callback)
        _ = try await deployment.signIn(.xOAuth2Callback)
        #expect(deployment.peer.requests(to: X.usersMe).count == 2)
    }

    @Test("If the store cannot look the user up, the records of this server are given back")
    func storeFails() async throws {
        let deployment = try Deployment { $0.yahoo.profileRule = .firstSignIn }
        let credential = try await deployment.fresh(.yahooCallback)
        deployment.store.fail(atCall: 4)
        await expectRefusal(StoreError.unavailable(.busy).refusal.spent) {
            try await deployment.exchange(credential, of: Yahoo.id)
        }
        #expect(deployment.peer.requests(to: Yahoo.userInfo).isEmpty)
    }
}

extension ExternalIdentity {
    init(_ way: Way) {
        let subject =
            switch way.provider {
            case Yahoo.id: Yahoo.subject
            case Generic.id: Generic.subject
            default: X.userID
            }
        self.init(provider: way.provider, subject: "\(subject)")
    }
}
