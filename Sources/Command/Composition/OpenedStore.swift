internal import CoreMetrics
internal import Curl
internal import Firebase
internal import FirestoreStores
internal import Foundation
internal import JOSE
internal import Logging
internal import OperatingSystem
internal import PostgresStores
internal import SQLiteStores
internal import Settings
internal import Standards
internal import Stores

/// All storage interfaces that the program uses.
typealias Store =
    AccountAdministration & AccountDirectory & AuditLog & DeviceGrants & EnrolledFactors & Handoffs
    & PendingCredentials & ServerRegistry
    & SpentCredentials & StoreHealth & StoreStatistics & StoreWatch

/// The opened store of a configuration: SQLite, PostgreSQL or Firestore.
struct OpenedStore: Sendable {
    let store: any Store
    /// Waits for pending operations and closes the store.
    let close: @Sendable () -> Void
    /// Warnings about its files for the operator.
    let fileWarnings: [String]

    /// Opens the store and blocks the thread until it can be used.
    ///
    /// - Parameters:
    ///   - migrates: Whether to upgrade the tables. This needs a role with that right, and running servers may be too old
    ///     for the new tables.
    ///   - watching: The clock record of a store in which credentials are spent; `nil` for an operator's command.
    ///   - metrics: Receives the times of calls.
    static func open(
        _ settings: Settings, migrates: Bool, watching: Watching?,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws(StoreError) -> OpenedStore {
        switch settings.store {
        case .sqlite(let path):
            let store = try SQLiteStore.open(
                path: path, migrates: migrates, watching: watching, rules: settings.allowances.databaseRules,
                metrics: metrics)
            return OpenedStore(store: store, close: { try? store.close() }, fileWarnings: store.fileWarnings)
        case .postgres(let connection, let pooling):
            let store = try PostgresStore.open(
                conninfo: connection.secretText, waiting: settings.server.maximumInFlight,
                poolsTransactions: pooling == .transaction, migrates: migrates, watching: watching, metrics: metrics)
            return OpenedStore(store: store, close: { store.close() }, fileWarnings: [])
        case .firestore(let project, let database, let emulator):
            return try firestore(
                FirestorePlace(project: project, database: database, emulator: emulator), settings, watching, metrics)
        }
    }

    /// Makes the store in Firestore, which calls nothing before its first use.
    private static func firestore(
        _ place: FirestorePlace, _ settings: Settings, _ watching: Watching?, _ metrics: any MetricsFactory
    ) throws(StoreError) -> OpenedStore {
        let curl: CurlTransport
        let tokens: AccessTokenSource
        do {
            // The connections of the store end after those to other servers, because it records until the end.
            curl = try CurlTransport(settings.server)
            // The emulator accepts this token for administrators. It must not receive one of Google.
            tokens =
                if place.emulator != nil {
                    .fixed(Secret("owner"))
                } else {
                    try GoogleIdentity.accessTokens(
                        settings.firebase, ServiceAccounts.load(settings).first, transport: curl.transport,
                        time: .system, RetryThrottle())
                }
        } catch {
            throw .unavailable(.other, cause: (error as? ExitReason)?.message ?? "\(error)")
        }
        let store = try FirestoreStore(
            place, transport: curl.transport,
            token: { refused throws(StoreError) in
                do throws(AccessTokenError) {
                    return try await tokens.token(refused)
                } catch {
                    let words = ["there is no access token: \(error.sentence)", error.advice].compactMap(\.self)
                    throw .unavailable(.authentication, cause: words.joined(separator: ". "))
                }
            }, time: .system, watching: watching, metrics: metrics)
        return OpenedStore(
            store: store,
            close: {
                // No thread may outlive libcrypto, which is torn down when the process exits.
                let ended = DispatchSemaphore(value: 0)
                Task.detached {
                    await curl.shutdown()
                    ended.signal()
                }
                ended.wait()
            }, fileWarnings: [])
    }
}

extension Settings.Store {
    /// Whether each call costs money, so that background calls are rare.
    var isMetered: Bool { if case .firestore = self { true } else { false } }
}

/// A database of Firestore whose security rules let others read it.
enum OpenStore {
    /// Refuses to serve from a database that a caller without a token can read.
    ///
    /// Only an answer that shows documents proves this. A request that fails does not prevent a start.
    ///
    /// - Throws: Exit 1, with the collections.
    static func refuse(_ store: any Store, _ settings: Settings) async throws {
        guard let store = store as? FirestoreStore else { return }
        let open = await store.openCollections(apiKey: settings.firebase.apiKey?.secretText).names
        guard !open.isEmpty else { return }
        throw Exit.because("the store \(settings.store) is open: \(problem(open)). \(remedy)", Exit.failure)
    }

