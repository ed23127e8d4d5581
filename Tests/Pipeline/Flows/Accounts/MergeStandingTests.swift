import Accounts
import Firebase
import Fixtures
import Flows
import Jansson
import Standards
import Stores
import Support
import Testing
import Transport

@Suite("Merging, if Google can be called")
struct MergeStandingTests {
    private static let secondFactor: [String: JSON] = ["mfaInfo": .array([.object(["mfaEnrollmentId": .string("1")])])]

    /// Yahoo's account and X's; nothing in the configuration has authenticator checked.
    private func deployment() async throws -> Deployment {
        let deployment = try Deployment { $0.asksGoogle = true }
        deployment.peer.script(.post, Google.delete, .json("{}"))
        _ = try await deployment.signIn(.yahooIDToken)
        _ = try await deployment.signIn(.xPair)
        return deployment
    }

    private func merge(
        in deployment: Deployment, caller: [String: JSON]?, other: [String: JSON]?
    ) async throws -> MergeOutcome {
        var users: [UID: [String: JSON]] = [:]
        users[Person.yahooUID] = caller
        users[Person.xUID] = other
        deployment.scriptLookup(users)
        let bearer = try deployment.bearer(Person.xUID)
        return try await deployment.flows.accounts.merge(
            deployment.user(Person.yahooUID), MergeRequest(client: DeploymentPlan.app, proof: .idToken(bearer)))
    }

    @Test("Both users are looked up, whatever the configuration says")
    func baseline() async throws {
        let deployment = try await deployment()
        let outcome = try await merge(in: deployment, caller: [:], other: [:])
        #expect(outcome.mergedUID == Person.xUID)
        #expect(deployment.peer.requests(to: Google.lookup).count == 3)
    }

    @Test("An account with a password at Firebase cannot be merged away; one with only configured providers can")
    func otherSignInMethod() async throws {
        let deployment = try await deployment()
        let refusal = Refusal.otherSignInMethod.with(
            finding: "the other account can sign in at Firebase with password, and providers has no such id")
        await expectRefusal(refusal) {
            try await merge(in: deployment, caller: [:], other: ["passwordHash": .string("hash")])
        }
        #expect(!deployment.store.spentKinds.contains(.firebaseIDToken))
        let ours = JSON.object(["providerId": .string(X.id.text), "rawId": .string(X.userID)])
        _ = try await merge(in: deployment, caller: [:], other: ["providerUserInfo": .array([ours])])
    }

