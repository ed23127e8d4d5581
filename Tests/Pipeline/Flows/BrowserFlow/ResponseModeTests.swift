import Accounts
import Flows
import Providers
import Standards
import Support
import Testing

@Suite("Response modes of a browser flow")
struct ResponseModeTests {
    private static let registered = DeploymentPlan.redirectURI

    /// The app with these origins, in place of the one of every test.
    private func clients(origins: Set<String>) -> [RegisteredClient] {
        let app = DeploymentPlan.client(DeploymentPlan.app)
        let changed = RegisteredClient(
            id: app.id, name: app.name, redirectURIs: app.redirectURIs,
            providerRedirectURIs: app.providerRedirectURIs, providers: app.providers, origins: origins,
            grants: app.grants, returnsProviderTokens: app.returnsProviderTokens, tokenLifetime: app.tokenLifetime)
        return DeploymentPlan.clientsOfEveryTest.filter { $0.id != app.id } + [changed]
    }

    private func finish(
        _ mode: String, in flows: FlowSet? = nil, of deployment: Deployment
    ) async throws -> AuthorizationStep {
        var browser = TestBrowser()
        try await deployment.leave(&browser, ["response_mode": mode])
        let answer = browser.answer(code: try deployment.random.source.unguessableText())
        return try await (flows ?? deployment.flows).browser.callback(Yahoo.id, answer, cookies: browser.cookies)
    }

    @Test("The flow ends with a page for the origin of the redirect URI only")
    func pages() async throws {
        let deployment = try Deployment()
        for (mode, way) in [
            ("form_post", ResponsePage.Way.form(action: Self.registered)), ("web_message", .message),
        ] {
            guard case .deliver(let page, _) = try await finish(mode, of: deployment)
            else { throw DeploymentError.noPage }
            #expect(page.way == way)
            #expect(page.origin == RedirectURI.origin(of: Self.registered))
            #expect(page.parameters.map(\.name) == ["code", "state", "iss"])
            let outcome = try await deployment.redeem(page.parameters[0].value)
            #expect(outcome.account.uid == Way.yahooCallback.uid)
        }
    }

    @Test("web_message needs the origin of the redirect URI among the client's, exactly")
    func origins() async throws {
        let deployment = try Deployment()
        let origin = try #require(RedirectURI.origin(of: Self.registered))
        for origins in [[], [origin + ":8443"], [origin + "/"], ["https://evil.example"], ["*"]] as [Set<String>] {
            let flows = try deployment.reloaded(clients: clients(origins: origins))
            await expectFailure(.responseModeNotAllowed, tells: Self.registered) {
                try await flows.browser.authorize(Wish.parameters(["response_mode": "web_message"]))
            }
            _ = try await flows.browser.authorize(Wish.parameters(["response_mode": "form_post"]))
        }
        let flows = try deployment.reloaded(clients: clients(origins: [origin]))
        _ = try await flows.browser.authorize(Wish.parameters(["response_mode": "web_message"]))
    }

    @Test("An origin that the client lost since the flow began gets neither a code nor an error")
    func lostOrigin() async throws {
        let deployment = try Deployment()
        let flows = try deployment.reloaded(clients: clients(origins: []))
        await expectFailure(.responseModeNotAllowed, tells: nil) {
            try await finish("web_message", in: flows, of: deployment)
        }
        guard case .deliver = try await finish("form_post", in: flows, of: deployment)
        else { throw DeploymentError.noPage }
    }

    @Test(
        "form_post needs an origin that a content security policy can name",
        arguments: [
            ("https://[2001:db8::1]/cb", "form_post"), ("http://[::1]:51004/cb", "form_post"),
            ("com.example.app:/cb", "form_post"), ("com.example.app:/cb", "web_message"),
        ])
    func policy(_ uri: String, _ mode: String) async throws {
        let deployment = try Deployment()
        let client = DeploymentPlan.client(DeploymentPlan.app, redirectURIs: [uri])
        let flows = try deployment.reloaded(clients: [client])
        let failure = await failure {
            _ = try await flows.browser.authorize(Wish.parameters(["redirect_uri": uri, "response_mode": mode]))
        }
        #expect(failure?.error == .responseModeNotAllowed)
        #expect(failure?.returnAddress?.mode == .query, "There is no other way to say it.")
    }
}
