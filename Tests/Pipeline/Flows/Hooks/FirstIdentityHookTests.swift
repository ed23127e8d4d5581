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

@Suite("The hook for new accounts, when an account gets its first identity")
struct FirstIdentityHookTests {
    private static let native: UID = "native"

    /// A deployment in which the identity of X has an account.
    private func deployment(_ points: [HookPoint] = HookPoint.allCases) async throws -> Deployment {
        let deployment = try Deployment.hooked(points)
        _ = try await deployment.signIn(.xPair)
        return deployment
    }

    /// Returns the types of the events of an operation, and the first event.
    private func events(
        _ deployment: Deployment, _ body: () async throws -> Void
    ) async throws -> (points: [String], first: JSON?) {
        let before = try deployment.events().count
        try await body()
        let events = try deployment.events().dropFirst(before)
        return (events.compactMap { $0["type"]?.string }, events.first)
    }

    private func expect(_ event: JSON?, _ member: String, of uid: UID) {
        #expect(event?["uid"]?.string == uid.text)
        #expect(event?["is_new_user"] == .bool(false))
        for name in ["adopted", "anonymous"] { #expect(event?[name] == (name == member ? .bool(true) : nil)) }
    }

    @Test("An account of a user who signed up at Firebase: the hook is asked first, with the uid and the identity")
    func adopted() async throws {
        let deployment = try await deployment()
        let (points, first) = try await events(deployment) {
            _ = try await deployment.link(.yahooIDToken, to: Self.native)
        }
        #expect(points == ["before_create", "before_link", "before_sign_in"])
        expect(first, "adopted", of: Self.native)
        #expect(first?["provider"]?.string == "yahoo.com" && first?["provider_uid"]?.string == Yahoo.subject)
    }

    @Test("An anonymous account that becomes permanent")
    func anonymous() async throws {
        let deployment = try await deployment()
        let uid = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        let (points, first) = try await events(deployment) { _ = try await deployment.link(.yahooIDToken, to: uid) }
        #expect(points == ["before_create", "before_link", "before_sign_in"])
        expect(first, "anonymous", of: uid)
    }

    @Test("A handoff and a pending credential are asked about like a posted credential")
    func otherProofs() async throws {
        let handoff = try await deployment([.beforeCreate])
        let user = try await handoff.user(Self.native)
        let code = try await handoff.handoff(.link, for: user)
        let byHandoff = try await events(handoff) {
            _ = try await handoff.flows.accounts.link(user, .handoff(code))
        }
        #expect(byHandoff.points == ["before_create"])
        expect(byHandoff.first, "adopted", of: Self.native)

        let pending = try await deployment([.beforeCreate])
        let conflict = try await pending.linkConflict(.xPair, to: Self.native).pendingCredential
        let holder = try await pending.user(Person.xUID)
        _ = try await pending.link(.yahooIDToken, to: Person.xUID)
        _ = try await pending.flows.accounts.unlink(X.id, from: holder, client: nil)
        // The identity has no account any more, so that the pending credential has expired and nothing is asked.
        let byPending = try await events(pending) {
            await expectRefusal(Refusal.pendingCredentialExpired.unspent) {
                try await pending.flows.accounts.link(pending.user(Self.native), .pending(conflict, of: X.id))
            }
        }
        #expect(byPending.points.isEmpty)
    }

    @Test("The pending credential of a conflict of addresses")
    func emailConflict() async throws {
        let deployment = try Deployment.hooked([.beforeCreate]) { $0.emails = .oneAccountEach }
        let native = try await deployment.user(Self.native) {
            $0.claims["email"] = .string("ann@example.org")
            $0.claims["email_verified"] = .bool(true)
        }
        // The account of the user has the address, and no identity.
        _ = try await deployment.store.account(
            of: FirebaseCaller(uid: Self.native, isAnonymous: false, email: EmailAddress("ann@example.org")),
            at: deployment.clock.now)
        let conflict = try await deployment.conflict { _ = try await deployment.signIn(.yahooIDToken) }
        let (points, first) = try await events(deployment) {
            _ = try await deployment.flows.accounts.link(native, .pending(conflict.pendingCredential, of: Yahoo.id))
        }
        #expect(points == ["before_create"])
        expect(first, "adopted", of: Self.native)
    }

    @Test("A merge into an account without an identity, by either proof")
    func merge() async throws {
        for isPending in [false, true] {
            let deployment = try await deployment()
            let proof: MergeRequest.Proof =
                isPending
                ? .pendingCredential(try await deployment.linkConflict(.xPair, to: Self.native).pendingCredential)
                : .idToken(try deployment.bearer(Person.xUID))
            let user = try await deployment.user(Self.native)
            let (points, first) = try await events(deployment) {
                _ = try await deployment.flows.accounts.merge(
                    user, MergeRequest(client: DeploymentPlan.app, proof: proof))
            }
            #expect(points == ["before_create", "before_link", "before_sign_in"])
            expect(first, "adopted", of: Self.native)
            #expect(first?["merged_uid"]?.string == Person.xUID.text)
            #expect(first?["provider_uid"]?.string == (isPending ? X.userID : nil))
        }
    }

    @Test("A refusal links and merges nothing", arguments: [true, false])
    func denied(links: Bool) async throws {
        let deployment = try await deployment()
        let user = try await deployment.user(Self.native)
        deployment.script(.beforeCreate, #"{"deny": {}}"#)
        await expectRefusal(Refusal.blockedByHook(message: nil, by: .beforeCreate)) {
            if links {
                _ = try await deployment.link(.yahooIDToken, to: Self.native)
            } else {
                let proof = MergeRequest.Proof.idToken(try deployment.bearer(Person.xUID))
                _ = try await deployment.flows.accounts.merge(
                    user, MergeRequest(client: DeploymentPlan.app, proof: proof))
            }
        }
        #expect(try await deployment.store.account(of: Person.yahoo) == nil)
        #expect(try await deployment.store.account(of: Person.x)?.uid == Person.xUID)
    }

    @Test("It is not asked about a further identity, nor about accounts that stay without one")
    func notAsked() async throws {
        let deployment = try await deployment([.beforeCreate])
        #expect(
            try await events(deployment) { _ = try await deployment.link(.yahooIDToken, to: Person.xUID) }.points == [])
        var uids: [UID] = []
        for _ in 0..<2 {
            uids.append(
                try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid)
        }
        let user = try await deployment.user(uids[0])
        let bearer = try deployment.bearer(uids[1])
        let merged = try await events(deployment) {
            _ = try await deployment.flows.accounts.merge(
                user, MergeRequest(client: DeploymentPlan.app, proof: .idToken(bearer)))
        }
        #expect(merged.points == [])
    }

    @Test("Its claims are in the token of the link, and those of later hooks replace them")
    func claims() async throws {
        let deployment = try await deployment()
        deployment.script(.beforeCreate, #"{"claims": {"role": "new", "team": "one"}}"#)
        deployment.script(.beforeLink, #"{"claims": {"role": "linked"}}"#)
        let claims = try await deployment.link(.yahooIDToken, to: Self.native).signIn.claims
        #expect(claims["role"] == .string("linked") && claims["team"] == .string("one"))
    }
}
