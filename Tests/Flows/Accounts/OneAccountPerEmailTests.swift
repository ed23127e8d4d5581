import Accounts
import Flows
import Jansson
import OAuth
import Stores
import Support
import Testing

@Suite("One account for each verified address")
struct OneAccountPerEmailTests {
    @Test("A first sign-in whose verified address is another account's is told of its providers, and makes nothing")
    func conflict() async throws {
        let deployment = try await Deployment.ofAnn()
        _ = try await deployment.link(.xPair, to: Person.yahooUID)
        let conflict = try await deployment.emailConflict()
        #expect(conflict.kind == .accountExists(email: "ann@example.org", providers: ["twitter.com", "yahoo.com"]))
        #expect(try await deployment.store.account(uid: Person.genericUID) == nil)
        #expect(try await deployment.identities(of: Person.yahooUID)?.count == 2)
    }

    @Test("The letters of ASCII are the same, small or large; the address is told as it came")
    func letterCase() async throws {
        let conflict = try await Deployment.ofAnn().emailConflict("ANN@Example.ORG")
        #expect(conflict.kind == .accountExists(email: "ANN@Example.ORG", providers: ["yahoo.com"]))
    }

    @Test(
        "LK-14: An address that nobody verified conflicts with nothing, and is not the account's",
        arguments: [
            JSON.bool(false), .string("true"), nil,
        ])
    func unverified(_ verified: JSON?) async throws {
        let deployment = try await Deployment.ofAnn()
        let outcome = try await deployment.exchange(deployment.namesake(verified: verified), of: Generic.id)
        #expect(outcome.account.uid.text == Person.genericUID)
        #expect(outcome.account.isNew)
        #expect(try await deployment.store.account(uid: Person.genericUID)?.email == nil)
    }

    @Test("LK-14: Who came first with an unverified address does not keep the person of it out")
    func preHijacking() async throws {
        let deployment = try Deployment { $0.emails = .oneAccountEach }
        let attacker = try await deployment.exchange(
            deployment.namesake(verified: .bool(false)), of: Generic.id)
        let victim = try await deployment.signIn(.yahooIDToken).account
        #expect(victim.isNew)
        #expect(victim.uid != attacker.account.uid)
        #expect(try await deployment.store.account(uid: victim.uid.text)?.email == EmailAddress("ann@example.org"))
    }

    @Test("Where addresses may be shared, nobody is stopped")
    func shared() async throws {
        let deployment = try await Deployment.ofAnn(.shared)
        let outcome = try await deployment.exchange(deployment.namesake(), of: Generic.id)
        #expect(outcome.account.isNew)
        #expect(outcome.account.uid.text == Person.genericUID)
    }

    @Test("A known identity signs in, whatever address it comes with")
    func known() async throws {
        let deployment = try await Deployment.ofAnn()
        _ = try await deployment.exchange(deployment.namesake(email: "other@example.org"), of: Generic.id)
        let later = try await deployment.exchange(deployment.namesake(), of: Generic.id)
        #expect(!later.account.isNew)
        #expect(later.account.uid.text == Person.genericUID)
    }

    @Test("Another address is no conflict")
    func otherAddress() async throws {
        let deployment = try await Deployment.ofAnn()
        let outcome = try await deployment.exchange(
            deployment.namesake(email: "ann@example.com"), of: Generic.id)
        #expect(outcome.account.isNew)
    }

    @Test("A conflict names what the account is entered by at Firebase, and is never without a name")
    func nativeProviders() async throws {
        for (provider, identities, names) in [
            ("password", #"{"email":["ann@example.org"]}"#, ["password"]),
            ("google.com", #"{"google.com":["1"],"email":["ann@example.org"]}"#, ["google.com"]),
            ("custom", "{}", ["custom"]),
        ] {
            let deployment = try Deployment { $0.emails = .oneAccountEach }
            let firebase = IDTokenBuilder.firebaseObject(changing: [
                "identities": try JSON.parse(Array(identities.utf8)), "sign_in_provider": .string(provider),
            ])
            let native = try await deployment.user("native") {
                $0.claims["email_verified"] = .bool(true)
                $0.claims["firebase"] = firebase
            }
            _ = try await deployment.flows.accounts.account(of: native, client: nil)
            let kind = try await deployment.emailConflict().kind
            #expect(kind == .accountExists(email: "ann@example.org", providers: names))
        }
        let imported = try Deployment { $0.emails = .oneAccountEach }
        var account = StoredAccount(uid: "imported", createdAt: imported.clock.now)
        account.email = EmailAddress("ann@example.org")
        #expect(try await imported.store.add(account) == .added)
        let kind = try await imported.emailConflict().kind
        #expect(kind == .accountExists(email: "ann@example.org", providers: ["firebase"]))
    }

    @Test("An address that a later sign-in brings, and another account has, is told")
    func laterAddress() async throws {
        let deployment = try await Deployment.ofAnn()
        let first = try await deployment.exchange(deployment.namesake(verified: .bool(false)), of: Generic.id)
        #expect(first.account.emailHeldBy == [])
        let later = try await deployment.exchange(deployment.namesake(), of: Generic.id)
        #expect(later.account.uid == first.account.uid)
        #expect(later.account.emailHeldBy == [Person.yahooUID])
        #expect(try await deployment.store.account(uid: Person.genericUID)?.email == nil)
    }
}
