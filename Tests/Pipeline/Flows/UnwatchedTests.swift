import Accounts
import Firebase
import Fixtures
import Flows
import JOSE
import Jansson
import Standards
import Stores
import Support
import Testing
import Verification

/// Credentials and flows from before the time in which the store began to watch.
@Suite("Unwatched time")
struct UnwatchedTests {
    private static let start = TestClock.start + .seconds(60)

    private let deployment: Deployment

    init() throws {
        deployment = try Deployment { $0.watchedSince = Self.start }
    }

    /// Runs `begin` in the last second that the store has not watched, and in the first one that it has.
    private func around(
        _ begin: () async throws -> Void, refused: () async throws -> Void, taken: () async throws -> Void
    ) async throws {
        deployment.clock.advance(by: .seconds(60))
        try await begin()
        try await refused()
        deployment.clock.advance(by: .seconds(1))
        try await begin()
        deployment.clock.advance(by: .seconds(5))
        try await taken()
    }

    @Test(
        "A credential that was issued before the store watched is refused with its own reason, and nothing is spent",
        arguments: Way.allCases.filter { !Way.codes.contains($0) })
    func credentials(_ way: Way) async throws {
        var number = 0
        var credential: Credential?
        try await around {
            number += 1
            credential = try await way.credential(in: deployment, code: "code-\(number)")
        } refused: {
            let old = try #require(credential)
            for _ in 0..<2 {
                await expectRefusal(Reason.issuedUnwatched, isUnspent: false) {
                    try await deployment.exchange(old, of: way.provider)
                }
            }
            #expect(deployment.store.spentKinds.isEmpty)
            #expect(deployment.peer.requests(to: way.tokenEndpoint).isEmpty)
        } taken: {
            let new = try #require(credential)
            #expect(try await deployment.exchange(new, of: way.provider).account.uid == way.uid)
        }
    }

    @Test("A posted code is not subject to this rule, because its provider accepts it once", arguments: Way.codes)
    func codes(_ way: Way) async throws {
        let credential = try await way.credential(in: deployment)
        #expect(try await deployment.exchange(credential, of: way.provider).account.uid == way.uid)
    }

    @Test("The application receives the reason of its browser flow")
    func browserFlow() async throws {
        var browser = TestBrowser()
        var number = 0
        func callback() async throws -> AuthorizationStep {
            try await deployment.flows.browser.callback(
                Yahoo.id, browser.answer(code: "code-\(number)"), cookies: browser.cookies)
        }
        try await around {
            number += 1
            browser = TestBrowser()
            try await deployment.leave(&browser)
        } refused: {
            await expectFailure(Reason.issuedUnwatched, tells: DeploymentPlan.redirectURI) {
                try await callback()
            }
            #expect(deployment.peer.requests(to: Yahoo.token).isEmpty)
        } taken: {
            try browser.follow(try await callback())
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("A pushed request that was opened in a watched second is refused for the time of its push")
    func pushedRequest() async throws {
        var pushed: PushedRequest?
        func callback() async throws -> AuthorizationStep {
            let requestURI = try #require(pushed).requestURI.secretText
            var browser = TestBrowser()
            try browser.follow(
                try await deployment.flows.browser.authorize(
                    Parameters([("client_id", DeploymentPlan.app.text), ("request_uri", requestURI)])))
            try deployment.scriptAnswer(to: browser)
            let code = try deployment.random.source.unguessableText()
            return try await deployment.flows.browser.callback(
                Yahoo.id, browser.answer(code: code), cookies: browser.cookies)
        }
        deployment.clock.advance(by: .seconds(60))
        pushed = try await deployment.flows.browser.push(Wish.parameters())
        deployment.clock.advance(by: .seconds(1))
        await expectFailure(Reason.issuedUnwatched, tells: DeploymentPlan.redirectURI) { try await callback() }
        pushed = try await deployment.flows.browser.push(Wish.parameters())
        _ = try await callback()
    }

    @Test("A page is shown for the page before the provider")
    func departure() async throws {
        let user = try await deployment.user("native")
        var url = ""
        func press() async throws -> AuthorizationStep {
            var browser = TestBrowser()
            let step = try await deployment.flows.browser.authorize(
                try Parameters.parse(url.drop { $0 != "?" }.dropFirst()))
            try browser.follow(step)
            guard case .ask(let prompt, _) = step else { throw DeploymentError.noPage }
            return try await deployment.flows.browser.choose(
                Yahoo.id, handle: prompt.handle.secretText, cookies: browser.cookies)
        }
        try await around {
            url = try await deployment.flows.direct.begin(
                SignInRequest(
                    client: DeploymentPlan.app, provider: Yahoo.id, redirectURI: DeploymentPlan.redirectURI,
                    scopes: [], parameters: [:], flow: nil, purpose: .link), for: user
            ).authorizationURL.secretText
        } refused: {
            await expectFailure(Reason.issuedUnwatched, tells: nil) { try await press() }
        } taken: {
            _ = try await press()
        }
    }

    @Test("The ID token of an account that is to be merged is refused as the token that it is")
    func merge() async throws {
        deployment.clock.advance(by: .seconds(61))
        try await deployment.makeTwoAccounts()
        func bearer(issuedAt moment: NumericDate) throws -> Secret {
            try deployment.bearer(Person.xUID) {
                $0.claims["iat"] = .integer(moment.seconds)
                $0.claims["auth_time"] = .integer(moment.seconds)
            }
        }
        let old = try bearer(issuedAt: Self.start)
        await expectRefusal(Reason.issuedUnwatched) { try await deployment.merge(old) }
        try await deployment.expectTwoAccounts()
        let outcome = try await deployment.merge(try bearer(issuedAt: Self.start + .seconds(1)))
        #expect(outcome.mergedUID == Person.xUID)
    }
}
