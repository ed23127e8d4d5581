import Firebase
import Testing

@testable import token_exchange

@Suite("Firebase users of an operator's command")
struct FirebaseUsersTests {
    @Test(
        "A user who stays in one tenant is told of, in whatever order the tenants are asked",
        arguments: [
            ([], "none"), ([.none, .none], "none"), ([.none, .deleted], "deleted"), ([.deleted, .none], "deleted"),
            ([.kept, .deleted], "kept"), ([.deleted, .kept], "kept"), ([.sessionsEnded, .deleted], "kept"),
            ([.sessionsEnded], "kept"),
        ] as [([FirebaseUserRemoval], String)])
    func outcome(removals: [FirebaseUserRemoval], word: String) {
        #expect(FirebaseUsers.outcome(of: removals) == word)
    }
}
