import Accounts
import Firebase
import Fixtures
import Flows
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("Faults of the account calls")
struct PendingFaultTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    private func conflict() async throws -> Secret {
        _ = try await deployment.signIn(.yahooIDToken)
        return try await deployment.linkConflict(.yahooIDToken, to: "native").pendingCredential
    }

    @Test("SR-10: A pending credential stays usable if its account cannot be read")
    func givenBack() async throws {
        let pending = try await conflict()
        deployment.store.fail(atCall: 2)
        await expectRefusal(StoreError.unavailable(.busy).refusal.unspent) {
            try await deployment.exchange(.pending(pending), of: Yahoo.id)
        }
        #expect(!deployment.store.spentKinds.contains(.pendingCredential))
        _ = try await deployment.exchange(.pending(pending), of: Yahoo.id)
    }

    @Test("SR-08: A pending credential stays spent if a commit may have happened, or if it cannot be given back")
    func kept() async throws {
        for (error, lasting) in [(StoreError.outcomeUnknown(.inputOutput), false), (.unavailable(.busy), true)] {
            let pending = try await conflict()
            deployment.store.fail(atCall: 2, with: error, lasting: lasting)
            await expectRefusal(error.refusal.spent) {
                try await deployment.exchange(.pending(pending), of: Yahoo.id)
            }
            deployment.store.recover()
            await expectRefusal(Refusal.replayed(.pendingCredential)) {
                try await deployment.exchange(.pending(pending), of: Yahoo.id)
            }
        }
    }

    @Test(
        "SR-10: If the link was not written, a credential that the provider has not spent is given back",
        arguments: [Way.yahooIDToken, .xPair])
    func link(_ way: Way) async throws {
        let user = try await deployment.user("native")
        let proof = try await deployment.proof(way, of: user)
        for call in 1...4 {
            deployment.store.fail(atCall: call)
            await #expect(throws: (any Error).self) { try await deployment.flows.accounts.link(user, proof) }
            #expect(deployment.store.spentKinds.isEmpty)
        }
        deployment.store.fail(atCall: 4)
        await expectRefusal(StoreError.unavailable(.busy).refusal.unspent) {
            try await deployment.flows.accounts.link(user, proof)
        }
        #expect(
            try await deployment.flows.accounts.link(user, proof).account.identities.map(\.identity) == [way.identity])
    }

    @Test("SR-08: A link whose outcome is unknown spends its proof, and was made")
    func linkOutcomeUnknown() async throws {
        let user = try await deployment.user("native")
        let proof = try await deployment.proof(.xPair, of: user)
        // The fourth call adopts the user.
        deployment.store.fail(atCall: 5, with: .outcomeUnknown(.inputOutput), afterwards: true)
        await expectRefusal(StoreError.outcomeUnknown(.inputOutput).refusal.spent) {
            try await deployment.flows.accounts.link(user, proof)
        }
        #expect(deployment.store.spentKinds == [.nonce])
        #expect(try await deployment.identities(of: "native") == [Person.x])
    }

    @Test("A handoff of a link that was not written can be redeemed again")
    func handoff() async throws {
        let user = try await deployment.user("native")
        let code = try await deployment.handoff(.link, for: user)
        deployment.store.fail(atCall: 4)
        await expectRefusal(StoreError.unavailable(.busy).refusal.unspent) {
            try await deployment.flows.accounts.link(user, .handoff(code))
        }
        _ = try await deployment.flows.accounts.link(user, .handoff(code))
    }

    @Test(
        "If the store does not respond, no account is changed",
        arguments: [
            (StoreError.unavailable(.busy), true), (.outcomeUnknown(.busy), false),
        ])
    func otherCalls(_ error: StoreError, _ givenBack: Bool) async throws {
        _ = try await deployment.link(.xPair, to: "native")
        let user = try await deployment.user("native")
        let refusal = error.refusal.with(isUnspent: givenBack)
        deployment.store.fail(atCall: 3, with: error)
        await expectRefusal(refusal) { try await deployment.flows.accounts.unlink(X.id, from: user, client: nil) }
        deployment.store.fail(atCall: 3, with: error)
        await expectRefusal(refusal) { try await deployment.flows.accounts.remove(user, client: nil) }
        deployment.store.fail(atCall: 1, with: error)
        await expectRefusal(error.refusal.unspent) {
            try await deployment.flows.accounts.account(of: user, client: nil)
        }
        deployment.store.fail(atCall: 1, with: error)
        await expectRefusal(refusal) {
            try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app)
        }
        #expect(try await deployment.identities(of: "native") == [Person.x])
    }

    @Test("Without randomness there is no pending credential, and no anonymous account")
    func randomness() async throws {
        _ = try await deployment.signIn(.xPair)
        let user = try await deployment.user("native")
        let proof = try await deployment.proof(.xPair, of: user)
        deployment.random.fail(atCall: 2)
        let calls = deployment.random.calls
        await expectRefusal(RandomFailure().refusal) {
            try await deployment.flows.accounts.link(user, proof)
        }
        #expect(deployment.random.calls == calls + 2)
        deployment.random.fail(atCall: 1)
        await expectRefusal(RandomFailure().refusal) {
            try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app)
        }
    }
}
