import Accounts
import Firebase
import Fixtures
import Flows
import JOSE
import Jansson
import Standards
import Stores
import Support
import Testing
import Transport

@Suite("Removing an account")
struct RemovalTests {
    @Test("An account is deleted with its identities, and its uid is never used again")
    func baseline() async throws {
        let deployment = try Deployment()
        let uid = try await deployment.signIn(.yahooIDToken).account.uid
        let user = try await deployment.user(uid)
        #expect(try await deployment.flows.accounts.remove(user, client: DeploymentPlan.app).removal == .kept)
        #expect(try await deployment.identities(of: uid) == nil)
        await expectRefusal(Refusal.accountGone) {
            try await deployment.flows.accounts.remove(user, client: DeploymentPlan.app)
        }
        let later = try await deployment.signIn(.yahooIDToken).account
        #expect(later.isNew)
        #expect(later.uid != uid)
    }

    @Test("LK-05: It needs a recent sign-in, of an anonymous user, too")
    func stale() async throws {
        let deployment = try Deployment()
        let anonymous = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        for uid: UID in ["native", anonymous] {
            let late = try await deployment.user(uid, signedIn: 301)
            let refusal = Refusal.loginTooOld.with(
                finding: "auth_time of the ID token is 301 s ago, and accounts.recent_login is 300 s. If the user has "
                    + "just signed in, the application sent an earlier token, or the clock of this machine is ahead")
            await expectRefusal(refusal) {
                try await deployment.flows.accounts.remove(late, client: nil)
            }
            // Nothing has adopted the user who signed up at Firebase.
            #expect(try await deployment.identities(of: uid) == (uid == anonymous ? [] : nil))
            _ = try await deployment.flows.accounts.remove(deployment.user(uid, signedIn: 300), client: nil)
            #expect(try await deployment.identities(of: uid) == nil)
        }
    }

    @Test(
        "If Google can be called, it is: a revoked session deletes nothing",
        arguments: [
            (["disabled": .bool(true)], .userDisabled), (["validSince": .string("1700000000")], .idTokenRevoked),
        ] as [([String: JSON], Reason)])
    func standing(_ members: [String: JSON], _ error: Reason) async throws {
        let deployment = try Deployment { $0.asksGoogle = true }
        deployment.scriptLookup(["native": members])
        let user = try await deployment.user("native")
        await expectRefusal(error) {
            try await deployment.flows.accounts.remove(user, client: nil)
        }
        #expect(!deployment.store.calls.contains(.retire))
    }

    @Test("A user with a second factor can delete the account")
    func secondFactor() async throws {
        let deployment = try Deployment { $0.asksGoogle = true }
        deployment.scriptLookup(["native": ["mfaInfo": .array([.object([:])])]])
        deployment.peer.script(.post, Google.delete, .json("{}"))
        #expect(try await deployment.flows.accounts.remove(deployment.user("native"), client: nil).removal == .deleted)
        #expect(deployment.store.calls.contains(.retire))
    }

    @Test("A client that is unknown removes nothing")
    func unknownClient() async throws {
        let deployment = try Deployment()
        let user = try await deployment.user("native")
        await expectRefusal(Reason.unknownClient) {
            try await deployment.flows.accounts.remove(user, client: ClientID("nobody"))
        }
        #expect(deployment.store.calls.isEmpty)
    }

    /// Yahoo's account, whose user Firebase knows.
    private func withUser() async throws -> (Deployment, FirebaseUser) {
        let deployment = try Deployment { $0.asksGoogle = true }
        let uid = try await deployment.signIn(.yahooIDToken).account.uid
        deployment.scriptLookup([uid: [:]])
        deployment.peer.script(.post, Google.delete, .json("{}"))
        deployment.peer.script(.post, Google.update, .json("{}"))
        return (deployment, try await deployment.user(uid))
    }

    @Test("The Firebase user is deleted first, with its sessions")
    func firebaseUser() async throws {
        let (deployment, user) = try await withUser()
        #expect(try await deployment.flows.accounts.remove(user, client: nil).removal == .deleted)
        let request = try #require(deployment.peer.requests(to: Google.delete).first)
        #expect(try JSON.parse(request.body) == .object(["localId": .string(Person.yahooUID.text)]))
        #expect(try await deployment.identities(of: user.uid) == nil)
    }

    @Test("If Firebase does not respond, nothing is deleted, and the same request may be sent again")
    func unreachable() async throws {
        let (deployment, user) = try await withUser()
        deployment.peer.script(.post, Google.delete, .status(503))
        let error = StoreError(IdentityToolkitError.unavailable(status: 503)).refusal.unspent
        await expectRefusal(error) { try await deployment.flows.accounts.remove(user, client: nil) }
        #expect(try await deployment.identities(of: user.uid) == [Person.yahoo])
        deployment.peer.script(.post, Google.delete, .json("{}"))
        #expect(try await deployment.flows.accounts.remove(user, client: nil).removal == .deleted)
    }

    @Test("A service account that may not delete keeps the user, and ends its sessions if it may")
    func mayNotDelete() async throws {
        for (status, removal) in [(200, FirebaseUserRemoval.sessionsEnded), (403, .kept)] {
            let (deployment, user) = try await withUser()
            deployment.peer.script(.post, Google.delete, .status(403))
            deployment.peer.script(.post, Google.update, .json("{}", status: status))
            #expect(try await deployment.flows.accounts.remove(user, client: nil).removal == removal)
            #expect(try await deployment.identities(of: user.uid) == nil)
        }
    }

    @Test("A removal whose sessions have ended is no request that can be sent again")
    func sessionsEnded() async throws {
        let (deployment, user) = try await withUser()
        deployment.peer.script(.post, Google.delete, .status(403))
        // The first call finds the account, the second one its factors, and the third one removes it.
        deployment.store.fail(atCall: 3)
        await expectRefusal(StoreError.unavailable(.busy).refusal.spent) {
            try await deployment.flows.accounts.remove(user, client: nil)
        }
    }

    @Test("A service account that may only sign keeps the user, and sends no deletion")
    func mayOnlySign() async throws {
        let (deployment, user) = try await withUser()
        deployment.peer.script(.post, Google.lookup, .status(403))
        #expect(try await deployment.flows.accounts.remove(user, client: nil).removal == .kept)
        #expect(deployment.peer.requests(to: Google.delete).isEmpty)
    }

    @Test("A deletion that stopped between Firebase and the store can be repeated")
    func interrupted() async throws {
        for checksRevocation in [false, true] {
            let deployment = try Deployment {
                $0.asksGoogle = true
                $0.rules.checksRevocation = checksRevocation
            }
            let uid = try await deployment.signIn(.yahooIDToken).account.uid
            deployment.scriptLookup([uid: [:]])
            deployment.peer.script(.post, Google.delete, .json("{}"))
            let bearer = try deployment.bearer(uid)
            let user = try await deployment.flows.accounts.user(bearer, isForChange: true)
            // The bearer and the factors are looked at, and the store fails when the account is to be removed.
            deployment.store.fail(atCall: 3)
            let error = StoreError.unavailable(.busy).refusal.unspent
            await expectRefusal(error) { try await deployment.flows.accounts.remove(user, client: nil) }
            #expect(try await deployment.identities(of: uid) == [Person.yahoo])
            deployment.scriptLookup([:])
            let again = try await deployment.flows.accounts.user(bearer, isForChange: true)
            #expect(try await deployment.flows.accounts.remove(again, client: nil).removal == .none)
            #expect(try await deployment.identities(of: uid) == nil)
        }
    }
}