    static func problem(_ names: [String]) -> String {
        "A caller without a token can read these collections: \(names.joined(separator: ", "))"
    }

    static let remedy =
        "Publish security rules for this database that refuse everything: allow read, write: if false. A database of "
        + "its own, which no application uses, needs no other rules"
}

extension Settings.Allowances {
    var databaseRules: DatabaseRules {
        DatabaseRules(allowsInsecurePermissions: insecurePermissions, allowsNetworkFilesystem: networkFilesystem)
    }
}

/// Distinguishes a new database from one that was lost, or whose keys were lost.
enum StorePresence {
    /// Whether the store is an SQLite database that does not exist yet.
    static func isMissing(_ settings: Settings) -> Bool {
        guard case .sqlite(let path) = settings.store else { return false }
        return !FileManager.default.fileExists(atPath: path)
    }

    /// Makes the file of a new SQLite database, and its key files before it.
    ///
    /// The keys are on the disk before the database is. Otherwise a loss of power could leave a database with data that
    /// no key opens.
    ///
    /// - Parameters:
    ///   - allowsNew: Whether the operator allowed a new database beside the key file of an earlier one.
    ///   - logger: Receives a warning about a new database if its keys are configured, because then no key file shows
    ///     whether there was an earlier one.
    /// - Throws: Exit 78 if there are key files without a database, or a database without its key files; exit 1 or 78 if
    ///   the files cannot be made.
    static func prepare(_ settings: Settings, allowsNew: Bool, logger: Logger? = nil) throws {
        guard case .sqlite(let path) = settings.store else { return }
        if let logger, (try? OpenedFile(path).read(atMost: 1))?.isEmpty == true {
            logger.warning(
                "the database is an empty file, and its tables are made",
                metadata: [
                    "store": "\(path)",
                    "advice":
                        "If it had accounts, stop the server, move the file away, and restore a backup with token-exchange restore.",
                ])
        }
        do {
            try SQLiteStore.make(path: path, rules: settings.allowances.databaseRules) {
                try checkNew(settings, path, allowsNew: allowsNew, logger)
                try SealKeys.makeFiles(settings)
            }
        } catch let error as StoreError {
            throw error.exit(for: settings.store)
        }
        try SealKeys.requireFiles(settings)
    }

    /// Refuses to make a database beside the key file of an earlier one.
    ///
    /// - Throws: Exit 78.
    static func checkNew(_ settings: Settings, _ path: String, allowsNew: Bool, _ logger: Logger?) throws {
        let key = MissingKey.List.allCases.map { path + $0.fileExtension }
            .first { FileManager.default.fileExists(atPath: $0) }
        if let key, !allowsNew {
            throw Exit.because(
                "the database \(path) is missing, but its key file \(key) exists: the database was moved or deleted. Move "
                    + "it back or restore a backup; everything that was issued before the start is then refused, so that "
                    + "nothing can be used twice. To start with an empty database, without the old accounts, use "
                    + "--new-store", Exit.configuration)
        }
        guard key != nil || !settings.sealKeys.isEmpty else { return }
        logger?.warning("a new, empty store is created", metadata: ["store": "\(path)"])
    }
}
