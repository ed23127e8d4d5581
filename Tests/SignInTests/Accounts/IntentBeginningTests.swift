import Accounts
import Firebase
import OAuth
import SignIn
import Stores
import Support
import Testing

@Suite("Beginnings with an intent")
struct IntentBeginningTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    @Test("A flow with a purpose begins for somebody, or not at all")
    func nobody() async throws {
        for purpose in [AccountIntent.Purpose.link, .reauthenticate] {
            await #expect(throws: SignInError.bearer(.missing)) {
                try await deployment.begin(Yahoo.id, purpose: purpose)
            }
            await #expect(throws: SignInError.bearer(.missing)) {
                try await deployment.corridor.push(Wish.parameters(["intent": purpose.rawValue]))
            }
        }
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("A flow without a purpose asks for nobody")
    func plain() async throws {
        let user = try await deployment.user("native")
        _ = try await deployment.begin(Yahoo.id, for: user)
        _ = try await deployment.corridor.push(Wish.parameters(), for: user)
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("Nothing begins for an account that is gone, disabled, or another tenant's")
    func refusedCallers() async throws {
        let deployment = try Deployment { plan in
            plan.clients.append(DeploymentPlan.client(ClientID("tenant"), tenantID: "tenant-1"))
        }
        let user = try await deployment.user("native")
        await #expect(throws: SignInError.bearer(.idToken(.tenantMismatch))) {
            try await deployment.begin(Yahoo.id, client: ClientID("tenant"), purpose: .link, for: user)
        }
        _ = try await deployment.begin(Yahoo.id, purpose: .link, for: user)
        #expect(try await deployment.store.setDisabled(true, uid: "native"))
        await #expect(throws: SignInError.account(.disabled, givenBack: true)) {
            try await deployment.begin(Yahoo.id, purpose: .link, for: user)
        }
        _ = try await deployment.store.retire(uid: "native", at: deployment.clock.now)
        await #expect(throws: SignInError.bearer(.gone)) {
            try await deployment.corridor.push(Wish.parameters(["intent": "link"]), for: user)
        }
    }

    @Test("A purpose that is none, and one outside of a pushed request, is refused")
    func malformed() async throws {
        let user = try await deployment.user("native")
        await #expect(throws: SignInError.parameterMalformed("intent")) {
            try await deployment.corridor.push(Wish.parameters(["intent": "unlink"]), for: user)
        }
        await expectFailure(.parameterNotAllowed("intent"), tells: DeploymentPlan.redirectURI) {
            try await deployment.corridor.authorize(Wish.parameters(["intent": "link"]))
        }
    }
}
