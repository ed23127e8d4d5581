import Accounts
import Firebase
import Flows
import Jansson
import Minting
import SecondFactors
import Standards
import Stores
import Support
import Testing
import Transport

/// Accounts that change after a call has checked them, while it waits for a hook or for Google.
@Suite("Accounts that change during a call")
struct ChangedMeanwhileTests {
    /// Makes the answer of a peer wait for a change.
    private func during(
        _ url: String, of deployment: Deployment, _ answer: String,
        _ change: @escaping @Sendable () async throws -> Void
    ) {
        deployment.peer.script(
            .post, url,
            ScriptedAnswer { _ throws(TransportError) in
                do {
                    try await change()
                } catch {
                    throw .unreachable(host: "\(error)")
                }
                return OutboundResponse(
                    status: 200, header: [HeaderField("Content-Type", "application/json")], body: Array(answer.utf8))
            })
    }

    /// Makes a hook wait for a change.
    private func during(
        _ point: HookPoint, of deployment: Deployment, _ change: @escaping @Sendable () async throws -> Void
    ) {
        during(point.url, of: deployment, "{}", change)
    }

    @Test("An account that gets a second factor meanwhile is not linked, and the proof stays valid")
    func link() async throws {
        let deployment = try Deployment.hooked([.beforeLink])
        _ = try await deployment.signIn(.yahooIDToken)
        during(.beforeLink, of: deployment) { _ = try await deployment.enroll(Person.yahooUID) }
        let user = try await deployment.user(Person.yahooUID)
        await expectRefusal(Refusal.factorNotProven) {
            try await deployment.flows.accounts.link(user, deployment.proof(.xPair, of: user))
        }
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])
    }

    @Test("A session that has proven the second factor links, also if the account got one more meanwhile")
    func linkProven() async throws {
        let deployment = try Deployment.hooked([.beforeLink])
        _ = try await deployment.signIn(.yahooIDToken)
        _ = try await deployment.enroll(Person.yahooUID)
        during(.beforeLink, of: deployment) { try await deployment.addFactor(to: Person.yahooUID) }
        let user = try await deployment.proven(Person.yahooUID)
        _ = try await deployment.flows.accounts.link(user, deployment.proof(.xPair, of: user))
        #expect(try await deployment.identities(of: Person.yahooUID)?.count == 2)
        #expect(try await deployment.store.factors(of: FactorHolder(uid: Person.yahooUID)).confirmed.count == 2)
    }

    @Test("An account that gets a second factor meanwhile is neither merged away nor gets another account")
    func merge() async throws {
        for (uid, error) in [
            (Person.xUID, .mergeNotPossible), (Person.yahooUID, .secondFactorRequired),
        ] as [(UID, Reason)] {
            let deployment = try Deployment.hooked([.beforeLink])
            try await deployment.makeTwoAccounts()
            during(.beforeLink, of: deployment) { _ = try await deployment.enroll(uid) }
            await expectRefusal(error, isUnspent: true) {
                try await deployment.merge(deployment.bearer(Person.xUID))
            }
            try await deployment.expectTwoAccounts()
            #expect(try await deployment.store.factors(of: FactorHolder(uid: uid)).confirmed.count == 1)
        }
    }

    @Test("The commit of a merge checks both accounts once more, while the other user is removed at Firebase")
    func mergeCommit() async throws {
        for (uid, error) in [
            (Person.xUID, .mergeNotPossible), (Person.yahooUID, .secondFactorRequired),
        ] as [(UID, Reason)] {
            let deployment = try Deployment { $0.asksGoogle = true }
            try await deployment.makeTwoAccounts()
            deployment.scriptLookup([Person.yahooUID: [:], Person.xUID: [:]])
            during(Google.delete, of: deployment, "{}") { _ = try await deployment.enroll(uid) }
            let failure = await refusal {
                try await deployment.merge(deployment.bearer(Person.xUID))
            }
            #expect(failure?.reason == error && failure?.isUnspent == false)
            try await deployment.expectTwoAccounts()
            #expect(try await deployment.store.factors(of: FactorHolder(uid: uid)).confirmed.count == 1)
        }
    }

    @Test("An account that gets a second factor meanwhile is not deleted")
    func delete() async throws {
        let deployment = try Deployment { $0.asksGoogle = true }
        _ = try await deployment.signIn(.yahooIDToken)
        deployment.scriptLookup([Person.yahooUID: [:]])
        during(Google.delete, of: deployment, "{}") { _ = try await deployment.enroll(Person.yahooUID) }
        let user = try await deployment.user(Person.yahooUID)
        await expectRefusal(Refusal.factorNotProven) {
            try await deployment.flows.accounts.remove(user, client: nil)
        }
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])
    }

    @Test("A merge by a conflict ends if the identity of the conflict leaves the account meanwhile")
    func mergePending() async throws {
        let deployment = try Deployment.hooked([.beforeLink])
        _ = try await deployment.signIn(.xPair)
        _ = try await deployment.link(.genericCode, to: Person.xUID)
        _ = try await deployment.signIn(.yahooIDToken)
        let conflict = try await deployment.linkConflict(.xPair, to: Person.yahooUID)
        during(.beforeLink, of: deployment) {
            _ = try await deployment.store.unlink(
                provider: X.id, from: Person.xUID, at: deployment.clock.now)
        }
        let user = try await deployment.user(Person.yahooUID)
        await expectRefusal(Refusal.pendingCredentialExpired.unspent) {
            try await deployment.flows.accounts.merge(
                user,
                MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(conflict.pendingCredential)))
        }
        #expect(try await deployment.identities(of: Person.xUID) == [Person.generic])
        #expect(try await deployment.identities(of: Person.yahooUID) == [Person.yahoo])
    }

    @Test("If the person confirms first, the thief's factor is unknown, and the thief cannot begin another one")
    func confirmedFirst() async throws {
        let deployment = try Deployment()
        _ = try await deployment.signIn(.yahooIDToken)
        let accounts = deployment.flows.accounts
        let (thief, person) = (
            try await deployment.user(Person.yahooUID), try await deployment.user(Person.yahooUID)
        )
        func begin(_ user: FirebaseUser) async throws -> Authenticator {
            let begun = try await accounts.enroll(user, client: DeploymentPlan.app, named: nil)
            return Authenticator(begun.id, secret: begun.secret.secretText, time: deployment.clock.source)
        }
        func confirm(_ factor: Authenticator, _ user: FirebaseUser) async throws {
            _ = try await accounts.confirm(
                factor.id, of: user, client: DeploymentPlan.app, by: Secret(factor.code()))
        }
        let (thiefs, persons) = (try await begin(thief), try await begin(person))
        // The second factor that was begun has replaced the first one.
        await expectRefusal(Refusal.unknownFactor) {
            try await confirm(thiefs, thief)
        }
        try await confirm(persons, person)
        for factor in [thiefs, persons] {
            await expectRefusal(Refusal.factorNotProven.spent) {
                try await confirm(factor, thief)
            }
        }
        await expectRefusal(Refusal.factorNotProven.spent) { try await begin(thief) }
        let factors = try await deployment.store.factors(of: FactorHolder(uid: Person.yahooUID))
        #expect(factors.factors.map(\.id) == [persons.id])
    }
}

extension Deployment {
    /// Adds one more factor to an account, by a session that has proven the existing ones.
    fileprivate func addFactor(to uid: UID) async throws {
        let user = try await proven(uid)
        let begun = try await flows.accounts.enroll(user, client: DeploymentPlan.app, named: nil)
        let authenticator = Authenticator(begun.id, secret: begun.secret.secretText, time: clock.source)
        _ = try await flows.accounts.confirm(
            begun.id, of: user, client: DeploymentPlan.app, by: Secret(authenticator.code()))
    }
}
