import Accounts
import OAuth
import SignIn
import Stores
import Support
import Testing
import Verification

@Suite("Uses of a pending credential")
struct PendingCredentialUseTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    /// Yahoo's identity has an account; "native" wanted it.
    private func conflict(_ way: Way = .yahooIDToken, client: ClientID = DeploymentPlan.app) async throws -> Secret {
        _ = try await deployment.signIn(.yahooIDToken)
        return try await deployment.linkConflict(way, to: "native", client: client).pendingCredential
    }

    @Test("It links for the account that met the conflict, once the identity is free, and for no other")
    func link() async throws {
        let pending = try await conflict()
        let holder = try await deployment.user(Person.yahooUID)
        _ = try await deployment.corridor.link(holder, deployment.proof(.xPair, of: holder))
        _ = try await deployment.corridor.unlink(Yahoo.id, from: holder, client: nil)
        for uid in ["somebody", Person.yahooUID] {
            let user = try await deployment.user(uid)
            await #expect(throws: SignInError.pendingCredentialUnknown) {
                try await deployment.corridor.link(user, .pending(pending, of: Yahoo.id))
            }
        }
        let user = try await deployment.user("native")
        let outcome = try await deployment.corridor.link(user, .pending(pending, of: Yahoo.id))
        #expect(outcome.account.uid == "native")
        #expect(outcome.account.identities.map(\.identity) == [Person.yahoo])
    }

    @Test("While the identity is still the other account's, it ends in a conflict of its own")
    func stillTaken() async throws {
        let pending = try await conflict()
        deployment.clock.advance(by: .seconds(599))
        let user = try await deployment.user("native")
        let error = await #expect(throws: SignInError.self) {
            try await deployment.corridor.link(user, .pending(pending, of: Yahoo.id))
        }
        guard case .conflict(let conflict) = error else {
            Issue.record("No conflict.")
            return
        }
        #expect(conflict.kind == .credentialAlreadyInUse)
        await #expect(throws: SignInError.session(.replayed)) {
            try await deployment.exchange(.pending(pending), of: Yahoo.id)
        }
        // None is prolonged by another.
        deployment.clock.advance(by: .seconds(1))
        await #expect(throws: SignInError.pendingCredentialUnknown) {
            try await deployment.exchange(.pending(conflict.pendingCredential), of: Yahoo.id)
        }
    }

    @Test("Nobody reauthenticates by one, and it is not spent by that")
    func reauthentication() async throws {
        let pending = try await conflict()
        let holder = try await deployment.user(Person.yahooUID)
        await #expect(throws: SignInError.unsupportedCredential) {
            try await deployment.corridor.reauthenticate(holder, .pending(pending, of: Yahoo.id))
        }
        _ = try await deployment.exchange(.pending(pending), of: Yahoo.id)
    }

    @Test("The provider's tokens are in it where the client may have them")
    func providerTokens() async throws {
        let pending = try await conflict(.yahooCode)
        let outcome = try await deployment.exchange(.pending(pending), of: Yahoo.id)
        #expect(outcome.providerTokens?.accessToken?.secretText == Yahoo.accessToken)
        #expect(outcome.providerTokens?.refreshToken != nil)

        let other = try await conflict(.yahooCode, client: DeploymentPlan.yahooApp)
        let reloaded = try deployment.reloaded(
            clients: [DeploymentPlan.client(DeploymentPlan.yahooApp, returnsProviderTokens: true)])
        let later = try await reloaded.exchange(
            SignInRequest(client: DeploymentPlan.yahooApp, provider: Yahoo.id, credential: .pending(other)))
        // They were never in it, whatever the client may have today.
        #expect(later.providerTokens?.accessToken == nil)
    }

    @Test("A client that may no longer use the provider gets nothing for it")
    func providerDisabled() async throws {
        let pending = try await conflict()
        let clients = [DeploymentPlan.client(DeploymentPlan.app, providers: [X.id])]
        let reloaded = try deployment.reloaded(clients: clients)
        let user = try await deployment.user("native")
        await #expect(throws: SignInError.providerDisabled) {
            try await reloaded.exchange(
                SignInRequest(client: DeploymentPlan.app, provider: Yahoo.id, credential: .pending(pending)))
        }
        await #expect(throws: SignInError.providerDisabled) {
            try await reloaded.merge(
                user, MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(pending)))
        }
    }
}
