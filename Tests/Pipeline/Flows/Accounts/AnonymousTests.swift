import Accounts
import Fixtures
import Flows
import JOSE
import Jansson
import Minting
import Standards
import Stores
import Support
import Testing

@Suite("Anonymous sign-ins")
struct AnonymousTests {
    @Test("AN-03, AN-06: Each makes an account of its own, whose claims name no provider")
    func baseline() async throws {
        let deployment = try Deployment()
        var uids: Set<UID> = []
        for _ in 0..<5 {
            let outcome = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app)
            let uid = outcome.account.uid
            #expect(uid.text.hasPrefix("anonymous:"))
            #expect(outcome.account.isNew)
            #expect(outcome.account.identity == nil)
            #expect(outcome.providerTokens == nil)
            #expect(outcome.firebaseSession == nil)
            let minted = try MintedToken(outcome.token.secret).payload
            #expect(minted["uid"] == .string(uid.text))
            #expect(minted["claims"] == .object(["anonymous": .bool(true), "idp": .string("anonymous")]))
            let stored = try await deployment.store.account(uid: uid)
            #expect(stored?.isAnonymous == true && stored?.identities == [] && stored?.deleteAfter == nil)
            uids.insert(uid)
        }
        #expect(uids.count == 5)
        #expect(deployment.peer.requests.isEmpty)
    }

    @Test("A client that may not, and one that is not known, make none")
    func disabled() async throws {
        let deployment = try Deployment { plan in
            plan.clients = [DeploymentPlan.client(DeploymentPlan.app, allowsAnonymous: false)]
        }
        await expectRefusal(Reason.anonymousDisabled) {
            try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app)
        }
        await expectRefusal(Reason.unknownClient) {
            try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.otherApp)
        }
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("After the retention an anonymous account is deleted, unless an identity was linked to it")
    func retention() async throws {
        let deployment = try Deployment { $0.rules.anonymousRetention = .seconds(86_400) }
        let end = deployment.clock.now + .seconds(86_400)
        let kept = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        let gone = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        #expect(try await deployment.store.account(uid: gone)?.deleteAfter == end)
        _ = try await deployment.link(.xPair, to: kept)
        deployment.clock.advance(by: .seconds(86_400))
        #expect(try await deployment.store.sweepAnonymous(at: deployment.clock.now, atMost: 10) == [gone])
        let user = try await deployment.user(gone)
        await expectRefusal(Refusal.accountGone) {
            try await deployment.flows.accounts.account(of: user, client: nil)
        }
    }

    @Test("A new anonymous user is the caller of the account with the same uid, anonymous and not adopted")
    func caller() async throws {
        let deployment = try Deployment()
        let uid = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        let caller = try await deployment.flows.accounts.account(of: deployment.user(uid), client: DeploymentPlan.app)
            .account
        #expect(caller.uid == uid)
        #expect(caller.isAnonymous && !caller.isAdopted)
    }
}
