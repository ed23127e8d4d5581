import Accounts
import Fixtures
import Flows
import Jansson
import Standards
import Stores
import Support
import Testing

@Suite("Conflicts of an address")
struct EmailConflictTests {
    @Test("The pending credential links only to an account that the conflict names")
    func pending() async throws {
        let deployment = try await Deployment.ofAnn()
        let pending = try await deployment.emailConflict().pendingCredential
        let owner = try await deployment.user(Person.yahooUID)
        let stranger = try await deployment.user("native")

        await expectRefusal(Refusal.otherUse) {
            try await deployment.exchange(.pending(pending), of: Generic.id)
        }
        await expectRefusal(Refusal.unknownPendingCredential) {
            try await deployment.flows.accounts.link(stranger, .pending(pending, of: Generic.id))
        }
        await expectRefusal(Refusal.otherUse) {
            try await deployment.flows.accounts.merge(
                owner, MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(pending)))
        }
        await expectRefusal(Refusal.otherUse) {
            try await deployment.flows.accounts.reauthenticate(owner, .pending(pending, of: Generic.id))
        }
        let linked = try await deployment.flows.accounts.link(owner, .pending(pending, of: Generic.id))
        #expect(linked.account.uid == Person.yahooUID)
        #expect(Set(linked.account.identities.map(\.identity)) == [Person.yahoo, Person.generic])
        let later = try await deployment.exchange(deployment.namesake(), of: Generic.id)
        #expect(later.account.uid == Person.yahooUID)
    }

    @Test("LK-05: Linking it needs a recent sign-in as well")
    func staleLink() async throws {
        let deployment = try await Deployment.ofAnn()
        let pending = try await deployment.emailConflict().pendingCredential
        let late = try await deployment.user(Person.yahooUID, signedIn: 301)
        await expectRefusal(Reason.requiresRecentLogin) {
            try await deployment.flows.accounts.link(late, .pending(pending, of: Generic.id))
        }
        #expect(!deployment.store.spentKinds.contains(.pendingCredential))
    }

    @Test("A credential that ended in the conflict is spent")
    func spent() async throws {
        let deployment = try await Deployment.ofAnn()
        let credential = try deployment.namesake()
        await #expect(throws: (any Error).self) { try await deployment.exchange(credential, of: Generic.id) }
        await expectRefusal(SignInTests.replay(of: credential)) {
            try await deployment.exchange(credential, of: Generic.id)
        }
    }
}
