import Accounts
import Firebase
import Fixtures
import Flows
import Minting
import SecondFactors
import Standards
import Stores
import Support
import Synchronization
import Testing
import Transport

/// What calls record for the audit trail while they run.
final class Journal: Sendable {
    private let kept = Mutex<(facts: [AuditFact], concerned: [String])>(([], []))

    var facts: [AuditFact] { kept.withLock { $0.facts } }
    /// The accounts and providers that calls were about.
    var concerned: [String] { kept.withLock { $0.concerned } }

    func keep<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async throws -> Value {
        let journal = AuditJournal { fact in
            self.kept.withLock { $0.facts.append(fact) }
        } concern: { uid, provider in
            self.kept.withLock { $0.concerned.append("\(uid) at \(provider.text)") }
        }
        return try await AuditJournal.$current.withValue(journal) { try await body() }
    }
}

@Suite("What was committed is recorded, whatever follows")
struct AuditJournalTests {
    private let journal = Journal()

    /// Expects that a call fails after it has committed these operations.
    private func expect(
        _ operations: [AuditFact.Operation], then error: Refusal, _ body: () async throws -> Void
    ) async {
        await expectRefusal(error) { try await journal.keep(body) }
        #expect(journal.facts.map(\.operation) == operations)
    }

    private func redeeming() throws -> Deployment {
        let deployment = try Deployment { plan in
            plan.clients.append(DeploymentPlan.client(Self.sessionClient, returnsFirebaseSession: true))
        }
        deployment.peer.script(.post, Google.redemption, .status(500))
        return deployment
    }

    private static let sessionClient = ClientID("firebaseSessions")
    private static let notRedeemed = IdentityToolkitError.unavailable(status: 500).refusal.spent

    @Test("A link whose token Firebase does not redeem")
    func link() async throws {
        let deployment = try redeeming()
        let uid = try await deployment.signIn(.yahooIDToken).account.uid
        await expect([.link], then: Self.notRedeemed) {
            _ = try await deployment.link(.xPair, to: uid, client: Self.sessionClient)
        }
        #expect(journal.facts.first?.provider == X.id)
        #expect(try await deployment.identities(of: uid)?.count == 2)
    }

    @Test("A merge whose token Firebase does not redeem", arguments: [false, true])
    func merge(isPending: Bool) async throws {
        let deployment = try redeeming()
        try await deployment.makeTwoAccounts()
        let user = try await deployment.user(Person.yahooUID)
        let proof: MergeRequest.Proof =
            isPending
            ? .pendingCredential(
                try await deployment.linkConflict(.xPair, to: Person.yahooUID, client: Self.sessionClient)
                    .pendingCredential)
            : .idToken(try deployment.bearer(Person.xUID))
        await expect([.merge], then: Self.notRedeemed) {
            _ = try await deployment.flows.accounts.merge(user, MergeRequest(client: Self.sessionClient, proof: proof))
        }
        #expect(journal.facts.first?.mergedUID == Person.xUID)
        #expect(try await deployment.identities(of: Person.xUID) == nil)
    }

    @Test("A new account whose token the hook of the sign-in refuses, or Firebase does not redeem")
    func creation() async throws {
        let hooked = try Deployment.hooked([.beforeSignIn])
        hooked.script(.beforeSignIn, #"{"deny": {}}"#)
        await expect([.create], then: .blockedByHook(message: nil, by: .beforeSignIn)) {
            _ = try await hooked.signIn(.yahooIDToken)
        }
        let fact = try #require(journal.facts.first)
        #expect(fact.uid == Person.yahooUID && fact.provider == Yahoo.id && fact.audienceProof == .idTokenAudience)
    }

    @Test("A new anonymous account whose token Firebase does not redeem")
    func anonymous() async throws {
        let deployment = try redeeming()
        await expect([.create], then: Self.notRedeemed) {
            _ = try await deployment.flows.direct.signInAnonymously(client: Self.sessionClient)
        }
        let uid = try #require(journal.facts.first?.uid)
        #expect(try await deployment.identities(of: uid) == [])
    }

    @Test("A Firebase user who was deleted, or whose sessions were ended, before the store failed")
    func removal() async throws {
        for (status, operation) in [(200, AuditFact.Operation.deleteUser), (403, .signOut)] {
            let deployment = try Deployment { $0.asksGoogle = true }
            let uid = try await deployment.signIn(.yahooIDToken).account.uid
            deployment.scriptLookup([uid: [:]])
            deployment.peer.script(.post, Google.delete, .json("{}", status: status))
            deployment.peer.script(.post, Google.update, .json("{}"))
            let user = try await deployment.user(uid)
            let journal = Journal()
            deployment.store.fail(atCall: 3, lasting: true)
            await #expect(throws: (any Error).self) {
                try await journal.keep { _ = try await deployment.flows.accounts.remove(user, client: nil) }
            }
            #expect(journal.facts.map(\.operation) == [operation])
            deployment.store.recover()
            #expect(try await deployment.identities(of: uid) != nil)
        }
    }

    @Test("Sessions that were ended before the provider refused to revoke its token")
    func signOut() async throws {
        let deployment = try Deployment { $0.asksGoogle = true }
        deployment.scriptLookup(["native": [:]])
        deployment.peer.script(.post, Google.update, .json("{}"))
        deployment.peer.script(.post, Yahoo.issuer + "/oauth2/revoke", .status(503))
        let user = try await deployment.user("native")
        await #expect(throws: (any Error).self) {
            try await journal.keep {
                _ = try await deployment.flows.accounts.signOut(
                    user, client: nil, revoking: (Yahoo.id, Secret("token")))
            }
        }
        #expect(journal.facts.map(\.operation) == [.signOut])
    }

    @Test("A wrong code names the account and the provider as soon as its handle has opened")
    func wrongCode() async throws {
        let deployment = try Deployment()
        _ = try await deployment.signIn(.yahooIDToken)
        let authenticator = try await deployment.enroll(Person.yahooUID)
        let handle = try await deployment.challenge(.yahooIDToken)
        await expectRefusal(Refusal.invalidCode) {
            try await journal.keep { _ = try await deployment.prove(authenticator.wrongCode(), handle) }
        }
        #expect(journal.concerned == ["\(Person.yahooUID) at yahoo.com"] && journal.facts.isEmpty)
        await expectRefusal(Refusal.unknownPendingCredential) {
            try await journal.keep { _ = try await deployment.prove(authenticator.code(), Secret("invented")) }
        }
        #expect(journal.concerned.count == 1)
    }
}
