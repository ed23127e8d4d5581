import Accounts
import Firebase
import JOSE
import Jansson
import OAuth
import SignIn
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
        "A flow to reauthenticate asks an OpenID Provider for a login of now",
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

    @Test("What the application asks for does not weaken it")
    func overridden() async throws {
        let flow = try await begun(
            .yahooCallback, .reauthenticate, parameters: ["prompt": "consent", "max_age": "86400"])
        #expect(flow.parameters.pairs.filter { $0.name == "prompt" }.map(\.value) == ["login"])
        #expect(flow.parameters.pairs.filter { $0.name == "max_age" }.map(\.value) == ["0"])
    }

    @Test("X is asked to have the password typed, by OAuth 1.0a; by OAuth 2.0 it has no word for it")
    func x() async throws {
        #expect(try await begun(.xOAuth1Callback, .reauthenticate).parameters["force_login"] == "true")
        #expect(try await begun(.xOAuth1Callback, .link).parameters["force_login"] == nil)
        let oauth2 = try await begun(.xOAuth2Callback, .reauthenticate).parameters
        #expect(
            oauth2.pairs.map(\.name).sorted() == [
                "client_id", "code_challenge", "code_challenge_method", "redirect_uri", "response_type", "scope",
                "state",
            ])
    }

    @Test("A pushed request to reauthenticate asks the same")
    func pushed() async throws {
        let user = try await deployment.user("native")
        let pushed = try await deployment.corridor.push(Wish.parameters(["intent": "reauthenticate"]), for: user)
        var browser = TestBrowser()
        try browser.follow(
            try await deployment.corridor.authorize(
                Parameters([
                    ("client_id", DeploymentPlan.app.text), ("request_uri", pushed.requestURI.secretText),
                ])))
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
            SignInRequest(
                client: DeploymentPlan.app, provider: Yahoo.id,
                credential: .callback(session: flow.session, callbackURL: flow.callback(code: "code"))))
        let user = try await deployment.user("native")
        switch purpose {
        case .link: _ = try await deployment.corridor.link(user, proof)
        case .reauthenticate: _ = try await deployment.corridor.reauthenticate(user, proof)
        }
    }

    @Test("A login from before the flow is refused, less a minute for the clocks", arguments: [-61, -3600])
    func notFresh(_ seconds: Int64) async throws {
        await #expect(throws: SignInError.loginNotFresh) { try await finish(seconds, .reauthenticate) }
        #expect(deployment.store.spentKinds.contains(.session))
    }

    @Test("A login since then passes, and so does a provider that does not tell", arguments: [-60, 0, 30, nil])
    func fresh(_ seconds: Int64?) async throws {
        try await finish(seconds, .reauthenticate)
    }

    @Test("To link, the provider's session may be any age")
    func link() async throws {
        try await finish(-3600, .link)
    }

    @Test("The browser flow holds to it as well, and tells the application")
    func browserFlow() async throws {
        let user = try await deployment.user("native")
        for (seconds, isFresh) in [(Int64(-61), false), (-60, true)] {
            let pushed = try await deployment.corridor.push(Wish.parameters(["intent": "reauthenticate"]), for: user)
            var browser = TestBrowser()
            try browser.follow(
                try await deployment.corridor.authorize(
                    Parameters([
                        ("client_id", DeploymentPlan.app.text), ("request_uri", pushed.requestURI.secretText),
                    ])))
            var token = IDTokenBuilder.yahoo(nonce: browser.asked["nonce"] ?? "", at: deployment.clock.now)
            token.claims["auth_time"] = .integer(deployment.clock.now.seconds + seconds)
            try deployment.scriptYahoo(token)
            let answer = browser.answer(code: "\(seconds)")
            if isFresh {
                _ = try await deployment.corridor.callback(Yahoo.id, answer, cookies: browser.cookies)
            } else {
                await expectFailure(.loginNotFresh, tells: DeploymentPlan.redirectURI) {
                    try await deployment.corridor.callback(Yahoo.id, answer, cookies: browser.cookies)
                }
            }
        }
    }
}
