import Fixtures
import Flows
import JOSE
import Providers
import Standards
internal import Stores
import Support
import Testing

@Suite("Lifetimes of a browser flow")
struct FlowLifetimeTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    @Test("CB-06: a flow is valid for ten minutes at the callback, counted from the redirect to the provider")
    func callback() async throws {
        for (seconds, isGood) in [(599, true), (600, false), (86400, false)] {
            var browser = TestBrowser()
            try await deployment.leave(&browser)
            let answer = browser.answer(code: "\(seconds)")
            deployment.clock.advance(by: .seconds(seconds))
            if isGood {
                try deployment.scriptAnswer(to: browser)
                _ = try await deployment.flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
            } else {
                let calls = deployment.store.calls.count
                await expectFailure(Refusal.sessionExpired, tells: nil) {
                    try await deployment.flows.browser.callback(Yahoo.id, answer, cookies: browser.cookies)
                }
                #expect(deployment.store.calls.count == calls)
            }
        }
    }

    /// Presses the button of Yahoo on the page of a step after some seconds.
    private func expectChoice(
        on step: AuthorizationStep, after seconds: Int, isPossible: Bool, _ browser: inout TestBrowser
    ) async throws {
        try browser.follow(step)
        guard case .ask(let prompt, _) = step else {
            Issue.record("There is no page.")
            return
        }
        deployment.clock.advance(by: .seconds(seconds))
        let cookies = browser.cookies
        func choose() async throws -> AuthorizationStep {
            try await deployment.flows.browser.choose(
                Yahoo.id, handle: prompt.handle.secretText, cookies: cookies)
        }
        if isPossible {
            _ = try await choose()
        } else {
            await expectFailure(Refusal.sessionExpired, tells: nil) { try await choose() }
        }
    }

    @Test("The flow of a page is valid for ten minutes")
    func page() async throws {
        for (seconds, isGood) in [(599, true), (600, false)] {
            var browser = TestBrowser()
            let step = try await deployment.flows.browser.authorize(Wish.parameters(["provider": nil]))
            try await expectChoice(on: step, after: seconds, isPossible: isGood, &browser)
        }
    }

    @Test("HO-05: a handoff code is valid for a minute, and its reuse is reported for an hour")
    func handoff() async throws {
        for (seconds, error) in [(59, nil), (60, .expired), (3000, .expired)]
            as [(Int, Reason?)]
        {
            let code = try await deployment.handoffCode()
            deployment.clock.advance(by: .seconds(seconds))
            if let error {
                await expectRefusal(error) { try await deployment.redeem(code) }
            } else {
                _ = try await deployment.redeem(code)
                deployment.clock.advance(by: .seconds(3500))
                await expectRefusal(Refusal.replayed(.handoff)) { try await deployment.redeem(code) }
            }
        }
    }

    @Test("A pushed request is opened as often as a browser likes within ninety seconds, and only for its client")
    func pushedRequest() async throws {
        func path(_ pushed: PushedRequest, _ client: ClientID = DeploymentPlan.app) -> Parameters {
            Parameters([("client_id", client.text), ("request_uri", pushed.requestURI.secretText)])
        }
        for (seconds, isGood) in [(89, true), (90, false)] {
            let pushed = try await deployment.flows.browser.push(Wish.parameters())
            #expect(pushed.expiresIn == 90)
            deployment.clock.advance(by: .seconds(seconds))
            await expectFailure(.unknownRequestURI, tells: nil) {
                try await deployment.flows.browser.authorize(path(pushed, DeploymentPlan.otherApp))
            }
            for _ in 0..<3 {
                if isGood {
                    _ = try await deployment.flows.browser.authorize(path(pushed))
                } else {
                    await expectFailure(Reason.expired, tells: nil) {
                        try await deployment.flows.browser.authorize(path(pushed))
                    }
                }
            }
            #expect(deployment.store.calls.isEmpty)
        }
    }

    @Test("The end of a pushed request is recorded as long as a flow of it can still return")
    func recordOfPushedRequest() async throws {
        let pushed = try await deployment.flows.browser.push(Wish.parameters(["provider": nil]))
        let path = Parameters([
            ("client_id", DeploymentPlan.app.text), ("request_uri", pushed.requestURI.secretText),
        ])
        deployment.clock.advance(by: .seconds(89))
        var browsers = [TestBrowser(), TestBrowser()]
        var handles: [String] = []
        for index in browsers.indices {
            let step = try await deployment.flows.browser.authorize(path)
            try browsers[index].follow(step)
            if case .ask(let prompt, _) = step { handles.append(prompt.handle.secretText) }
        }
        deployment.clock.advance(by: .seconds(599))
        for (index, handle) in handles.enumerated() {
            let step = try await deployment.flows.browser.choose(
                Yahoo.id, handle: handle, cookies: browsers[index].cookies)
            try browsers[index].follow(step)
        }
        func callback(_ browser: TestBrowser, _ code: String) async throws -> AuthorizationStep {
            try deployment.scriptAnswer(to: browser)
            return try await deployment.flows.browser.callback(
                Yahoo.id, browser.answer(code: code), cookies: browser.cookies)
        }
        _ = try await callback(browsers[0], "first")
        deployment.clock.advance(by: .seconds(599))
        await expectFailure(Refusal.replayed(.pushedRequest), tells: nil) { try await callback(browsers[1], "second") }
    }

    @Test("A page before the provider that is opened late does not extend the session")
    func departure() async throws {
        for (seconds, isGood) in [(599, true), (600, false)] {
            let user = try await deployment.user("native")
            let url = try await deployment.flows.direct.begin(
                SignInRequest(
                    client: DeploymentPlan.app, provider: Yahoo.id, redirectURI: DeploymentPlan.redirectURI,
                    scopes: [], parameters: [:], flow: nil, purpose: .link), for: user
            ).authorizationURL.secretText
            deployment.clock.advance(by: .seconds(300))
            var browser = TestBrowser()
            let step = try await deployment.flows.browser.authorize(
                try Parameters.parse(url.drop { $0 != "?" }.dropFirst()))
            try await expectChoice(on: step, after: seconds - 300, isPossible: isGood, &browser)
        }
    }

    @Test("The field of a device page is valid for ten minutes")
    func deviceForm() async throws {
        for (seconds, isGood) in [(599, true), (600, false)] {
            let form = try deployment.flows.device.deviceForm(browser: nil)
            deployment.clock.advance(by: .seconds(seconds))
            let begun = try await deployment.flows.device.begin(
                Parameters([("client_id", DeploymentPlan.app.text)]))
            if isGood {
                _ = try await deployment.flows.device.findDevice(
                    begun.userCode, form: form.field, browser: form.browser.value)
            } else {
                await expectRefusal(Reason.expired) {
                    _ = try await deployment.flows.device.findDevice(
                        begun.userCode, form: form.field, browser: form.browser.value)
                }
            }
        }
    }

    @Test("A cookie that a browser would not keep is not sent; the application receives the error")
    func cookieSize() async throws {
        for (length, isGood) in [(1000, true), (4000, false)] {
            let wish = Wish.parameters(["login_hint": String(repeating: "a", count: length)])
            if isGood {
                guard case .leave(_, let cookie, _) = try await deployment.flows.browser.authorize(wish) else {
                    Issue.record("It does not leave.")
                    return
                }
                #expect(cookie.value.secretText.utf8.count <= 3800)
            } else {
                await expectFailure(.requestTooLarge, tells: DeploymentPlan.redirectURI) {
                    try await deployment.flows.browser.authorize(wish)
                }
            }
        }
    }

    @Test("If the random source fails, no flow begins and no code is issued")
    func randomness() async throws {
        for call in 1...3 {
            let deployment = try Deployment()
            deployment.random.fail(atCall: call)
            await expectFailure(RandomFailure().refusal, tells: DeploymentPlan.redirectURI) {
                try await deployment.flows.browser.authorize(Wish.parameters())
            }
        }
        var browser = TestBrowser()
        try await deployment.leave(&browser)
        deployment.random.fail(atCall: 1)
        await expectFailure(RandomFailure().refusal, tells: DeploymentPlan.redirectURI) {
            try await deployment.flows.browser.callback(Yahoo.id, browser.answer(), cookies: browser.cookies)
        }
        deployment.random.fail(atCall: 1)
        await expectRefusal(RandomFailure().refusal) {
            try await deployment.flows.browser.push(Wish.parameters())
        }
        deployment.random.fail(atCall: 1)
        await expectRefusal(RandomFailure().refusal) {
            _ = try await deployment.flows.device.begin(Parameters([("client_id", DeploymentPlan.app.text)]))
        }
        deployment.random.fail(atCall: 1)
        expectImmediateRefusal(RandomFailure().refusal) { try deployment.flows.device.deviceForm(browser: nil) }
    }
}
