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
