import Accounts
import JOSE
import Jansson
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("E-mail addresses of accounts")
struct EmailRuleTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment { $0.emails = .oneAccountEach }
    }

    private func resolve(_ subject: String, email: String, verified: Bool = true) async throws -> Account {
        try await deployment.accounts.findOrMake(
            deployment.yahooIdentity(subject: subject) {
                $0.claims["email"] = .string(email)
                $0.claims["email_verified"] = .bool(verified)
            })
    }

    @Test("A new identity with the verified address of an account is refused")
    func taken() async throws {
        let owner = try await resolve("owner", email: "ann@example.org")
        let stored = try #require(try await deployment.store.account(uid: owner.uid))
        for email in ["ann@example.org", "Ann@EXAMPLE.org"] {
            await #expect(throws: AccountCollision.emailTaken(by: [stored])) {
                try await resolve("other", email: email)
            }
        }
        #expect(try await deployment.store.accounts(after: nil, atMost: 10) == [stored])
    }

    @Test(
        "Addresses that only look alike are different",
        arguments: ["\u{E1}nn@example.org", "ann@example.org.", "ann+1@example.org"])
    func alike(_ email: String) async throws {
        _ = try await resolve("owner", email: "ann@example.org")
        #expect(try await resolve("other", email: email).isNew)
    }

    @Test("The address of a deleted account is free again")
    func removed() async throws {
        let owner = try await resolve("owner", email: "ann@example.org")
        #expect(try await deployment.store.retire(uid: owner.uid, at: deployment.clock.now))
        #expect(try await resolve("other", email: "ann@example.org").isNew)
    }

    @Test("LK-14: An unverified address causes no conflict and is not kept as the account's")
    func unverified() async throws {
        let first = try await resolve("first", email: "ann@example.org", verified: false)
        #expect(try await deployment.store.account(uid: first.uid)?.email == nil)
        _ = try await resolve("owner", email: "ann@example.org")
        #expect(try await resolve("third", email: "ann@example.org", verified: false).isNew)
    }

    @Test("LK-19: A disabled account allows no sign-in and keeps its address")
    func disabled() async throws {
        let owner = try await resolve("owner", email: "ann@example.org")
        #expect(try await deployment.store.setDisabled(true, uid: owner.uid))
        await expectRefusal(Refusal.userDisabled) { try await resolve("owner", email: "ann@example.org") }
        await #expect(throws: AccountCollision.self) { try await resolve("other", email: "ann@example.org") }
    }
}
