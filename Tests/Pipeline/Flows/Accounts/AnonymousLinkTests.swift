import Accounts
import Firebase
import Flows
import JOSE
import Jansson
import Standards
import Stores
import Support
import Testing
import Transport

/// An old session of an anonymous account links only as long as nothing tells who its person is.
@Suite("Linking to anonymous accounts")
struct AnonymousLinkTests {
    /// An anonymous account, and a session of it that is not recent.
    private func old(
        in deployment: Deployment, identities: String = "{}", provider: String = "custom"
    ) async throws -> FirebaseUser {
        let uid = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        let authenticatedAt = deployment.clock.now.seconds - 3000
        let firebase = IDTokenBuilder.firebaseObject(changing: [
            "identities": try JSON.parse(Array(identities.utf8)), "sign_in_provider": .string(provider),
        ])
        return try await deployment.user(uid) {
            $0.claims["auth_time"] = .integer(authenticatedAt)
            $0.claims["firebase"] = firebase
        }
    }

    private func link(_ user: FirebaseUser, in deployment: Deployment) async throws -> StoredAccount {
        try await deployment.flows.accounts.link(user, deployment.proof(.xPair, of: user)).account
    }

    @Test(
        "LK-05: A user with an identity at Firebase needs a recent sign-in, although the session began with a custom token of this server"
    )
    func named() async throws {
        for (provider, identities) in [
            ("custom", #"{"google.com":["1"]}"#), ("custom", #"{"email":["ann@example.org"]}"#),
            ("anonymous", #"{"phone":["+15550100"]}"#), ("google.com", "{}"),
        ] {
            let deployment = try Deployment()
            let user = try await old(in: deployment, identities: identities, provider: provider)
            await expectRefusal(Reason.requiresRecentLogin) { try await link(user, in: deployment) }
            #expect(deployment.store.spentKinds.isEmpty)
            let account = try await deployment.store.account(uid: user.uid)
            #expect(account?.isAnonymous == false && account?.hasOtherSignInMethod == true)
        }
    }

    @Test("An account that is anonymous there as well links without one")
    func baseline() async throws {
        let deployment = try Deployment { $0.asksGoogle = true }
        let user = try await old(in: deployment)
        deployment.scriptLookup([user.uid: [:]])
        #expect(try await link(user, in: deployment).identities.map(\.identity) == [Person.x])
        #expect(deployment.peer.requests(to: Google.lookup).count == 1)
    }

    @Test(
        "LK-05: The server looks the user up at Identity Toolkit, and records the sign-in methods that it finds",
        arguments: [
            ["passwordHash": .string("hash")], ["email": .string("ann@example.org")],
            ["providerUserInfo": .array([.object(["providerId": .string("google.com")])])],
        ] as [[String: JSON]])
    func asked(_ members: [String: JSON]) async throws {
        let deployment = try Deployment {
            $0.asksGoogle = true
            $0.rules.anonymousRetention = .seconds(86_400)
        }
        let user = try await old(in: deployment)
        deployment.scriptLookup([user.uid: members])
        await expectRefusal(Reason.requiresRecentLogin) { try await link(user, in: deployment) }
        #expect(deployment.store.spentKinds.isEmpty)
        let account = try await deployment.store.account(uid: user.uid)
        #expect(account?.isAnonymous == false && account?.deleteAfter == nil && account?.signInMethods.isEmpty == false)
    }

    @Test(
        "A session that was ended, or whose user is out, links nothing",
        arguments: [
            (["validSince": .string("1700000000")], .idTokenRevoked), (["disabled": .bool(true)], .userDisabled),
            (nil, .accountGone),
        ] as [([String: JSON]?, Reason)])
    func ended(_ members: [String: JSON]?, _ error: Reason) async throws {
        let deployment = try Deployment { $0.asksGoogle = true }
        let user = try await old(in: deployment)
        deployment.scriptLookup(members.map { [user.uid: $0] } ?? [:])
        await expectRefusal(error) { try await link(user, in: deployment) }
        #expect(deployment.store.spentKinds.isEmpty)
    }

    @Test("If the service account may only sign, no lookup is made; if a lookup fails, nothing is linked")
    func unasked() async throws {
        let deployment = try Deployment { $0.asksGoogle = true }
        let user = try await old(in: deployment)
        deployment.peer.script(.post, Google.lookup, .status(503))
        await expectRefusal(StoreError(IdentityToolkitError.unavailable(status: 503)).refusal) {
            try await link(user, in: deployment)
        }
        deployment.peer.script(.post, Google.lookup, .status(403))
        #expect(try await link(user, in: deployment).identities.map(\.identity) == [Person.x])
    }
}
