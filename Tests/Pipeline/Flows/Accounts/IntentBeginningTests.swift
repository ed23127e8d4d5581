import Accounts
import Firebase
import Fixtures
import Flows
import Jansson
import Standards
import Stores
import Support
import Testing
import Transport

@Suite("Beginnings with an intent")
struct IntentBeginningTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    @Test("A flow with a purpose requires a user")
    func nobody() async throws {
        for purpose in [AccountIntent.Purpose.link, .reauthenticate] {
            await expectRefusal(Reason.idTokenMissing) {
                try await deployment.begin(Yahoo.id, purpose: purpose)
            }
            await expectRefusal(Reason.idTokenMissing) {
                try await deployment.flows.browser.push(Wish.parameters(["intent": purpose.rawValue]))
            }
        }
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("A flow without a purpose ignores the bearer token")
    func plain() async throws {
        let user = try await deployment.user("native")
        _ = try await deployment.begin(Yahoo.id, for: user)
        _ = try await deployment.flows.browser.push(Wish.parameters(), for: user)
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("No flow begins for an account that is deleted, disabled, or of another tenant")
    func refusedCallers() async throws {
        let deployment = try Deployment { plan in
            plan.clients.append(DeploymentPlan.client(ClientID("tenant"), tenantID: "tenant-1"))
        }
        let user = try await deployment.user("native")
        await expectRefusal(FirebaseTokenError.tenantMismatch(found: nil, expected: ["tenant-1"]).refusal) {
            try await deployment.begin(Yahoo.id, client: ClientID("tenant"), purpose: .link, for: user)
        }
        _ = try await deployment.begin(Yahoo.id, purpose: .link, for: user)
        #expect(try await deployment.store.account(uid: "native") == nil, "Beginning a flow adopts no user.")
        _ = try await deployment.store.account(
            of: FirebaseCaller(uid: "native", isAnonymous: false, email: nil), at: deployment.clock.now)
        #expect(try await deployment.store.setDisabled(true, uid: "native"))
        await expectRefusal(Refusal.userDisabled) {
            try await deployment.begin(Yahoo.id, purpose: .link, for: user)
        }
        _ = try await deployment.store.retire(uid: "native", at: deployment.clock.now)
        await expectRefusal(Refusal.accountGone) {
            try await deployment.flows.browser.push(Wish.parameters(["intent": "link"]), for: user)
        }
    }

    private func beginnings(
        _ purpose: AccountIntent.Purpose, for user: FirebaseUser
    ) -> [@Sendable () async throws -> Void] {
        [
            { [deployment] in _ = try await deployment.begin(Yahoo.id, purpose: purpose, for: user) },
            { [deployment] in
                _ = try await deployment.flows.browser.push(
                    Wish.parameters(["intent": purpose.rawValue]), for: user)
            },
        ]
    }

    @Test("An old session does not begin to link, and begins to reauthenticate")
    func recentLogin() async throws {
        let old = try await deployment.user("native", signedIn: 301)
        let requests = deployment.peer.requests.count
        for begin in beginnings(.link, for: old) {
            await expectRefusal(Reason.requiresRecentLogin) { try await begin() }
        }
        #expect(deployment.peer.requests.count == requests)
        for begin in beginnings(.reauthenticate, for: old) { try await begin() }
        let recent = try await deployment.user("native", signedIn: 300)
        for begin in beginnings(.link, for: recent) { try await begin() }
    }

    @Test("An old session of an anonymous account begins to link")
    func anonymous() async throws {
        let uid = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        let old = try await deployment.user(uid, signedIn: 301)
        for begin in beginnings(.link, for: old) { try await begin() }
    }

    @Test("A session that has not proven the second factor does not begin to link")
    func secondFactor() async throws {
        _ = try await deployment.signIn(.yahooIDToken)
        _ = try await deployment.enroll(Person.yahooUID)
        let user = try await deployment.user(Person.yahooUID)
        for begin in beginnings(.link, for: user) {
            await expectRefusal(Reason.secondFactorRequired) { try await begin() }
        }
        let proven = try await deployment.proven(Person.yahooUID)
        for begin in beginnings(.link, for: proven) { try await begin() }
    }

    /// The prompt of the page before the provider, and a press of its "cancel" or of its button.
    private func prompt(
        in deployment: Deployment, _ provider: ProviderID, for user: FirebaseUser, parameters: [String: String] = [:]
    ) async throws -> (begun: BegunSignIn, prompt: SignInPrompt, cookies: FlowCookies) {
        let begun = try await deployment.flows.direct.begin(
            SignInRequest(
                client: DeploymentPlan.app, provider: provider, redirectURI: DeploymentPlan.redirectURI, scopes: [],
                parameters: parameters, flow: nil, purpose: .link), for: user)
        let step = try await deployment.flows.browser.authorize(
            try Parameters.parse(begun.authorizationURL.secretText.drop { $0 != "?" }.dropFirst()))
        guard case .ask(let prompt, let cookie) = step else { throw DeploymentError.noPage }
        return (begun, prompt, [cookie.name: cookie.value])
    }

    @Test("RFC 9207: after \"cancel\" on the page, the redirect contains the issuer that the session expects")
    func issuer() async throws {
        let member = "authorization_response_iss_parameter_supported"
        deployment.peer.script(.get, Generic.metadata, .json(Generic.metadataText(changing: [member: "true"])))
        let user = try await deployment.user("native")
        let (begun, prompt, cookies) = try await prompt(in: deployment, Generic.id, for: user)
        let step = try await deployment.flows.browser.choose(nil, handle: prompt.handle.secretText, cookies: cookies)
        guard case .finish(let url, _) = step else { throw DeploymentError.noPage }
        let proof = AccountProof.credential(
            ExchangeRequest(
                client: DeploymentPlan.app, provider: Generic.id,
                credential: .callback(session: begun.session, callbackURL: url)))
        await expectRefusal(ProviderRefusal.accessDenied.refusal) {
            try await deployment.flows.accounts.link(user, proof)
        }
    }

    @Test("A page fits into its URL and its cookie: a name is cut, and a request that is too long is refused")
    func size() async throws {
        let uid = try await deployment.exchange(
            deployment.yahooIDToken {
                $0.claims["email"] = nil
                $0.claims["name"] = .string(String(repeating: "n", count: 300))
            }, of: Yahoo.id
        ).account.uid
        let user = try await deployment.user(uid)
        let (_, prompt, _) = try await prompt(in: deployment, Generic.id, for: user)
        #expect(prompt.account?.name.person == String(repeating: "n", count: 120))
        await expectRefusal(Refusal.requestTooLarge) {
            let hint = ["login_hint": String(repeating: "h", count: 4000)]
            _ = try await self.prompt(in: deployment, Generic.id, for: user, parameters: hint)
        }
    }

    @Test("A purpose that is none, and one outside of a pushed request, is refused")
    func malformed() async throws {
        let user = try await deployment.user("native")
        await expectRefusal(Refusal.parameterMalformed("intent", "is neither link nor reauthenticate")) {
            try await deployment.flows.browser.push(Wish.parameters(["intent": "unlink"]), for: user)
        }
        await expectFailure(.parameterNotAllowed("intent"), tells: DeploymentPlan.redirectURI) {
            try await deployment.flows.browser.authorize(Wish.parameters(["intent": "link"]))
        }
    }
}
