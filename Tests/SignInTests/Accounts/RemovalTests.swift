import Accounts
import Firebase
import JOSE
import Jansson
import OAuth
import SignIn
import Stores
import Support
import Testing

@Suite("Removing an account")
struct RemovalTests {
    @Test("It goes with its identities, and its uid is nobody's from then on")
    func baseline() async throws {
        let deployment = try Deployment()
        let uid = try await deployment.signIn(.yahooIDToken).account.uid.text
        let user = try await deployment.user(uid)
        try await deployment.corridor.remove(user, client: DeploymentPlan.app)
        #expect(try await deployment.identities(of: uid) == nil)
        await #expect(throws: SignInError.bearer(.revoked)) {
            try await deployment.corridor.remove(user, client: DeploymentPlan.app)
        }
        let later = try await deployment.signIn(.yahooIDToken).account
        #expect(later.isNew)
        #expect(later.uid.text != uid)
    }

    @Test("LK-05: It needs a recent sign-in, of an anonymous user, too")
    func stale() async throws {
        let deployment = try Deployment()
        let anonymous = try await deployment.corridor.signInAnonymously(client: DeploymentPlan.app).account.uid.text
        for uid in ["native", anonymous] {
            let late = try await deployment.user(uid, signedIn: 301)
            await #expect(throws: SignInError.bearer(.requiresRecentLogin)) {
                try await deployment.corridor.remove(late, client: nil)
            }
            #expect(try await deployment.identities(of: uid) == [])
            try await deployment.corridor.remove(deployment.user(uid, signedIn: 300), client: nil)
            #expect(try await deployment.identities(of: uid) == nil)
        }
    }

    @Test(
        "Where Google can be asked, it is: a session that ended removes nothing",
        arguments: [
            (["disabled": .bool(true)], .disabled), (["validSince": .string("1700000000")], .revoked), (nil, .revoked),
        ] as [([String: JSON]?, BearerError)])
    func standing(_ members: [String: JSON]?, _ error: BearerError) async throws {
        let deployment = try Deployment { $0.asksGoogle = true }
        deployment.scriptLookup(members.map { ["native": $0] } ?? [:])
        let user = try await deployment.user("native")
        await #expect(throws: SignInError.bearer(error)) { try await deployment.corridor.remove(user, client: nil) }
        #expect(!deployment.store.calls.contains(.retire))
    }

    @Test("A second factor keeps nobody from going")
    func secondFactor() async throws {
        let deployment = try Deployment { $0.asksGoogle = true }
        deployment.scriptLookup(["native": ["mfaInfo": .array([.object([:])])]])
        try await deployment.corridor.remove(deployment.user("native"), client: nil)
        #expect(deployment.store.calls.contains(.retire))
    }

    @Test("A client that is unknown removes nothing")
    func unknownClient() async throws {
        let deployment = try Deployment()
        let user = try await deployment.user("native")
        await #expect(throws: SignInError.unknownClient) {
            try await deployment.corridor.remove(user, client: ClientID("nobody"))
        }
        #expect(deployment.store.calls.isEmpty)
    }
}
