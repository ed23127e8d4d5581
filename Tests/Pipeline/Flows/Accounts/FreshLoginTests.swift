import Accounts
import Firebase
import Fixtures
import Flows
import JOSE
import Jansson
import Minting
import Providers
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("Fresh logins at the provider")
struct FreshLoginTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    private func begun(
        _ way: Way, _ purpose: AccountIntent.Purpose?, parameters: [String: String] = [:]
    ) async throws -> TestFlow {
        deployment.scriptX()
        let user = try await deployment.user("native")
        let flow: String? = way == .xOAuth1Callback ? "oauth1" : nil
        return try await deployment.begin(way.provider, parameters: parameters, flow: flow, purpose: purpose, for: user)
    }

    @Test(
        "A flow to reauthenticate requests a new login at an OpenID Provider",
        arguments: [
            Way.yahooCallback, .genericCallback,
        ])
    func openIDConnect(_ way: Way) async throws {
        let flow = try await begun(way, .reauthenticate)
        #expect(flow.parameters["prompt"] == "login")
        #expect(flow.parameters["max_age"] == "0")
        for purpose in [AccountIntent.Purpose.link, nil] {
            let other = try await begun(way, purpose)
            #expect(other.parameters["prompt"] == nil)
            #expect(other.parameters["max_age"] == nil)
        }
    }

    @Test("The parameters of the application do not weaken that request")
    func overridden() async throws {
        let flow = try await begun(
            .yahooCallback, .reauthenticate, parameters: ["prompt": "consent", "max_age": "86400"])
        #expect(flow.parameters.pairs.filter { $0.name == "prompt" }.map(\.value) == ["login"])
        #expect(flow.parameters.pairs.filter { $0.name == "max_age" }.map(\.value) == ["0"])
    }

    @Test("OAuth 1.0a of X requests the password; OAuth 2.0 of X cannot")
    func x() async throws {
        #expect(try await begun(.xOAuth1Callback, .reauthenticate).parameters["force_login"] == "true")
        #expect(try await begun(.xOAuth1Callback, .link).parameters["force_login"] == nil)
    }

    @Test("X reauthenticates by OAuth 1.0a, whatever the default flow is; OAuth 2.0 is refused if it is requested")
    func flow() async throws {
        let begun = try await begun(.xOAuth2Callback, .reauthenticate)
        #expect(begun.authorizationURL.hasPrefix(X.authenticate + "?"))
        #expect(begun.parameters["force_login"] == "true")
        let user = try await deployment.user("native")
        await expectRefusal(Refusal.freshLoginUnsupported) {
            try await deployment.begin(X.id, flow: "oauth2", purpose: .reauthenticate, for: user)
        }
        await expectRefusal(Refusal.freshLoginUnsupported) {
            try await deployment.flows.browser.push(
                Wish.parameters(["intent": "reauthenticate", "provider": X.id.text, "flow": "oauth2"]), for: user)
        }
        // To link and to sign in it stays as it was.
        #expect(
            try await deployment.begin(X.id, purpose: .link, for: user).authorizationURL.hasPrefix(X.authorize + "?"))
    }

    @Test("Without the keys of OAuth 1.0a nothing at X shows a fresh login")
    func unavailable() async throws {
        let x = deployment.x
        let oauth2Only = Provider(
            id: X.id, name: x.name, protocols: x.protocols.filter { $0.key == "oauth2" }, defaultFlow: "oauth2",
            acceptedCredentials: x.acceptedCredentials, allowedScopes: [], allowedParameters: [],
            emailTrust: .always, timeout: x.timeout)
        let flows = try deployment.reloaded(providers: [deployment.yahoo, oauth2Only])
        let user = try await deployment.user("native")
        await expectRefusal(Refusal.freshLoginUnsupported) {
            try await flows.direct.begin(
                SignInRequest(
                    client: DeploymentPlan.app, provider: X.id, redirectURI: DeploymentPlan.redirectURI, scopes: [],
                    parameters: [:], flow: nil, purpose: .reauthenticate), for: user)
        }
        await expectRefusal(Refusal.freshLoginUnsupported) {
            try await flows.browser.push(
                Wish.parameters(["intent": "reauthenticate", "provider": X.id.text]), for: user)
        }
    }

    @Test("A flow that X was sent by OAuth 2.0 before does not end as a fresh login")
    func olderFlow() async throws {
        _ = try await deployment.link(.xPair, to: "native")
        // A flow to link is the same but for its purpose: no login was asked for.
        let proof = try await deployment.proof(.xOAuth2Callback, purpose: .link, of: deployment.user("native"))
        let user = try await deployment.user("native")
        await expectRefusal(Refusal.otherPurpose(.link, than: .reauthenticate)) {
            try await deployment.flows.accounts.reauthenticate(user, proof)
        }
    }

    @Test("A pushed request to reauthenticate requests a new login too")
    func pushed() async throws {
        let user = try await deployment.user("native")
        let pushed = try await deployment.flows.browser.push(Wish.parameters(["intent": "reauthenticate"]), for: user)
        var browser = TestBrowser()
        try await deployment.leave(&browser, pushed)
        #expect(browser.asked["prompt"] == "login")
        #expect(browser.asked["max_age"] == "0")
    }

    /// Ends a flow with an ID token whose `auth_time` is so many seconds after its beginning; nil is not said.
    private func finish(_ seconds: Int64?, _ purpose: AccountIntent.Purpose) async throws {
        _ = try await deployment.link(.yahooIDToken, to: "native")
        let flow = try await begun(.yahooCallback, purpose)
        let beganAt = deployment.clock.now.seconds
        deployment.clock.advance(by: .seconds(30))
        var token = IDTokenBuilder.yahoo(nonce: flow.parameters["nonce"] ?? "", at: deployment.clock.now)
        token.claims["auth_time"] = seconds.map { .integer(beganAt + $0) }
        try deployment.scriptYahoo(token)
        let proof = AccountProof.credential(
            ExchangeRequest(
                client: DeploymentPlan.app, provider: Yahoo.id,
                credential: .callback(session: flow.session, callbackURL: flow.callback(code: "code"))))
        let user = try await deployment.user("native")
        switch purpose {
        case .link: _ = try await deployment.flows.accounts.link(user, proof)
        case .reauthenticate: _ = try await deployment.flows.accounts.reauthenticate(user, proof)
        }
    }

    @Test("A login from before the flow is refused, less a minute for the clocks", arguments: [-61, -3600])
    func notFresh(_ seconds: Int64) async throws {
        await expectRefusal(Reason.tooOld) { try await finish(seconds, .reauthenticate) }
        #expect(deployment.store.spentKinds.contains(.session))
    }

    @Test("A login since then passes", arguments: [-60, 0, 30])
    func fresh(_ seconds: Int64?) async throws {
        try await finish(seconds, .reauthenticate)
    }

    @Test("An ID token without auth_time proves no login, although the login was requested")
    func unproven() async throws {
        await expectRefusal(Refusal.freshLoginUnproven) { try await finish(nil, .reauthenticate) }
    }

    @Test("Unless the provider is known not to tell: then the token says how, and not when", arguments: [nil, 0])
    func prompt(_ seconds: Int64?) async throws {
        let deployment = try Deployment { $0.yahoo.reauthentication = .prompt }
        _ = try await deployment.link(.yahooIDToken, to: "native")
        let user = try await deployment.user("native")
        let flow = try await deployment.begin(Yahoo.id, purpose: .reauthenticate, for: user)
        #expect(flow.parameters["prompt"] == "login" && flow.parameters["max_age"] == "0")
        let now = deployment.clock.now.seconds
        var token = IDTokenBuilder.yahoo(nonce: flow.parameters["nonce"] ?? "", at: deployment.clock.now)
        token.claims["auth_time"] = seconds.map { .integer(now + $0) }
        try deployment.scriptYahoo(token)
        let outcome = try await deployment.flows.accounts.reauthenticate(
            user,
            .credential(
                ExchangeRequest(
                    client: DeploymentPlan.app, provider: Yahoo.id,
                    credential: .callback(session: flow.session, callbackURL: flow.callback(code: "code")))))
        let claims = try MintedToken(outcome.token.secret).payload["claims"]
        #expect(claims?["reauth_method"] == (seconds == nil ? .string("prompt") : nil))
        #expect(claims?["reauth_time"] == seconds.map { .integer(now + $0) })
    }

    @Test("With a provider that does not tell, a time that is too old is still too old")
    func promptTooOld() async throws {
        let deployment = try Deployment { $0.yahoo.reauthentication = .prompt }
        _ = try await deployment.link(.yahooIDToken, to: "native")
        let user = try await deployment.user("native")
        let flow = try await deployment.begin(Yahoo.id, purpose: .reauthenticate, for: user)
        var token = IDTokenBuilder.yahoo(nonce: flow.parameters["nonce"] ?? "", at: deployment.clock.now)
        token.claims["auth_time"] = .integer(deployment.clock.now.seconds - 61)
        try deployment.scriptYahoo(token)
        await expectRefusal(Reason.tooOld) {
            try await deployment.flows.accounts.reauthenticate(
                user,
                .credential(
                    ExchangeRequest(
                        client: DeploymentPlan.app, provider: Yahoo.id,
                        credential: .callback(session: flow.session, callbackURL: flow.callback(code: "code")))))
        }
    }

    @Test("A handoff keeps the evidence of the login", arguments: [FreshLogin.Evidence.authenticationTime, .prompt])
    func handedOff(_ evidence: FreshLogin.Evidence) async throws {
        let deployment = try Deployment { $0.yahoo.reauthentication = evidence }
        _ = try await deployment.link(.yahooIDToken, to: "native")
        let user = try await deployment.user("native")
        let pushed = try await deployment.flows.browser.push(Wish.parameters(["intent": "reauthenticate"]), for: user)
        var browser = TestBrowser()
        try await deployment.leave(&browser, pushed)
        let now = deployment.clock.now
        var token = IDTokenBuilder.yahoo(nonce: browser.asked["nonce"] ?? "", at: now)
        if evidence == .prompt { token.claims["auth_time"] = nil }
        try deployment.scriptYahoo(token)
        guard
            case .finish(let url, _) = try await deployment.flows.browser.callback(
                Yahoo.id, browser.answer(), cookies: browser.cookies)
        else { throw DeploymentError.noSuchProtocol }
        let code = try Parameters.parse(url.secretText.drop { $0 != "?" }.dropFirst())["code"] ?? ""
        deployment.clock.advance(by: .seconds(20))
        let outcome = try await deployment.flows.accounts.reauthenticate(user, .handoff(Secret(code)))
        let claims = try MintedToken(outcome.token.secret).payload["claims"]
        #expect(claims?["reauth_time"] == (evidence == .prompt ? nil : .integer(now.seconds)))
        #expect(claims?["reauth_method"] == (evidence == .prompt ? .string("prompt") : nil))
    }

    @Test("To link, the provider's session may be any age")
    func link() async throws {
        try await finish(-3600, .link)
    }

    @Test("With prompt=none the page of an intent is not shown: the application gets the error that it is needed")
    func silence() async throws {
        let user = try await deployment.user("native")
        let error = ProviderRefusal.interactionRequired(.interaction, isSilent: true).refusal
        for purpose in [AccountIntent.Purpose.link, .reauthenticate] {
            let begun = try await deployment.flows.direct.begin(
                SignInRequest(
                    client: DeploymentPlan.app, provider: Yahoo.id, redirectURI: DeploymentPlan.redirectURI, scopes: [],
                    parameters: ["prompt": "none"], flow: nil, purpose: purpose), for: user)
            let query = begun.authorizationURL.secretText.drop { $0 != "?" }.dropFirst()
            guard
                case .finish(let url, nil) = try await deployment.flows.browser.authorize(try Parameters.parse(query))
            else {
                Issue.record("There is a page to \(purpose).")
                return
            }
            #expect(url.secretText.hasPrefix(DeploymentPlan.redirectURI + "?error=interaction_required&state="))
            let proof = AccountProof.credential(
                ExchangeRequest(
                    client: DeploymentPlan.app, provider: Yahoo.id,
                    credential: .callback(session: begun.session, callbackURL: url)))
            await expectRefusal(error) {
                if purpose == .link {
                    _ = try await deployment.flows.accounts.link(user, proof)
                } else {
                    _ = try await deployment.flows.accounts.reauthenticate(user, proof)
                }
            }
            let pushed = try await deployment.flows.browser.push(
                Wish.parameters(["intent": purpose.rawValue, "prompt": "none"]), for: user)
            await expectFailure(error, tells: DeploymentPlan.redirectURI) {
                try await deployment.flows.browser.authorize(
                    Parameters([
                        ("client_id", DeploymentPlan.app.text), ("request_uri", pushed.requestURI.secretText),
                    ]))
            }
        }
    }

    @Test("The browser flow checks the login too, and reports the failure to the application")
    func browserFlow() async throws {
        let user = try await deployment.user("native")
        for (seconds, isFresh) in [(Int64(-61), false), (-60, true)] {
            let pushed = try await deployment.flows.browser.push(
                Wish.parameters(["intent": "reauthenticate"]), for: user)
            var browser = TestBrowser()
            try await deployment.leave(&browser, pushed)
            var token = IDTokenBuilder.yahoo(nonce: browser.asked["nonce"] ?? "", at: deployment.clock.now)
            token.claims["auth_time"] = .integer(deployment.clock.now.seconds + seconds)
            try deployment.scriptYahoo(token)
            let answer = browser.answer(code: "\(seconds)")
            if isFresh {
                _ = try await deployment.flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
            } else {
                await expectFailure(Reason.tooOld, tells: DeploymentPlan.redirectURI) {
                    try await deployment.flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
                }
            }
        }
    }
}
