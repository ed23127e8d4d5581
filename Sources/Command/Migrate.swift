internal import ArgumentParser
internal import FirestoreStores
internal import Foundation
internal import PostgresStores
internal import SQLiteStores
internal import Settings
internal import Stores

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Creates or upgrades the tables of the store, and does nothing else.",
        discussion: """
            With PostgreSQL it needs a role that may create tables; serve then does not need that right. Several processes \
            may run it at the same time, also while servers are running. With Firestore it makes the policies by which \
            expired documents are deleted, and needs the role roles/datastore.owner; with --new-store it starts a new record \
            of used credentials instead, which running servers use within a minute, and needs no such role.

            With --check it changes nothing, and exits with 0 if the tables are up to date and with 2 if they are not.
            """)

    @Flag(help: "Only print the names of the migrations that are missing.")
    var check = false

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var store: StoreOptions

    func run() async throws {
        let settings = try await options.load()
        guard !check else { return try await Self.check(settings) }
        // Other users must not be able to read the files that it makes.
        umask(0o077)
        try StorePresence.prepare(settings, allowsNew: store.newStore)
        let applied = try await OperatorSession.reportingErrors(settings.store) { () throws(StoreError) in
            switch settings.store {
            case .sqlite(let path):
                let store = try SQLiteStore.open(path: path, rules: settings.allowances.databaseRules)
                for warning in store.fileWarnings { Exit.say("warning: \(warning)") }
                try store.close()
                return [String]()
            case .postgres(let connection, let pooling):
                return try PostgresStore.migrate(
                    conninfo: connection.secretText, poolsTransactions: pooling == .transaction)
            case .firestore:
                guard store.newStore else {
                    return try await Self.withFirestore(settings) { store throws(StoreError) in
                        try await store.makePolicies()
                    }
                }
                // A server with this option would begin a new record at each of its starts, which others order.
                let watching = Watching(.system, isAnew: true)
                return try await Self.withFirestore(settings, watching) { store throws(StoreError) in
                    _ = try await store.watchReading()
                    return ["a new record of used credentials: everything that was issued before is refused"]
                }
            }
        }
        for name in applied { print("applied \(name)") }
        print("\(settings.store): up to date")
    }

    private static func withFirestore(
        _ settings: Settings, _ watching: Watching? = nil, _ body: (FirestoreStore) async throws(StoreError) -> [String]
    ) async throws(StoreError) -> [String] {
        let opened = try OpenedStore.open(settings, migrates: false, watching: watching)
        defer { opened.close() }
        guard let store = opened.store as? FirestoreStore else { return [] }
        return try await body(store)
    }

    private static func check(_ settings: Settings) async throws {
        let missing = try await OperatorSession.reportingErrors(settings.store) { () throws(StoreError) in
            switch settings.store {
            case .sqlite(let path): try SQLiteStore.missingMigrations(path: path)
            case .postgres(let connection, let pooling):
                try PostgresStore.missingMigrations(
                    conninfo: connection.secretText, poolsTransactions: pooling == .transaction)
            case .firestore:
                try await withFirestore(settings) { store throws(StoreError) in try await store.missingPolicies() }
            }
        }
        for name in missing { print("missing \(name)") }
        guard missing.isEmpty else { throw ExitCode(2) }
        print("\(settings.store): up to date")
    }
}
