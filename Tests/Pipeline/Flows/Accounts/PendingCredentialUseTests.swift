import Accounts
import Fixtures
import Flows
import Standards
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

    @Test("If the identity has been unlinked, the pending credential is refused, and creates no account")
    func free() async throws {
        let pending = try await conflict()
        let holder = try await deployment.user(Person.yahooUID)
        _ = try await deployment.flows.accounts.link(holder, deployment.proof(.xPair, of: holder))
        _ = try await deployment.flows.accounts.unlink(Yahoo.id, from: holder, client: nil)
        for uid: UID in ["somebody", Person.yahooUID] {
            let user = try await deployment.user(uid)
            await expectRefusal(Refusal.unknownPendingCredential) {
                try await deployment.flows.accounts.link(user, .pending(pending, of: Yahoo.id))
            }
        }
        let user = try await deployment.user("native")
        for _ in 0..<2 {
            await expectRefusal(Refusal.pendingCredentialExpired.unspent) {
                try await deployment.flows.accounts.link(user, .pending(pending, of: Yahoo.id))
            }
            await expectRefusal(Refusal.pendingCredentialExpired.unspent) {
                try await deployment.exchange(.pending(pending), of: Yahoo.id)
            }
        }
        #expect(try await deployment.store.account(of: Person.yahoo) == nil)
        #expect(try await deployment.identities(of: "native") == [])
    }

    @Test("If the identity was linked to another account, the pending credential does not sign in")
    func moved() async throws {
        let pending = try await conflict()
        let holder = try await deployment.user(Person.yahooUID)
        _ = try await deployment.flows.accounts.link(holder, deployment.proof(.xPair, of: holder))
        _ = try await deployment.flows.accounts.unlink(Yahoo.id, from: holder, client: nil)
        _ = try await deployment.link(.yahooIDToken, to: "third")
        await expectRefusal(Refusal.pendingCredentialExpired.unspent) {
            try await deployment.exchange(.pending(pending), of: Yahoo.id)
        }
        let user = try await deployment.user("native")
        await expectRefusal(Refusal.pendingCredentialExpired.unspent) {
            try await deployment.flows.accounts.link(user, .pending(pending, of: Yahoo.id))
        }
    }

    @Test("LK-09: From a flow that was begun to link, by whichever way, it merges and never signs in")
    func flows() async throws {
        _ = try await deployment.signIn(.yahooIDToken)
        let user = try await deployment.user("native")
        let byHandoff = try await deployment.conflict {
            let code = try await deployment.handoff(.link, for: user)
            _ = try await deployment.flows.accounts.link(user, .handoff(code))
        }
        let bySession = try await deployment.linkConflict(.yahooCallback, to: "native")
        for pending in [byHandoff.pendingCredential, bySession.pendingCredential] {
            await expectRefusal(Refusal.otherUse) {
                try await deployment.exchange(.pending(pending), of: Yahoo.id)
            }
            await expectRefusal(Refusal.otherUse) {
                try await deployment.flows.accounts.reauthenticate(user, .pending(pending, of: Yahoo.id))
            }
        }
        // What a second conflict gives is good for no more than the first.
        let error = await refusal {
            try await deployment.flows.accounts.link(user, .pending(byHandoff.pendingCredential, of: Yahoo.id))
        }
        #expect(error?.description.contains("/v1/account/merge") == true)
        #expect(error?.description.contains("/v1/exchange") == false)
        let again = try await deployment.conflict {
            _ = try await deployment.flows.accounts.link(user, .pending(bySession.pendingCredential, of: Yahoo.id))
        }
        await expectRefusal(Refusal.otherUse) {
            try await deployment.exchange(.pending(again.pendingCredential), of: Yahoo.id)
        }
        let merged = try await deployment.flows.accounts.merge(
            user, MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(again.pendingCredential)))
        #expect(merged.account.uid == "native" && merged.mergedUID == Person.yahooUID)
    }

    @Test("While the identity is still the other account's, it ends in a conflict of its own")
    func stillTaken() async throws {
        let pending = try await conflict()
        deployment.clock.advance(by: .seconds(599))
        let user = try await deployment.user("native")
        let error = await refusal {
            try await deployment.flows.accounts.link(user, .pending(pending, of: Yahoo.id))
        }
        guard case .pending(let conflict)? = error?.detail else {
            Issue.record("No conflict.")
            return
        }
        #expect(conflict.kind == .credentialAlreadyInUse(by: Person.yahooUID))
        await expectRefusal(Refusal.replayed(.pendingCredential)) {
            try await deployment.exchange(.pending(pending), of: Yahoo.id)
        }
        // None is prolonged by another.
        deployment.clock.advance(by: .seconds(1))
        await expectRefusal(Refusal.pendingCredentialExpired) {
            try await deployment.exchange(.pending(conflict.pendingCredential), of: Yahoo.id)
        }
    }

    @Test("A pending credential cannot reauthenticate, and the attempt does not spend it")
    func reauthentication() async throws {
        let pending = try await conflict()
        let holder = try await deployment.user(Person.yahooUID)
        await expectRefusal(Refusal.otherUse) {
            try await deployment.flows.accounts.reauthenticate(holder, .pending(pending, of: Yahoo.id))
        }
        _ = try await deployment.exchange(.pending(pending), of: Yahoo.id)
    }

    @Test("A pending credential contains the provider's tokens if the client may receive them")
    func providerTokens() async throws {
        let pending = try await conflict(.yahooCode)
        let outcome = try await deployment.exchange(.pending(pending), of: Yahoo.id)
        #expect(outcome.providerTokens?.accessToken?.secretText == Yahoo.accessToken)
        #expect(outcome.providerTokens?.refreshToken != nil)

        let other = try await conflict(.yahooCode, client: DeploymentPlan.yahooApp)
        let reloaded = try deployment.reloaded(
            clients: [DeploymentPlan.client(DeploymentPlan.yahooApp, returnsProviderTokens: true)])
        let later = try await reloaded.direct.exchange(
            ExchangeRequest(client: DeploymentPlan.yahooApp, provider: Yahoo.id, credential: .pending(other)))
        // They were never in it, whatever the client may have today.
        #expect(later.providerTokens?.accessToken == nil)
    }

    @Test("A client that may no longer use the provider gets nothing for it")
    func providerDisabled() async throws {
        let pending = try await conflict()
        let clients = [DeploymentPlan.client(DeploymentPlan.app, providers: [X.id])]
        let reloaded = try deployment.reloaded(clients: clients)
        let user = try await deployment.user("native")
        await expectRefusal(Reason.providerDisabled) {
            try await reloaded.direct.exchange(
                ExchangeRequest(client: DeploymentPlan.app, provider: Yahoo.id, credential: .pending(pending)))
        }
        await expectRefusal(Reason.providerDisabled) {
            try await reloaded.accounts.merge(
                user, MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(pending)))
        }
    }
}
