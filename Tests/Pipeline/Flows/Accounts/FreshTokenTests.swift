import Accounts
import Firebase
import Fixtures
import Flows
import Jansson
import Minting
import Providers
import Standards
import Stores
import Support
import Testing
import Transport

/// The custom tokens of links and merges, which replace a session that does not know of the change.
@Suite("Custom tokens after a change of the account")
struct FreshTokenTests {
    private static let redemption = ScriptedAnswer.json(
        #"{"idToken":"firebase-id-token","refreshToken":"firebase-refresh-token","expiresIn":"3600"}"#)

    private func deployment(_ change: (inout DeploymentPlan) -> Void = { _ in }) throws -> Deployment {
        try Deployment { plan in
            plan.claimTemplates = ["idp": [.placeholder(.provider)], "idp_uid": [.placeholder(.subject)]]
            change(&plan)
        }
    }

    private func claims(_ outcome: SignInOutcome) throws -> JSON? {
        try MintedToken(outcome.token.secret).payload["claims"]
    }

    @Test("The token of a link is the caller's, with the claims of the linked identity", arguments: Way.allCases)
    func link(_ way: Way) async throws {
        let deployment = try deployment()
        let uid = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        let outcome = try await deployment.link(way, to: uid)
        #expect(outcome.signIn.account.uid == uid && !outcome.signIn.account.isNew)
        #expect(
            try claims(outcome.signIn)
                == .object(["idp": .string(way.provider.text), "idp_uid": .string(way.identity.subject.text)]))
    }

    @Test("The token of a merge by a pending credential has the claims of its identity")
    func mergePending() async throws {
        let deployment = try deployment()
        _ = try await deployment.signIn(.xPair)
        let conflict = try await deployment.linkConflict(.xPair, to: "native")
        let outcome = try await deployment.flows.accounts.merge(
            deployment.user("native"),
            MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(conflict.pendingCredential)))
        #expect(outcome.signIn.account.uid.text == "native")
        #expect(
            try claims(outcome.signIn) == .object(["idp": .string("twitter.com"), "idp_uid": .string(X.userID)]))
    }

    /// Merges an account whose ID token says `idp: other` into the account of a caller.
    private func merge(
        _ deployment: Deployment, _ other: UID, into uid: UID, _ claims: [String: JSON]
    ) async throws -> JSON? {
        let token = try deployment.bearer(other) { $0.claims["idp"] = .string("other") }
        let caller = try await deployment.user(uid) { $0.claims.merge(claims) { _, claim in claim } }
        let request = MergeRequest(client: DeploymentPlan.app, proof: .idToken(token))
        return try self.claims(try await deployment.flows.accounts.merge(caller, request).signIn)
    }

    @Test("The token of a merge by an ID token keeps the caller's claims under the names of the templates")
    func mergeIDToken() async throws {
        let deployment = try deployment()
        try await deployment.makeTwoAccounts()
        let claims = try await merge(
            deployment, Person.xUID, into: Person.yahooUID,
            ["idp": .string("yahoo.com"), "idp_uid": .integer(7), "admin": .bool(true), "reauth_time": .integer(1)])
        #expect(claims == .object(["idp": .string("yahoo.com")]))
    }

    @Test("An anonymous caller gets the claims of the other ID token, and is not anonymous any more")
    func mergeIntoAnonymous() async throws {
        let deployment = try deployment()
        _ = try await deployment.signIn(.xPair)
        let uid = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        let claims = try await merge(
            deployment, Person.xUID, into: uid, ["idp": .string("anonymous"), "anonymous": .bool(true)])
        #expect(claims == .object(["idp": .string("other")]))
    }

    @Test("Two anonymous accounts become one that is still anonymous")
    func mergeAnonymous() async throws {
        let deployment = try deployment()
        var uids: [UID] = []
        for _ in 0..<2 {
            uids.append(
                try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid)
        }
        let claims = try await merge(deployment, uids[0], into: uids[1], [:])
        #expect(claims == .object(["anonymous": .bool(true), "idp": .string("anonymous")]))
        #expect(try await deployment.store.account(uid: uids[1])?.isAnonymous == true)
    }

    // MARK: Failures

    private static let unsignable: @Sendable (inout DeploymentPlan) -> Void = {
        $0.claimTemplates = ["sub": [.placeholder(.provider)]]
    }

    private static let refusal = MintingError.reservedClaim("sub").refusal.unspent

    @Test("If no token is minted, nothing is linked, and the credential is given back")
    func unsignedLink() async throws {
        let deployment = try deployment(Self.unsignable)
        await expectRefusal(Self.refusal) { try await deployment.link(.yahooIDToken, to: "native") }
        #expect(try await deployment.identities(of: "native") == nil)
        #expect(deployment.store.spentKinds.isEmpty)
    }

    @Test("If no token is minted, nothing is merged, and the ID token is given back")
    func unsignedMerge() async throws {
        let deployment = try deployment(Self.unsignable)
        for (uid, identity): (UID, ExternalIdentity) in [("one", Person.yahoo), ("two", Person.x)] {
            _ = try await deployment.store.signIn(
                IncomingIdentity(identity: identity, details: IdentityDetails(), email: nil), candidates: [uid],
                emails: .shared, at: deployment.clock.now)
        }
        let (caller, bearer) = (try await deployment.user("two"), try deployment.bearer("one"))
        await expectRefusal(Self.refusal) {
            try await deployment.flows.accounts.merge(
                caller, MergeRequest(client: DeploymentPlan.app, proof: .idToken(bearer)))
        }
        #expect(deployment.store.spentKinds.isEmpty)
        #expect(try await deployment.identities(of: "one") == [Person.yahoo])
    }

    @Test("Firebase exchanges the token after the identity was linked; if it does not, the identity stays linked")
    func redeemed() async throws {
        let deployment = try deployment { plan in
            plan.clients = [DeploymentPlan.client(DeploymentPlan.app, returnsFirebaseSession: true)]
        }
        deployment.peer.script(.post, Google.redemption, Self.redemption)
        let outcome = try await deployment.link(.xPair, to: "native")
        #expect(outcome.signIn.firebaseSession?.idToken.secretText == "firebase-id-token")
        deployment.peer.script(.post, Google.redemption, .status(503))
        let failure = IdentityToolkitError.unavailable(status: 503).refusal.spent
        await expectRefusal(failure) { try await deployment.link(.yahooIDToken, to: "native") }
        #expect(try await deployment.identities(of: "native") == [Person.x, Person.yahoo])
        #expect(!deployment.store.spentKinds.isEmpty)
    }
}
