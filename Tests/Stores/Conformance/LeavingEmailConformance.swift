import JOSE
import Stores
import Testing

@Suite("Conformance of email addresses after unlinking", .serialized)
struct LeavingEmailConformance {
    private let address = "someone@example.com"

    private func arrival(_ provider: String, _ email: String?) -> IncomingIdentity {
        IncomingIdentity(
            identity: ExternalIdentity(provider: provider, subject: "s"), details: IdentityDetails(email: email),
            email: email.flatMap { EmailAddress($0) })
    }

    /// Adds an account with identities of Yahoo and X, and unlinks the one of Yahoo.
    private func unlinked(_ store: any Store, other email: String?, hasOtherWayIn: Bool = false) async throws {
        var account = StoredAccount(uid: "one", createdAt: now)
        account.email = EmailAddress(address)
        account.hasOtherWayIn = hasOtherWayIn
        account.identities = [arrival("twitter.com", email), arrival("yahoo.com", address)]
            .map { StoredIdentity($0, at: now) }
        #expect(try await store.add(account) == .added)
        guard case .unlinked = try await store.unlink(provider: "yahoo.com", from: "one", at: now)
        else { throw Unexpected() }
    }

    private func signIn(_ store: any Store) async throws -> SignInDecision {
        try await store.signIn(
            arrival("yahoo.com", address), candidates: ["two"], emails: .oneAccountEach, at: now)
    }

    @Test(
        "LK-17: unlinking removes the address of the identity, which can then sign in to a new account",
        arguments: Database.allCases)
    func leaves(database: Database) async throws {
        try await database.withStore { store async throws in
            try await unlinked(store, other: nil)
            #expect(try await store.account(uid: "one")?.email == nil)
            #expect(try await signIn(store) == .signedIn(uid: "two", isNew: true, hasFactor: false))
        }
    }

    @Test(
        "The address stays if another identity has it, or if the account has another sign-in method",
        arguments: Database.allCases)
    func stays(database: Database) async throws {
        for (email, hasOtherWayIn) in [("Someone@example.com", false), ("another@example.com", true)] {
            try await database.withStore { store async throws in
                try await unlinked(store, other: email, hasOtherWayIn: hasOtherWayIn)
                let one = try #require(try await store.account(uid: "one"))
                #expect(one.email == EmailAddress(address))
                #expect(try await signIn(store) == .emailTaken(by: [one]))
            }
        }
    }
}