    @Test(
        "With a pending credential the holder is looked up as well, and a refusal gives the credential back",
        arguments: [
            (secondFactor, .secondFactorRequired), (["disabled": .bool(true)], .userDisabled),
            (["passwordHash": .string("hash")], .mergeNotPossible),
        ] as [([String: JSON], Reason)])
    func holder(_ members: [String: JSON], _ error: Reason) async throws {
        let deployment = try await deployment()
        deployment.scriptLookup([Person.yahooUID: [:], Person.xUID: members])
        let pending = try await deployment.linkConflict(.xPair, to: Person.yahooUID).pendingCredential
        let user = try await deployment.user(Person.yahooUID)
        let request = MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(pending))
        await expectRefusal(error) { try await deployment.flows.accounts.merge(user, request) }
        #expect(!deployment.store.calls.contains(.merge))
        deployment.scriptLookup([Person.yahooUID: [:], Person.xUID: [:]])
        #expect(try await deployment.flows.accounts.merge(user, request).mergedUID == Person.xUID)
    }

    @Test("A service account that may only sign makes no lookup, unless the configuration requires one")
    func notAllowed() async throws {
        let deployment = try await deployment()
        deployment.peer.script(.post, Google.lookup, .status(403))
        let request = MergeRequest(
            client: DeploymentPlan.app, proof: .idToken(try deployment.bearer(Person.xUID)))
        _ = try await deployment.flows.accounts.merge(deployment.user(Person.yahooUID), request)
        let checking = try Deployment {
            $0.asksGoogle = true
            $0.rules.directoryIsFirebase = true
        }
        checking.peer.script(.post, Google.lookup, .status(403))
        let user = try await checking.user("native")
        await expectRefusal(StoreError.unavailable(.directoryRefused).refusal) {
            try await checking.flows.accounts.remove(user, client: nil)
        }
    }

    @Test("A user with a second factor gets no custom token for a merge")
    func callerSecondFactor() async throws {
        let deployment = try await deployment()
        await expectRefusal(Refusal.firebaseFactorEnrolled) {
            try await merge(in: deployment, caller: Self.secondFactor, other: [:])
        }
        #expect(!deployment.store.calls.contains(.merge))
    }

    @Test(
        "An account with a second factor does not go, nor does one whose session ended, or whose user is out or gone",
        arguments: [
            (secondFactor, .secondFactorRequired), (["disabled": .bool(true)], .userDisabled),
            (["validSince": .string("1700000000")], .idTokenRevoked), (nil, .accountGone),
        ] as [([String: JSON]?, Reason)])
    func other(_ members: [String: JSON]?, _ error: Reason) async throws {
        let deployment = try await deployment()
        await expectRefusal(error) {
            try await merge(in: deployment, caller: [:], other: members)
        }
        #expect(!deployment.store.spentKinds.contains(.firebaseIDToken))
        #expect(!deployment.store.calls.contains(.merge))
    }

    @Test(
        "Nor does an account take over another whose own session ended, or whose user is out or gone",
        arguments: [
            (["disabled": .bool(true)], .userDisabled), (["validSince": .string("1700000000")], .idTokenRevoked),
            (nil, .accountGone),
        ] as [([String: JSON]?, Reason)])
    func caller(_ members: [String: JSON]?, _ error: Reason) async throws {
        let deployment = try await deployment()
        await expectRefusal(error) {
            try await merge(in: deployment, caller: members, other: [:])
        }
        #expect(deployment.peer.requests(to: Google.lookup).count == 1)
        #expect(!deployment.store.calls.contains(.merge))
    }

    @Test("A malformed response of Google changes nothing, and the proof is given back")
    func unreadable() async throws {
        let deployment = try await deployment()
        let unreadable: [String: JSON] = ["providerUserInfo": .array([.object([:])])]
        let fault = StoreError(ofLookup: .malformedAnswer)
        await expectRefusal(fault.refusal) {
            try await merge(in: deployment, caller: unreadable, other: [:])
        }
        deployment.scriptLookup([Person.yahooUID: [:], Person.xUID: unreadable])
        let pending = try await deployment.linkConflict(.xPair, to: Person.yahooUID).pendingCredential
        let user = try await deployment.user(Person.yahooUID)
        await expectRefusal(fault.refusal.unspent) {
            try await deployment.flows.accounts.merge(
                user, MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(pending)))
        }
        #expect(!deployment.store.spentKinds.contains(.pendingCredential))
        #expect(!deployment.store.calls.contains(.merge))
    }

    @Test("If Google does not respond, nothing is merged")
    func unreachable() async throws {
        let deployment = try await deployment()
        deployment.peer.script(.post, Google.lookup, .status(503))
        let bearer = try deployment.bearer(Person.xUID)
        await expectRefusal(StoreError(IdentityToolkitError.unavailable(status: 503)).refusal) {
            try await deployment.flows.accounts.merge(
                deployment.user(Person.yahooUID), MergeRequest(client: DeploymentPlan.app, proof: .idToken(bearer)))
        }
        #expect(!deployment.store.calls.contains(.merge))
    }

    @Test("The Firebase user of the account that is merged away is deleted first; one that may not be deleted is kept")
    func removal() async throws {
        for (status, removal) in [(200, FirebaseUserRemoval.deleted), (403, .kept)] {
            let deployment = try await deployment()
            deployment.peer.script(.post, Google.delete, .json("{}", status: status))
            deployment.peer.script(.post, Google.update, .status(403))
            let outcome = try await merge(in: deployment, caller: [:], other: [:])
            #expect(outcome.removal == removal && outcome.mergedUID == Person.xUID)
            let request = try #require(deployment.peer.requests(to: Google.delete).first)
            #expect(try JSON.parse(request.body) == .object(["localId": .string(Person.xUID.text)]))
        }
    }

    @Test("If a user cannot be deleted now, both accounts stay unchanged and the proof stays usable")
    func removalFails() async throws {
        let deployment = try await deployment()
        deployment.peer.script(.post, Google.delete, .status(503))
        let error = StoreError(IdentityToolkitError.unavailable(status: 503)).refusal.unspent
        await expectRefusal(error) { try await merge(in: deployment, caller: [:], other: [:]) }
        #expect(!deployment.store.spentKinds.contains(.firebaseIDToken))
        #expect(!deployment.store.calls.contains(.merge))
        let pending = try await deployment.linkConflict(.xPair, to: Person.yahooUID).pendingCredential
        let user = try await deployment.user(Person.yahooUID)
        let request = MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(pending))
        await expectRefusal(error) { try await deployment.flows.accounts.merge(user, request) }
        deployment.peer.script(.post, Google.delete, .json("{}"))
        #expect(try await deployment.flows.accounts.merge(user, request).removal == .deleted)
    }

    @Test("No Firebase user is deleted for a merge that the store would refuse")
    func refusedBefore() async throws {
        let deployment = try await deployment()
        deployment.peer.script(.post, Google.delete, .json("{}"))
        deployment.scriptLookup([Person.yahooUID: [:], Person.xUID: [:], "yahoo.com:second": [:]])
        _ = try await deployment.exchange(
            deployment.yahooIDToken { $0.claims["sub"] = .string("second") }, of: Yahoo.id)
        for (uid, error) in [
            (Person.yahooUID, Refusal.ownAccount), ("yahoo.com:second", .providerAlreadyLinked),
        ] {
            let bearer = try deployment.bearer(uid)
            await expectRefusal(error) {
                try await deployment.merge(bearer)
            }
        }
        #expect(deployment.peer.requests(to: Google.delete).isEmpty)
    }

    @Test("With a pending credential, no Firebase user is deleted for a merge that the store would refuse")
    func refusedBeforeByPending() async throws {
        let deployment = try await deployment()
        deployment.scriptLookup([Person.yahooUID: [:], Person.xUID: [:]])
        let holder = try await deployment.user(Person.xUID)
        let second = try deployment.yahooIDToken { $0.claims["sub"] = .string("second") }
        _ = try await deployment.flows.accounts.link(
            holder,
            .credential(ExchangeRequest(client: DeploymentPlan.app, provider: Yahoo.id, credential: second)))
        let pending = try await deployment.linkConflict(.xPair, to: Person.yahooUID).pendingCredential
        let user = try await deployment.user(Person.yahooUID)
        await expectRefusal(Refusal.providerAlreadyLinked) {
            try await deployment.flows.accounts.merge(
                user, MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(pending)))
        }
        #expect(deployment.peer.requests(to: Google.delete).isEmpty)
    }

    @Test("A token whose user is gone by now is no proof for another attempt")
    func storeFailsAfterRemoval() async throws {
        let deployment = try await deployment()
        deployment.peer.script(.post, Google.delete, .json("{}"))
        deployment.store.fail(atCall: 9)
        await expectRefusal(StoreError.unavailable(.busy).refusal.spent) {
            try await merge(in: deployment, caller: [:], other: [:])
        }
        #expect(deployment.store.spentKinds.contains(.firebaseIDToken))
    }
}
