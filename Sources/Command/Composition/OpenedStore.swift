internal import CommandSupport
internal import Foundation
internal import Logging
internal import PostgresStores
internal import SQLiteStores
internal import Settings
internal import Stores

/// Everything that the program asks of storage.
typealias Store =
    AccountAdministration & AccountDirectory & AuditLog & DeviceGrants & Handoffs & PendingCredentials
    & SpentCredentials & StoreHealth & StoreWatch & TimedStore

/// The store of a configuration, whichever it is.
struct OpenedStore: Sendable {
    let store: any Store
    /// Waits for what is under way.
    let close: @Sendable () -> Void
    /// What an operator has to know about its files.
    let fileWarnings: [String]

    /// Blocks the thread until it can be used.
    ///
    /// With `migrates` the tables are brought up to date, for which a role may lack the right, and which the servers
    /// that run may be too old for. `watching` is of a store in which credentials are spent, and nil for one that an
    /// operator looks into.
    static func open(
        _ settings: Settings, migrates: Bool, watching: Watching?
    ) throws(StoreError) -> OpenedStore {
        switch settings.store {
        case .sqlite(let path):
            let store = try SQLiteStore.open(
                path: path, migrates: migrates, watching: watching, rules: settings.allowances.databaseRules)
            return OpenedStore(store: store, close: { try? store.close() }, fileWarnings: store.fileWarnings)
        case .postgres(let connection):
            let store = try PostgresStore.open(
                conninfo: connection.secretText, waiting: settings.server.maximumInFlight, migrates: migrates,
                watching: watching)
            return OpenedStore(store: store, close: { store.close() }, fileWarnings: [])
        }
    }
}

extension Settings.Allowances {
    var databaseRules: DatabaseRules {
        DatabaseRules(allowsInsecurePermissions: insecurePermissions, allowsNetworkFilesystem: networkFilesystem)
    }
}

/// Tells a database that is not there yet from one that was lost.
enum StorePresence {
    /// The ends of the names of key files that are made beside a database at its first start.
    private static let keys = [".seal-key", ".store-key"]

    /// Refuses to make a database anew beside the key of one that was there.
    ///
    /// - Parameters:
    ///   - settings: where the database is.
    ///   - allowsNew: whether the operator said that it is to be made.
    ///   - logger: what is told of a new database if its keys are configured, so that nothing beside it says whether
    ///     there was one before.
    /// - Throws: Exit 78.
    static func check(_ settings: Settings, allowsNew: Bool, logger: Logger? = nil) throws {
        guard case .sqlite(let path) = settings.store, !FileManager.default.fileExists(atPath: path) else { return }
        let key = keys.map { path + $0 }.first { FileManager.default.fileExists(atPath: $0) }
        if let key, !allowsNew {
            throw Exit.because(
                "the database \(path) is missing, but \(key) is there: the database was moved or deleted. Put it back, or "
                    + "restore a backup of it: what was issued before the start is then refused once, so that nothing can "
                    + "be used twice. To begin with an empty database, without the accounts of the old one, start with "
                    + "--new-store", Exit.configuration)
        }
        guard key != nil || !settings.sealKeys.isEmpty else { return }
        logger?.warning("a new store is made: no account is known in it", metadata: ["store": "\(path)"])
    }
}
