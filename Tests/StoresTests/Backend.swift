import SQLiteStores
import Stores

/// Everything that the pipeline asks of storage.
typealias Store = AccountDirectory & SpentCredentials & Handoffs & DeviceGrants & StoreHealth

/// The stores that must not be told apart by what they answer.
enum Backend: String, CaseIterable, Sendable {
    case sqliteFile = "SQLite, in a file"
    case sqliteMemory = "SQLite, in memory"

    /// Runs `body` with a store that is empty, and removes it.
    func withStore<Value>(_ body: (any Store) async throws -> Value) async throws -> Value {
        switch self {
        case .sqliteFile:
            let folder = try TemporaryFolder()
            let store = try SQLiteStore.open(path: folder.database)
            defer { try? store.close() }
            return try await body(store)
        case .sqliteMemory:
            return try await body(SQLiteStore.inMemory())
        }
    }
}
