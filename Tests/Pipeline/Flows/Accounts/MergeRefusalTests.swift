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

@Suite("Refused merges")
struct MergeRefusalTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    @Test("The caller's own account is refused as the other one, and the token stays usable")
    func own() async throws {
        try await deployment.makeTwoAccounts()
        await expectRefusal(Refusal.ownAccount) {
            try await deployment.merge(deployment.bearer(Person.yahooUID))
        }
        #expect(!deployment.store.spentKinds.contains(.firebaseIDToken))
        try await deployment.expectTwoAccounts()
    }

    @Test("If both accounts have an identity of one provider, nothing is changed, and the token stays usable")
    func providerTaken() async throws {
        try await deployment.makeTwoAccounts()
        _ = try await deployment.exchange(
            deployment.yahooIDToken { $0.claims["sub"] = .string("second") }, of: Yahoo.id)
        let bearer = try deployment.bearer("yahoo.com:second")
        await expectRefusal(Refusal.providerAlreadyLinked) {
            try await deployment.merge(bearer)
        }
        #expect(try await deployment.identities(of: "yahoo.com:second")?.map(\.subject) == ["second"])
        #expect(!deployment.store.spentKinds.contains(.firebaseIDToken))
        try await deployment.expectTwoAccounts()
    }

    @Test("An account with a way in that cannot be moved does not go")
    func otherSignInMethod() async throws {
        try await deployment.makeTwoAccounts()
        await expectRefusal(Refusal.otherSignInMethod) {
            try await deployment.merge(deployment.bearer("native"))
        }
        #expect(try await deployment.store.account(uid: "native") == nil)
        try await deployment.expectTwoAccounts()
    }

    @Test(
        "A disabled account can neither be merged away nor take over another",
        arguments: [Person.yahooUID, Person.xUID])
    func disabled(_ uid: UID) async throws {
        try await deployment.makeTwoAccounts()
        #expect(try await deployment.store.setDisabled(true, uid: uid))
        await expectRefusal(Refusal.userDisabled) {
            try await deployment.merge(deployment.bearer(Person.xUID))
        }
        try await deployment.expectTwoAccounts()
    }

    @Test("A merge that was not written gives the token back; one that may have been does not")
    func faults() async throws {
        try await deployment.makeTwoAccounts()
        let bearer = try deployment.bearer(Person.xUID)
        deployment.store.fail(atCall: 9)
        await expectRefusal(StoreError.unavailable(.busy).refusal.unspent) {
            try await deployment.merge(bearer)
        }
        #expect(!deployment.store.spentKinds.contains(.firebaseIDToken))
        try await deployment.expectTwoAccounts()
        deployment.store.fail(atCall: 9, with: .outcomeUnknown(.busy))
        await expectRefusal(StoreError.outcomeUnknown(.busy).refusal.spent) {
            try await deployment.merge(bearer)
        }
        #expect(deployment.store.spentKinds.contains(.firebaseIDToken))
        try await deployment.expectTwoAccounts()
        await expectRefusal(Refusal.replayed(.firebaseIDToken)) { try await deployment.merge(bearer) }
    }
}
