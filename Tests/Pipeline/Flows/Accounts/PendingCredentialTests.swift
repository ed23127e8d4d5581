import Accounts
import Fixtures
import Flows
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("Pending credentials of a link")
struct PendingCredentialTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    /// Yahoo's identity has an account; "native" wanted it.
    private func conflict() async throws -> Secret {
        _ = try await deployment.signIn(.yahooIDToken)
        return try await deployment.linkConflict(.yahooIDToken, to: "native").pendingCredential
    }

    @Test(
        "A pending credential signs in as the account with the identity, without a call to the provider",
        arguments: Way.posted)
    func signIn(_ way: Way) async throws {
        let holder = try await deployment.signIn(way).account.uid
        let pending = try await deployment.linkConflict(way, to: "native").pendingCredential
        #expect(pending.secretText.utf8.count == 43)
        let requests = deployment.peer.requests.count
        let outcome = try await deployment.exchange(.pending(pending), of: way.provider)
        #expect(outcome.account.uid == holder)
        #expect(!outcome.account.isNew)
        #expect(outcome.account.identity?.audienceProof == way.proof)
        #expect(deployment.peer.requests.count == requests)
    }

    @Test("A pending credential can be used once, at any endpoint")
    func replay() async throws {
        let pending = try await conflict()
        _ = try await deployment.exchange(.pending(pending), of: Yahoo.id)
        await expectRefusal(Refusal.replayed(.pendingCredential)) {
            try await deployment.exchange(.pending(pending), of: Yahoo.id)
        }
        let user = try await deployment.user("native")
        await expectRefusal(Refusal.replayed(.pendingCredential)) {
            try await deployment.flows.accounts.link(user, .pending(pending, of: Yahoo.id))
        }
        await expectRefusal(Refusal.replayed(.pendingCredential)) {
            try await deployment.flows.accounts.merge(
                user, MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(pending)))
        }
    }

    @Test("Of twenty parallel uses one signs in")
    func parallel() async throws {
        let pending = try await conflict()
        let successes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { (try? await deployment.exchange(.pending(pending), of: Yahoo.id)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(successes == 1)
    }

    @Test("A pending credential is valid for ten minutes", arguments: [(599, true), (600, false)])
    func lifetime(_ seconds: Int, _ isGood: Bool) async throws {
        let pending = try await conflict()
        deployment.clock.advance(by: .seconds(seconds))
        if isGood {
            _ = try await deployment.exchange(.pending(pending), of: Yahoo.id)
        } else {
            await expectRefusal(Refusal.pendingCredentialExpired) {
                try await deployment.exchange(.pending(pending), of: Yahoo.id)
            }
        }
    }

    @Test("Another client, another provider or another text is refused, and spends nothing")
    func foreign() async throws {
        let pending = try await conflict()
        let spent = deployment.store.spentKinds
        await expectRefusal(Refusal.unknownPendingCredential) {
            try await deployment.exchange(.pending(pending), of: Yahoo.id, client: DeploymentPlan.otherApp)
        }
        await expectRefusal(Refusal.unknownPendingCredential) {
            try await deployment.exchange(.pending(pending), of: X.id)
        }
        await expectRefusal(Refusal.unknownPendingCredential) {
            try await deployment.exchange(.pending(Secret(pending.secretText + "A")), of: Yahoo.id)
        }
        let session = try await deployment.begin(Yahoo.id).session
        await expectRefusal(Refusal.unknownPendingCredential) {
            try await deployment.exchange(.pending(session), of: Yahoo.id)
        }
        #expect(deployment.store.spentKinds == spent)
        _ = try await deployment.exchange(.pending(pending), of: Yahoo.id)
    }
}
