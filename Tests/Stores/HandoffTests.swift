import JOSE
import SQLiteStores
import Stores
import Testing

/// Tests that are specific to SQLite.
///
/// ``HandoffConformance`` has the others.
@Suite("Handoffs")
struct HandoffTests {
    @Test("A used code is a replay after its handoff was swept, and unknown after its record was swept")
    func sweepAfterUse() async throws {
        let store = try SQLiteStore.inMemory()
        try await store.keep(Handoff.baseline())
        _ = try await store.redeem(.baseline(), at: now)
        _ = try await store.sweepHandoffs(expiredBefore: later, atMost: 10)
        #expect(try await store.redeem(.baseline(), at: now).name == "replayed")
        _ = try await store.sweep(expiredBefore: later + .seconds(1), atMost: 10)
        #expect(try await store.redeem(.baseline(), at: now).name == "unknown")
    }

    @Test("A stored handoff is valid after a restart, and a redeemed one is a replay")
    func restart() async throws {
        let folder = try TemporaryFolder()
        let first = try SQLiteStore.open(path: folder.database)
        try await first.keep(Handoff.baseline("kept"))
        try await first.keep(Handoff.baseline("used"))
        _ = try await first.redeem(.baseline("used"), at: now)
        try first.close()
        let second = try SQLiteStore.open(path: folder.database)
        #expect(try await second.redeem(.baseline("used"), at: now).name == "replayed")
        #expect(try await second.redeem(.baseline("kept"), at: now).name == "redeemed")
        try second.close()
    }

    @Test("A closed store refuses to store and to redeem a handoff")
    func shut() async throws {
        let store = try SQLiteStore.inMemory()
        try store.close()
        await #expect(throws: StoreError.unavailable(.closed)) { try await store.keep(Handoff.baseline()) }
        await #expect(throws: StoreError.unavailable(.closed)) { _ = try await store.redeem(.baseline(), at: now) }
    }
}
