import Firebase
import Testing

@testable import token_exchange

@Suite("Firebase users of an operator's command")
struct FirebaseUsersTests {
    @Test(
        "A user who is kept in one tenant is reported, for every order of the tenants",
        arguments: [
            ([], "none"), ([.none, .none], "none"), ([.none, .deleted], "deleted"), ([.deleted, .none], "deleted"),
            ([.kept, .deleted], "kept"), ([.deleted, .kept], "kept"), ([.sessionsEnded, .deleted], "kept"),
            ([.sessionsEnded], "kept"),
        ] as [([FirebaseUserRemoval], String)])
    func outcome(removals: [FirebaseUserRemoval], word: String) {
        #expect(FirebaseUsers.outcome(of: removals) == word)
    }
}
