import Accounts
import Fixtures
import Flows
import Jansson
import Standards
import Stores
import Support
import Testing

@Suite("Unlinking")
struct UnlinkTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    private func unlink(_ provider: ProviderID, from uid: UID, signedIn seconds: Int64 = 100) async throws
        -> StoredAccount
    {
        try await deployment.flows.accounts.unlink(
            provider, from: deployment.user(uid, signedIn: seconds), client: DeploymentPlan.app
        ).account
    }

    @Test("An identity leaves, and the other one stays")
    func baseline() async throws {
        let uid = try await deployment.signIn(.yahooIDToken).account.uid
        _ = try await deployment.link(.xPair, to: uid)
        #expect(try await unlink(Yahoo.id, from: uid).identities.map(\.identity) == [Person.x])
        #expect(try await deployment.identities(of: uid) == [Person.x])
        #expect(try await deployment.signIn(.xPair).account.uid == uid)
    }

    @Test("LK-17: A sign-in with an unlinked identity creates a new account with another uid")
    func newUID() async throws {
        let uid = try await deployment.signIn(.yahooIDToken).account.uid
        _ = try await deployment.link(.xPair, to: uid)
        _ = try await unlink(Yahoo.id, from: uid)
        let later = try await deployment.signIn(.yahooIDToken).account
        #expect(later.isNew)
        #expect(later.uid != uid)
        #expect(try await deployment.identities(of: uid) == [Person.x])
    }

    @Test("LK-11: The last identity cannot be unlinked if the account has no other sign-in method")
    func last() async throws {
        let uid = try await deployment.signIn(.yahooIDToken).account.uid
        await expectRefusal(Reason.lastIdentity, isUnspent: true) {
            try await unlink(Yahoo.id, from: uid)
        }
        #expect(try await deployment.identities(of: uid) == [Person.yahoo])
    }

    @Test("LK-11: Of two identities that leave at once one stays")
    func race() async throws {
        let uid = try await deployment.signIn(.yahooIDToken).account.uid
        _ = try await deployment.link(.xPair, to: uid)
        let user = try await deployment.user(uid)
        let successes = await withTaskGroup(of: Bool.self) { group in
            for provider in [Yahoo.id, X.id] {
                group.addTask {
                    (try? await deployment.flows.accounts.unlink(provider, from: user, client: nil)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(successes == 1)
        #expect(try await deployment.identities(of: uid)?.count == 1)
    }

    @Test("The last identity leaves an account that has another way in")
    func otherSignInMethod() async throws {
        _ = try await deployment.link(.xPair, to: "native")
        #expect(try await unlink(X.id, from: "native").identities.isEmpty)
    }

    @Test("An anonymous user of Firebase with a linked identity has no other sign-in method")
    func adoptedAnonymous() async throws {
        let user = try await deployment.user("elsewhere") {
            $0.claims["firebase"] = IDTokenBuilder.firebaseObject(changing: ["sign_in_provider": .string("anonymous")])
        }
        _ = try await deployment.flows.accounts.link(user, deployment.proof(.xPair, of: user))
        await expectRefusal(Reason.lastIdentity, isUnspent: true) {
            try await deployment.flows.accounts.unlink(X.id, from: user, client: nil)
        }
    }

    @Test("LK-12: An identity that is not linked cannot be unlinked")
    func notLinked() async throws {
        let uid = try await deployment.signIn(.yahooIDToken).account.uid
        _ = try await deployment.link(.xPair, to: "native")
        for provider in [X.id, ProviderID("unknown.example")] {
            await expectRefusal(Refusal.notLinked) {
                try await unlink(provider, from: uid)
            }
        }
        // GET /v1/account lists those of Firebase as well.
        #expect(Refusal.notLinked.description.hasSuffix("the Firebase SDK unlinks one that is managed_by firebase."))
        _ = try await unlink(X.id, from: "native")
        await expectRefusal(Refusal.notLinked) {
            try await unlink(X.id, from: "native")
        }
        #expect(try await deployment.identities(of: uid) == [Person.yahoo])
    }

    @Test("LK-05: It needs a recent sign-in")
    func stale() async throws {
        _ = try await deployment.link(.xPair, to: "native")
        await expectRefusal(Reason.requiresRecentLogin) {
            try await unlink(X.id, from: "native", signedIn: 301)
        }
        #expect(try await deployment.identities(of: "native") == [Person.x])
        #expect(try await unlink(X.id, from: "native", signedIn: 300).identities.isEmpty)
    }

    @Test("An unknown client is reported, and a disabled account is not changed")
    func refused() async throws {
        _ = try await deployment.link(.xPair, to: "native")
        let user = try await deployment.user("native")
        await expectRefusal(Reason.unknownClient) {
            try await deployment.flows.accounts.unlink(X.id, from: user, client: ClientID("nobody"))
        }
        #expect(try await deployment.store.setDisabled(true, uid: "native"))
        await expectRefusal(Refusal.userDisabled) {
            try await deployment.flows.accounts.unlink(X.id, from: user, client: nil)
        }
        #expect(try await deployment.identities(of: "native") == [Person.x])
    }
}
