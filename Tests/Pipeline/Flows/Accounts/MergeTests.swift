import Accounts
import Firebase
import Flows
import JOSE
import Jansson
import Standards
import Stores
import Support
import Testing

@Suite("Merging")
struct MergeTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    @Test("The caller's account takes over the identities of the other, whose uid is never used again")
    func baseline() async throws {
        try await deployment.makeTwoAccounts()
        let bearer = try deployment.bearer(Person.xUID)
        let outcome = try await deployment.merge(bearer)
        #expect(outcome.mergedUID == Person.xUID)
        #expect(outcome.account.uid == Person.yahooUID)
        #expect(Set(outcome.account.identities.map(\.identity)) == [Person.yahoo, Person.x])
        #expect(try await deployment.identities(of: Person.xUID) == nil)
        for way in [Way.yahooIDToken, .xPair] {
            #expect(try await deployment.signIn(way).account.uid == Person.yahooUID)
        }
        let merged = try await deployment.flows.accounts.user(bearer)
        await expectRefusal(Refusal.accountGone) {
            try await deployment.flows.accounts.account(of: merged, client: nil)
        }
        await expectRefusal(Refusal.accountGone) { try await deployment.merge(bearer) }
    }

    @Test("An anonymous caller's account becomes permanent")
    func anonymous() async throws {
        _ = try await deployment.signIn(.xPair)
        let uid = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        let outcome = try await deployment.flows.accounts.merge(
            deployment.user(uid),
            MergeRequest(client: DeploymentPlan.app, proof: .idToken(deployment.bearer(Person.xUID))))
        #expect(outcome.account.uid == uid)
        #expect(!outcome.account.isAnonymous)
        #expect(outcome.account.identities.map(\.identity) == [Person.x])
    }

    @Test("Either sign-in has to be recent")
    func stale() async throws {
        try await deployment.makeTwoAccounts()
        let other = try deployment.bearer(Person.xUID)
        await expectRefusal(Reason.requiresRecentLogin) {
            try await deployment.merge(other, signedIn: 301)
        }
        let late = try deployment.bearer(Person.xUID) {
            $0.claims["auth_time"] = .integer(deployment.clock.now.seconds - 301)
        }
        await expectRefusal(Reason.requiresRecentLogin) { try await deployment.merge(late) }
        #expect(!deployment.store.spentKinds.contains(.firebaseIDToken))
        try await deployment.expectTwoAccounts()
        let latest = try deployment.bearer(Person.xUID) {
            $0.claims["auth_time"] = .integer(deployment.clock.now.seconds - 300)
        }
        _ = try await deployment.merge(latest, signedIn: 300)
    }

    @Test("An invalid token, and a token of another project, end no account")
    func foreign() async throws {
        try await deployment.makeTwoAccounts()
        let token = try deployment.bearer(Person.xUID) { $0.claims["aud"] = .string("another-project") }
        let error = await refusal { try await deployment.flows.accounts.user(token) }
        await expectRefusal(try #require(error)) { try await deployment.merge(token) }
        try await deployment.expectTwoAccounts()
    }

    @Test("Its token ends an account once")
    func replay() async throws {
        try await deployment.makeTwoAccounts()
        let bearer = try deployment.bearer(Person.xUID)
        let record = try await deployment.flows.accounts.user(bearer).record
        #expect(try await deployment.store.spend([record], at: deployment.clock.now) == .first)
        await expectRefusal(Refusal.replayed(.firebaseIDToken)) { try await deployment.merge(bearer) }
        try await deployment.expectTwoAccounts()
        // One second later it is another token.
        deployment.clock.advance(by: .seconds(1))
        _ = try await deployment.merge(deployment.bearer(Person.xUID))
        #expect(deployment.store.spentKinds.filter { $0 == .firebaseIDToken }.count == 2)
    }
}
