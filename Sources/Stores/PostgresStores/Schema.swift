internal import Postgres
internal import Stores

/// The tables, as a list of migrations that only grows.
///
/// A released migration is never edited; a new one corrects it. Keys are `bytea` and are compared octet by octet. Times
/// are seconds as in `NumericDate`.
enum Schema {
    struct Migration {
        let name: String
        let script: String
    }

    /// The name of the row that a migration locks, so that only one process migrates at a time.
    ///
    /// All engines support row locks.
    private static let lockName = "0000 lock"

    /// Checks the tables for a server, and migrates them if they are behind and `migrates` is true.
    ///
    /// - Throws: ``StoreError/tablesBehind`` if they are behind, and `migrates` is false or the role may not migrate.
    static func prepare(_ string: ConnectionString, _ timeouts: ConnectionTimeouts, migrates: Bool) throws {
        guard try !missing(string, timeouts).isEmpty else { return }
        guard migrates else { throw StoreError.tablesBehind }
        do {
            try migrate(string, timeouts)
        } catch PostgresError.refused(SQLState("42501"), _, _) {
            // Insufficient privilege: a role with more privileges has to migrate first.
            throw StoreError.tablesBehind
        }
    }

    /// Applies missing migrations on a connection of its own.
    ///
    /// - Returns: The names of the migrations that this call applied.
    @discardableResult
    static func migrate(_ string: ConnectionString, _ timeouts: ConnectionTimeouts) throws -> [String] {
        guard try !missing(string, timeouts).isEmpty else { return [] }
        // A migration may take long on large tables, and another server may be running it.
        var patient = timeouts
        patient.answer = .seconds(3600)
        var connection = try PostgresSession.open(string, patient)
        return try migrate(&connection)
    }

    /// The names of the migrations that are not applied yet, in order.
    ///
    /// - Throws: ``StoreError/newerSchema(found:supported:)`` if the tables are newer than this program.
    static func missing(_ string: ConnectionString, _ timeouts: ConnectionTimeouts) throws -> [String] {
        var connection = try PostgresSession.open(string, timeouts)
        let found = try appliedIfAny(&connection)
        try refuseNewer(found)
        return migrations.map(\.name).filter { !found.contains($0) }
    }

    /// Applies missing migrations, or throws if the tables are newer than this program.
    ///
    /// - Returns: The names of the migrations that this call applied.
    private static func migrate(_ connection: inout Connection) throws -> [String] {
        try makeTableOfMigrations(&connection)
        try refuseNewer(applied(&connection))
        return try Attempts.run(&connection) { connection in
            try connection.begin()
            try connection.run(script: "SET LOCAL lock_timeout = 60000; SET LOCAL statement_timeout = 0")
            try connection.run(
                .writing("SELECT name FROM migrations WHERE name = $1 FOR UPDATE"), [.text(lockName)])
            let found = try applied(&connection)
            try refuseNewer(found)
            let missing = migrations.filter { !found.contains($0.name) }
            for migration in missing {
                try connection.run(script: migration.script)
                try connection.run(.writing("INSERT INTO migrations (name) VALUES ($1)"), [.text(migration.name)])
            }
            if missing.isEmpty { connection.rollback() } else { try connection.commit() }
            return missing.map(\.name)
        }
    }

    private static func applied(_ connection: inout Connection) throws -> Set<String> {
        let rows = try connection.run(.reading("SELECT name FROM migrations WHERE name <> $1"), [.text(lockName)]).rows
        return Set(rows.compactMap { $0.text(0) })
    }

    /// The applied migrations; empty if the table of migrations does not exist.
    static func appliedIfAny(_ connection: inout Connection) throws -> Set<String> {
        do {
            return try applied(&connection)
        } catch PostgresError.refused(SQLState("42P01"), _, _) {
            // PostgreSQL reports the tables of a schema without the privilege USAGE as missing.
            guard try connection.run(.reading("SELECT current_schema()::text")).rows.first?.text(0) != nil else {
                throw PostgresError.refused(
                    SQLState("3F000"), message: "no schema of search_path exists that this role may use",
                    mayHaveCommitted: false)
            }
            return []
        }
    }

    /// - Throws: ``StoreError/newerSchema(found:supported:)`` for a migration that this program does not have.
    static func refuseNewer(_ applied: Set<String>) throws {
        let supported = migrations.map(\.name)
        if let found = applied.subtracting(supported).max() {
            throw StoreError.newerSchema(found: found, supported: supported.last ?? "")
        }
    }

    private static func makeTableOfMigrations(_ connection: inout Connection) throws {
        var attempt = 1
        // Check first, because a role that may not make tables can still use existing ones.
        while try !hasTableOfMigrations(&connection) {
            guard attempt < Attempts.limit else { throw StoreError.unavailable(.cannotOpen) }
            attempt += 1
            do {
                try connection.run(
                    .writing("CREATE TABLE IF NOT EXISTS migrations (name text NOT NULL PRIMARY KEY)"))
            } catch {
                // Two concurrent "IF NOT EXISTS" may still fail for one of them, and then the table exists. A role
                // without the privilege would repeat this in vain.
                if case PostgresError.refused(SQLState("42501"), _, _) = error { throw error }
                if case PostgresError.refused(SQLState("25006"), _, _) = error { throw error }
            }
        }
    }

    /// Whether the table of migrations exists.
    ///
    /// If it does, the function also inserts the row that a migration locks.
    private static func hasTableOfMigrations(_ connection: inout Connection) throws -> Bool {
        do {
            let lock = Value.text(lockName)
            let found = try connection.run(.reading("SELECT name FROM migrations WHERE name = $1"), [lock])
            if found.count == 0 {
                try connection.run(
                    .writing("INSERT INTO migrations (name) VALUES ($1) ON CONFLICT DO NOTHING"), [lock])
            }
            return true
        } catch PostgresError.refused(SQLState("42P01"), _, _) {
            return false
        }
    }
}
