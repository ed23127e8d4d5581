import Curl
import FirestoreStores
import Fixtures
import GRDB
import JOSE
import PostgresStores
import SQLiteStores
import Standards
import Stores

/// All store protocols together.
typealias Store =
    AccountDirectory & AccountAdministration & AuditLog & SpentCredentials & Handoffs & DeviceGrants & EnrolledFactors
    & PendingCredentials & ServerRegistry & StoreHealth & StoreWatch

/// The databases on which the stores must behave identically.
enum Database: String, Sendable {
    case sqlite = "SQLite"
    case memory = "SQLite, in memory"
    case postgres = "PostgreSQL"
    /// PostgreSQL with serializable transactions, the only isolation level of some compatible engines. Conflicts fail
    /// with 40001 and the transaction is repeated.
    case serializable = "PostgreSQL, serializable"
    /// PostgreSQL as the store uses it behind a pooler that may run each transaction in another session.
    case pooled = "PostgreSQL, pooled transactions"
    /// Google's emulator of Firestore, if it is installed.
    case firestore = "Firestore"

    static let allCases: [Database] =
        [.sqlite, .memory, .postgres, .serializable, .pooled] + (FirestoreEmulator.isInstalled ? [.firestore] : [])

    /// The error of a statement that violates a constraint.
    ///
    /// The message of PostgreSQL could quote the row that was refused, so that only its code remains.
    func violation(of sqlState: String) -> StoreError {
        switch self {
        case .postgres, .serializable, .pooled: .unavailable(.other, cause: "SQLSTATE \(sqlState)")
        case .sqlite, .memory, .firestore: .unavailable(.other)
        }
    }

    /// Runs `body` with `count` stores on one empty database, as if on different machines, and removes the database.
    func withStores<Value>(_ count: Int = 1, _ body: ([any Store]) async throws -> Value) async throws -> Value {
        switch self {
        case .sqlite:
            let folder = try TemporaryFolder()
            let stores = try (0..<count).map { _ in try SQLiteStore.open(path: folder.database) }
            defer { for store in stores { try? store.close() } }
            return try await body(stores)
        case .memory:
            // A database in memory has one store, however many are requested.
            return try await body(Array(repeating: try SQLiteStore.inMemory(), count: count))
        case .postgres, .serializable, .pooled:
            let place = try PostgresServer.shared.get().place(settings: settings)
            let stores = try (0..<count).map { _ in try openPostgres(place, connections: 4) }
            defer { for store in stores { store.close() } }
            return try await body(stores)
        case .firestore:
            let place = try FirestorePlace.empty()
            return try await body((0..<count).map { _ in try FirestoreStore.open(place) })
        }
    }

    private var settings: [String] { self == .serializable ? ["default_transaction_isolation=serializable"] : [] }

    private func openPostgres(_ place: String, connections: Int, watching: Watching? = nil) throws -> PostgresStore {
        try PostgresStore.open(
            conninfo: place, connections: connections, poolsTransactions: self == .pooled, watching: watching)
    }

    /// The databases whose contents outlive their stores, and that a test can change by SQL.
    static let lasting: [Database] = [.sqlite, .postgres, .serializable, .pooled]
    /// The databases of which an earlier state may come back, or of which no process may have recorded a start.
    static let watched = lasting + allCases.filter { $0 == .firestore }

    /// Runs `body` with a function that opens a store on one database, any number of times.
    ///
    /// The function also returns a closure that closes the store like a clean stop of the server.
    func withOpening<Value>(
        _ body: (_ open: (Watching?) throws -> (store: any Store, close: () throws -> Void)) async throws -> Value
    ) async throws -> Value {
        if case .sqlite = self {
            let folder = try TemporaryFolder()
            return try await body { watching in
                let store = try SQLiteStore.open(path: folder.database, watching: watching)
                return (store, { try store.close() })
            }
        }
        if case .firestore = self {
            let place = try FirestorePlace.empty()
            return try await body { watching in (try FirestoreStore.open(place, watching: watching), {}) }
        }
        let place = try PostgresServer.shared.get().place(settings: settings)
        return try await body { watching in
            let store = try openPostgres(place, connections: 2, watching: watching)
            return (store, { store.close() })
        }
    }

    func withStore<Value>(_ body: (any Store) async throws -> Value) async throws -> Value {
        try await withStores { try await body($0[0]) }
    }

    /// Runs `body` with a store in files, and a function that runs SQL on its database past the store.
    func withLastingStore<Value>(
        _ body: (_ store: any Store, _ run: (String) throws -> Void) async throws -> Value
    ) async throws -> Value {
        if case .sqlite = self {
            let folder = try TemporaryFolder()
            let store = try SQLiteStore.open(path: folder.database)
            defer { try? store.close() }
            return try await body(store) { sql in
                let other = try DatabaseQueue(path: folder.database)
                try other.write { try $0.execute(sql: sql) }
                try other.close()
            }
        }
        let server = try PostgresServer.shared.get()
        let place = try server.place(settings: settings)
        let store = try openPostgres(place, connections: 2)
        defer { store.close() }
        return try await body(store) { _ = try server.query($0, in: place) }
    }
}

extension FirestorePlace {
    /// An empty database of the emulator.
    static func empty() throws -> FirestorePlace {
        let emulator = try FirestoreEmulator.shared.get()
        return FirestorePlace(project: "test", database: emulator.database(), emulator: emulator.host)
    }
}

extension FirestoreStore {
    /// The transport of all stores, over real connections.
    static let curl = Result { try CurlTransport() }

    /// Opens a store at ``now``, with the token that the emulator expects.
    static func open(_ place: FirestorePlace, watching: Watching? = nil) throws -> FirestoreStore {
        // The first commits of an emulator on a busy machine take longer than the usual budget.
        var patience = FirestorePatience()
        patience.budget = .seconds(60)
        return try FirestoreStore(
            place, transport: curl.get().transport, token: { _ in Secret("owner") }, time: TimeSource { now },
            watching: watching, patience: patience)
    }
}
