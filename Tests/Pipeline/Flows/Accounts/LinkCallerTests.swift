import Accounts
import Firebase
import Fixtures
import Flows
import Jansson
import Standards
import Stores
import Support
import Testing

@Suite("Users who may link")
struct LinkCallerTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    @Test("LK-05: An old sign-in is refused before anything is spent or called", arguments: Way.allCases)
    func stale(_ way: Way) async throws {
        let proof = try await deployment.proof(way, of: deployment.user("native"))
        let late = try await deployment.user("native", signedIn: 301)
        let (calls, requests) = (deployment.store.calls.count, deployment.peer.requests.count)
        await expectRefusal(Reason.requiresRecentLogin) {
            try await deployment.flows.accounts.link(late, proof)
        }
        #expect(Array(deployment.store.calls.dropFirst(calls)) == [.bearer])
        #expect(deployment.peer.requests.count == requests)
        _ = try await deployment.flows.accounts.link(deployment.user("native", signedIn: 300), proof)
    }

    @Test("LK-05: The window is the configuration's")
    func window() async throws {
        let deployment = try Deployment { $0.rules.recentLogin = .seconds(60) }
        let proof = try await deployment.proof(.xPair, of: deployment.user("native"))
        let late = try await deployment.user("native", signedIn: 61)
        await expectRefusal(Reason.requiresRecentLogin) {
            try await deployment.flows.accounts.link(late, proof)
        }
        _ = try await deployment.flows.accounts.link(deployment.user("native", signedIn: 60), proof)
    }

    @Test(
        "An anonymous account becomes permanent however long ago it was made, and keeps its uid",
        arguments: Way.allCases)
    func anonymous(_ way: Way) async throws {
        let deployment = try Deployment { $0.rules.anonymousRetention = .seconds(86_400) }
        let uid = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        #expect(try await deployment.store.account(uid: uid)?.deleteAfter != nil)
        deployment.clock.advance(by: .seconds(3000))
        let user = try await deployment.user(uid, signedIn: 2900)
        let outcome = try await deployment.flows.accounts.link(user, deployment.proof(way, of: user))
        #expect(outcome.account.uid == uid)
        #expect(!outcome.account.isAnonymous)
        #expect(outcome.account.deleteAfter == nil)
        let signedIn = try await deployment.signIn(way).account
        #expect(signedIn.uid == uid)
        #expect(!signedIn.isNew)
        // From now on it is asked for.
        let proof = try await deployment.proof(way.other, of: user)
        let late = try await deployment.user(uid, signedIn: 301)
        await expectRefusal(Reason.requiresRecentLogin) {
            try await deployment.flows.accounts.link(late, proof)
        }
    }

    @Test("A user who was created elsewhere is adopted, and counts as one with another sign-in method unless anonymous")
    func adopted() async throws {
        let native = try await deployment.link(.xPair, to: "native").account
        #expect(native.isAdopted && native.hasOtherSignInMethod)
        let anonymous = try await deployment.user("elsewhere") {
            $0.claims["firebase"] = IDTokenBuilder.firebaseObject(changing: ["sign_in_provider": .string("anonymous")])
        }
        let linked = try await deployment.flows.accounts.link(
            anonymous, deployment.proof(.yahooIDToken, of: anonymous)
        ).account
        #expect(linked.uid == "elsewhere")
        #expect(linked.isAdopted && !linked.hasOtherSignInMethod && !linked.isAnonymous)
    }

    @Test("The bearer token of a deleted account is refused, and no account is created for it")
    func retired() async throws {
        let user = try await deployment.user("native")
        let proof = try await deployment.proof(.xPair, of: user)
        _ = try await deployment.store.retire(uid: "native", at: deployment.clock.now)
        await expectRefusal(Refusal.accountGone) { try await deployment.flows.accounts.link(user, proof) }
        #expect(try await deployment.identities(of: "native") == nil)
        #expect(deployment.store.spentKinds.isEmpty)
    }

    @Test("LK-19: A disabled account gets no identity")
    func disabled() async throws {
        let user = try await deployment.user("native")
        let proof = try await deployment.proof(.xPair, of: user)
        _ = try await deployment.store.account(
            of: FirebaseCaller(uid: "native", isAnonymous: false, email: nil), at: deployment.clock.now)
        #expect(try await deployment.store.setDisabled(true, uid: "native"))
        await expectRefusal(Refusal.userDisabled) {
            try await deployment.flows.accounts.link(user, proof)
        }
        #expect(deployment.store.spentKinds.isEmpty)
        #expect(try await deployment.identities(of: "native") == [])
    }

    @Test("A handoff of a provider that the client may no longer use links nothing")
    func providerDisabled() async throws {
        let user = try await deployment.user("native")
        let code = try await deployment.handoff(.link, for: user)
        let reloaded = try deployment.reloaded(clients: [DeploymentPlan.client(DeploymentPlan.app, providers: [X.id])])
        await expectRefusal(Reason.providerDisabled) { try await reloaded.accounts.link(user, .handoff(code)) }
        #expect(try await deployment.identities(of: "native") == nil)
    }
}
