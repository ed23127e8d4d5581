import Accounts
import Fixtures
import Flows
import Jansson
import Standards
import Stores
import Support
import Testing

@Suite("One account for each verified address")
struct OneAccountPerEmailTests {
    @Test(
        "A first sign-in whose verified address belongs to another account gets the providers of that account, and creates nothing"
    )
    func conflict() async throws {
        let deployment = try await Deployment.ofAnn()
        _ = try await deployment.link(.xPair, to: Person.yahooUID)
        let conflict = try await deployment.emailConflict()
        #expect(conflict.kind == .accountExists(email: "ann@example.org", providers: ["twitter.com", "yahoo.com"]))
        #expect(try await deployment.store.account(uid: Person.genericUID) == nil)
        #expect(try await deployment.identities(of: Person.yahooUID)?.count == 2)
    }

    @Test("The letter case of ASCII does not matter; the conflict shows the address as it was sent")
    func letterCase() async throws {
        let conflict = try await Deployment.ofAnn().emailConflict("ANN@Example.ORG")
        #expect(conflict.kind == .accountExists(email: "ANN@Example.ORG", providers: ["yahoo.com"]))
    }

    @Test(
        "LK-14: An unverified address causes no conflict, and is not stored for the account",
        arguments: [
            JSON.bool(false), .string("true"), nil,
        ])
    func unverified(_ verified: JSON?) async throws {
        let deployment = try await Deployment.ofAnn()
        let outcome = try await deployment.exchange(deployment.namesake(verified: verified), of: Generic.id)
        #expect(outcome.account.uid == Person.genericUID)
        #expect(outcome.account.isNew)
        #expect(try await deployment.store.account(uid: Person.genericUID)?.email == nil)
    }

    @Test("LK-14: An earlier account with the unverified address does not prevent the sign-in of its owner")
    func preHijacking() async throws {
        let deployment = try Deployment { $0.emails = .oneAccountEach }
        let attacker = try await deployment.exchange(
            deployment.namesake(verified: .bool(false)), of: Generic.id)
        let victim = try await deployment.signIn(.yahooIDToken).account
        #expect(victim.isNew)
        #expect(victim.uid != attacker.account.uid)
        #expect(try await deployment.store.account(uid: victim.uid)?.email == EmailAddress("ann@example.org"))
    }

    @Test("If addresses may be shared, there is no conflict")
    func shared() async throws {
        let deployment = try await Deployment.ofAnn(.shared)
        let outcome = try await deployment.exchange(deployment.namesake(), of: Generic.id)
        #expect(outcome.account.isNew)
        #expect(outcome.account.uid == Person.genericUID)
    }

    @Test("A known identity signs in, whatever address it has")
    func known() async throws {
        let deployment = try await Deployment.ofAnn()
        _ = try await deployment.exchange(deployment.namesake(email: "other@example.org"), of: Generic.id)
        let later = try await deployment.exchange(deployment.namesake(), of: Generic.id)
        #expect(!later.account.isNew)
        #expect(later.account.uid == Person.genericUID)
    }

    @Test("Another address is no conflict")
    func otherAddress() async throws {
        let deployment = try await Deployment.ofAnn()
        let outcome = try await deployment.exchange(
            deployment.namesake(email: "ann@example.com"), of: Generic.id)
        #expect(outcome.account.isNew)
    }

    @Test("A conflict names the sign-in methods at Firebase by its ids, and none if only the address is known")
    func nativeProviders() async throws {
        for (provider, identities, names): (String, String, [ProviderID]) in [
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
            // Beginning to add a second factor adopts the user, and reading the account does not.
            _ = try await deployment.flows.accounts.account(of: native, client: nil)
            #expect(try await deployment.store.account(uid: "native") == nil)
            _ = try await deployment.flows.accounts.enroll(native, client: DeploymentPlan.app, named: nil)
            let kind = try await deployment.emailConflict().kind
            #expect(kind == .accountExists(email: "ann@example.org", providers: names))
        }
        let imported = try Deployment { $0.emails = .oneAccountEach }
        var account = StoredAccount(uid: "imported", createdAt: imported.clock.now)
        account.email = EmailAddress("ann@example.org")
        #expect(try await imported.store.add(account) == .added)
        let kind = try await imported.emailConflict().kind
        #expect(kind == .accountExists(email: "ann@example.org", providers: []))
    }

    @Test("An address of a later sign-in that belongs to another account is reported")
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
