import Firebase
import Testing

@testable import token_exchange

@Suite("Firebase users of the accounts command")
struct FirebaseUsersTests {
    @Test(
        "A user that is kept in one tenant is reported as kept, for every order of the tenants",
        arguments: [
            ([], "none"), ([.none, .none], "none"), ([.none, .deleted], "deleted"), ([.deleted, .none], "deleted"),
            ([.kept, .deleted], "kept"), ([.deleted, .kept], "kept"), ([.sessionsEnded, .deleted], "kept"),
            ([.sessionsEnded], "kept"),
        ] as [([FirebaseUserRemoval], String)])
    func outcome(removals: [FirebaseUserRemoval], word: String) {
        #expect(FirebaseUsers.outcome(of: removals) == word)
    }
}
