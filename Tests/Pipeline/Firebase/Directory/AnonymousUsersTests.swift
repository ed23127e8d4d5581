import Firebase
import Fixtures
import Jansson
import SQLiteStores
import Standards
import Stores
import Testing
import Transport

@Suite("Firebase users of anonymous accounts")
struct AnonymousUsersTests {
    private let toolkit = Toolkit()
    private let store: SQLiteStore

    init() throws {
        store = try SQLiteStore.inMemory()
    }

    private func users(isRequired: Bool = false) -> AnonymousUsers {
        AnonymousUsers(tenants: .shared([Scene.users(toolkit)]), local: store, isRequired: isRequired)
    }

    /// Anonymous accounts whose retention is over, each with its Firebase user.
    private func make(_ uids: UID...) async throws {
        for uid in uids {
            _ = try await store.makeAnonymous(candidates: [uid], deleteAfter: Scene.now, at: Scene.now)
            toolkit.put(uid, ["customAuth": .bool(true)])
        }
    }

    @Test(
        "An account whose user has got an identity at Firebase is not deleted",
        arguments: [
            (["passwordHash": .string("hash")], ["password"]),
            (["email": .string("ann@example.com")], ["password"]),
            (["providerUserInfo": .array([.object(["providerId": .string("google.com")])])], ["google.com"]),
        ] as [([String: JSON], [ProviderID])])
    func upgraded(_ members: [String: JSON], _ names: [ProviderID]) async throws {
        try await make("stale", "upgraded")
        toolkit.put("upgraded", members)
        try await users().keepUpgraded(["stale", "upgraded"], at: Scene.now)
        #expect(try await store.sweepAnonymous(["stale", "upgraded"], at: Scene.now) == ["stale"])
        let kept = try await store.account(uid: "upgraded")
        #expect(kept?.isAnonymous == false && kept?.signInMethods.names == names)
    }

    @Test("The users of deleted accounts are deleted, except one that has just been upgraded")
    func deleted() async throws {
        try await make("stale", "quick")
        toolkit.put("quick", ["passwordHash": .string("hash")])
        #expect(try await users().deleteSwept(["stale", "quick", "unseen"], at: Scene.now) == ["quick"])
        #expect(toolkit.uids == ["quick"])
    }

    @Test("Without permission to read users, the local records decide, and no user is deleted")
    func denied() async throws {
        try await make("stale")
        toolkit.down("accounts:lookup", .answer(403, "{}"))
        try await users().keepUpgraded(["stale"], at: Scene.now)
        #expect(try await users().deleteSwept(["stale"], at: Scene.now) == ["stale"])
        await #expect(throws: StoreError.unavailable(.directoryRefused)) {
            try await users(isRequired: true).keepUpgraded(["stale"], at: Scene.now)
        }
        await #expect(throws: IdentityToolkitError.permissionDenied(.role)) {
            try await users(isRequired: true).deleteSwept(["stale"], at: Scene.now)
        }
    }

    @Test("Without permission to delete users, their sessions are revoked if that is permitted")
    func deletionDenied() async throws {
        try await make("stale")
        toolkit.down("accounts:batchDelete", .answer(403, "{}"))
        #expect(try await users().deleteSwept(["stale"], at: Scene.now) == ["stale"])
        #expect(toolkit.member("validSince", of: "stale") == .string("1700000000"))
        toolkit.down("accounts:update", .answer(403, "{}"))
        #expect(try await users().deleteSwept(["stale"], at: Scene.now) == ["stale"])
    }

    @Test("If one user is missing, the sessions of the others are revoked nevertheless")
    func goneMeanwhile() async throws {
        try await make("a", "b")
        toolkit.down("accounts:batchDelete", .answer(403, "{}"))
        toolkit.fail("accounts:update", .answer(400, #"{"error":{"message":"USER_NOT_FOUND"}}"#))
        #expect(Set(try await users().deleteSwept(["a", "b"], at: Scene.now)) == ["a", "b"])
        #expect(["a", "b"].count { toolkit.member("validSince", of: $0) != nil } == 1)
    }

    @Test("If Identity Toolkit does not respond, no account may be deleted")
    func unreachable() async throws {
        try await make("stale")
        toolkit.down("accounts:lookup")
        await #expect(throws: Toolkit.unreachable) {
            try await users().keepUpgraded(["stale"], at: Scene.now)
        }
    }
}
