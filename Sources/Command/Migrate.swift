internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import PostgresStores
internal import SQLiteStores
internal import Settings
internal import Stores

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Makes the tables of the store, or brings them up to date, and does nothing else.",
        discussion: """
            With PostgreSQL it needs a role that may make tables; afterwards serve needs none. Any number of processes may \
            do it at once, beside servers that run.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var store: StoreOptions

    func run() async throws {
        let settings = try options.load()
        try StorePresence.check(settings, allowsNew: store.newStore)
        let applied = try await AccountsDesk.asking(settings.store) { () throws(StoreError) in
            switch settings.store {
            case .sqlite(let path):
                // Other users may not read the database.
                umask(0o077)
                let store = try SQLiteStore.open(path: path, rules: settings.allowances.databaseRules)
                for warning in store.fileWarnings { Exit.say("warning: \(warning)") }
                try store.close()
                return [String]()
            case .postgres(let connection):
                return try PostgresStore.migrate(conninfo: connection.secretText)
            }
        }
        for name in applied { print("applied \(name)") }
        print("\(settings.store): up to date")
    }
}
