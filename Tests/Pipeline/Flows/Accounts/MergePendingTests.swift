import Accounts
import Firebase
import Fixtures
import Flows
import Standards
import Stores
import Support
import Testing

@Suite("Merging by a pending credential")
struct MergePendingTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    /// X's account wanted Yahoo's identity, which has an account of its own.
    private func pending() async throws -> Secret {
        _ = try await deployment.signIn(.yahooIDToken)
        _ = try await deployment.signIn(.xPair)
        return try await deployment.linkConflict(.yahooIDToken, to: Person.xUID).pendingCredential
    }

    private func merge(
        _ pending: Secret, for uid: UID = Person.xUID, client: ClientID = DeploymentPlan.app,
        signedIn seconds: Int64 = 100
    ) async throws -> MergeOutcome {
        try await deployment.flows.accounts.merge(
            deployment.user(uid, signedIn: seconds), MergeRequest(client: client, proof: .pendingCredential(pending)))
    }

    @Test("The account that met the conflict takes over the identities of the account with the identity")
    func baseline() async throws {
        let outcome = try await merge(pending())
        #expect(outcome.account.uid == Person.xUID)
        #expect(outcome.mergedUID == Person.yahooUID)
        #expect(Set(outcome.account.identities.map(\.identity)) == [Person.yahoo, Person.x])
        let merged = try await deployment.user(Person.yahooUID)
        await expectRefusal(Refusal.accountGone) {
            try await deployment.flows.accounts.account(of: merged, client: nil)
        }
        #expect(try await deployment.signIn(.yahooIDToken).account.uid == Person.xUID)
    }

    @Test("A pending credential merges nothing if its identity has no account any longer, or belongs to the caller")
    func moved() async throws {
        let pending = try await pending()
        _ = try await deployment.store.retire(uid: Person.yahooUID, at: deployment.clock.now)
        await expectRefusal(Refusal.pendingCredentialExpired.unspent) { try await merge(pending) }
        _ = try await deployment.link(.yahooIDToken, to: Person.xUID)
        // It is not spent by that, and says the same each time.
        await expectRefusal(Refusal.pendingCredentialExpired.unspent) { try await merge(pending) }
        #expect(try await deployment.identities(of: Person.xUID)?.count == 2)
    }

    @Test("After the identity was linked to a third account, the pending credential merges nothing")
    func thirdAccount() async throws {
        let pending = try await pending()
        let holder = try await deployment.user(Person.yahooUID)
        _ = try await deployment.link(.genericCode, to: Person.yahooUID)
        _ = try await deployment.flows.accounts.unlink(Yahoo.id, from: holder, client: nil)
        _ = try await deployment.link(.yahooIDToken, to: "third")
        await expectRefusal(Refusal.pendingCredentialExpired.unspent) { try await merge(pending) }
        #expect(try await deployment.identities(of: "third") == [Person.yahoo])
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.generic])
        #expect(try await deployment.identities(of: Person.xUID) == [Person.x])
    }

    @Test("Another account, another client, and a request after ten minutes are refused")
    func foreign() async throws {
        let pending = try await pending()
        for uid: UID in ["attacker", Person.yahooUID] {
            await expectRefusal(Refusal.unknownPendingCredential) { try await merge(pending, for: uid) }
        }
        await expectRefusal(Refusal.unknownPendingCredential) {
            try await merge(pending, client: DeploymentPlan.otherApp)
        }
        await expectRefusal(Reason.unknownClient) { try await merge(pending, client: ClientID("nobody")) }
        #expect(!deployment.store.spentKinds.contains(.pendingCredential))
        deployment.clock.advance(by: .seconds(600))
        await expectRefusal(Refusal.pendingCredentialExpired) { try await merge(pending) }
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])
    }

    @Test("LK-05: It needs a recent sign-in")
    func stale() async throws {
        let pending = try await pending()
        await expectRefusal(Reason.requiresRecentLogin) { try await merge(pending, signedIn: 301) }
        #expect(!deployment.store.spentKinds.contains(.pendingCredential))
        _ = try await merge(pending, signedIn: 300)
    }

    @Test("It merges once")
    func replay() async throws {
        let pending = try await pending()
        _ = try await merge(pending)
        await expectRefusal(Refusal.replayed(.pendingCredential)) { try await merge(pending) }
    }

    @Test("A refused merge gives the pending credential back, and changes nothing")
    func refused() async throws {
        let pending = try await pending()
        #expect(try await deployment.store.setDisabled(true, uid: Person.yahooUID))
        await expectRefusal(Refusal.userDisabled) { try await merge(pending) }
        #expect(try await deployment.store.setDisabled(false, uid: Person.yahooUID))

        let holder = try await deployment.user(Person.yahooUID)
        let second = try await deployment.store.link(
            IncomingIdentity(
                identity: ExternalIdentity(provider: X.id, subject: "1"), details: IdentityDetails(), email: nil),
            to: Person.yahooUID, at: deployment.clock.now)
        guard case .linked = second else {
            Issue.record("Not linked.")
            return
        }
        await expectRefusal(Refusal.providerAlreadyLinked) {
            try await merge(pending)
        }
        #expect(try await deployment.identities(of: Person.yahooUID)?.count == 2)
        #expect(try await deployment.identities(of: Person.xUID) == [Person.x])

        _ = try await deployment.flows.accounts.unlink(X.id, from: holder, client: nil)
        _ = try await merge(pending)
    }

    @Test("A holder with a way in that cannot be moved stays")
    func otherSignInMethod() async throws {
        _ = try await deployment.link(.yahooIDToken, to: "native")
        _ = try await deployment.signIn(.xPair)
        let pending = try await deployment.linkConflict(.yahooIDToken, to: Person.xUID).pendingCredential
        await expectRefusal(Refusal.otherSignInMethod) {
            try await merge(pending)
        }
        #expect(try await deployment.identities(of: "native") == [Person.yahoo])
    }

    @Test("A merge that was not written gives it back, one that may have been does not")
    func faults() async throws {
        let pending = try await pending()
        for call in [4, 6] {
            deployment.store.fail(atCall: call)
            await expectRefusal(StoreError.unavailable(.busy).refusal.unspent) {
                try await merge(pending)
            }
        }
        deployment.store.fail(atCall: 6, with: .outcomeUnknown(.busy), afterwards: true)
        await expectRefusal(StoreError.outcomeUnknown(.busy).refusal.spent) {
            try await merge(pending)
        }
        await expectRefusal(Refusal.replayed(.pendingCredential)) { try await merge(pending) }
    }
}
