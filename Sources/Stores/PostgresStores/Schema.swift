internal import Postgres
internal import Stores

/// The tables, as a list of migrations that only grows.
///
/// A released migration is never edited. A new one corrects it. Keys are `bytea`, compared octet by octet; times are
/// seconds as in `NumericDate`.
enum Schema {
    struct Migration {
        let name: String
        let script: String
    }

    /// The row that is locked by who migrates; a lock of a row is one that every engine has.
    private static let lockName = "0000 lock"

    /// Looks at the tables on a connection of its own.
    ///
    /// - Returns: what this call applied.
    @discardableResult
    static func prepare(
        _ string: ConnectionString, _ timeouts: ConnectionTimeouts, migrates: Bool
    ) throws -> [String] {
        guard try isBehind(string, timeouts) else { return [] }
        guard migrates else { throw StoreError.tablesBehind }
        // A step takes as long as its tables are large, and another server may be at it.
        var patient = timeouts
        patient.answer = .seconds(3600)
        do {
            var connection = try Session.open(string, patient)
            return try migrate(&connection)
        } catch PostgresError.refused(SQLState("42501"), _) {
            // Insufficient privilege: who may only use the tables waits for who may make them.
            throw StoreError.tablesBehind
        }
    }

    /// Refuses tables that are ahead of us.
    private static func isBehind(_ string: ConnectionString, _ timeouts: ConnectionTimeouts) throws -> Bool {
        var connection = try Session.open(string, timeouts)
        let found = try appliedIfAny(&connection)
        try refuseNewer(found)
        return !migrations.allSatisfy { found.contains($0.name) }
    }

    /// Brings the tables up to date, or leaves them untouched where they are ahead of us.
    ///
    /// - Returns: what this call applied.
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

    /// Empty where not even their own table was made.
    private static func appliedIfAny(_ connection: inout Connection) throws -> Set<String> {
        do {
            return try applied(&connection)
        } catch PostgresError.refused(SQLState("42P01"), _) {
            return []
        }
    }

    private static func refuseNewer(_ applied: Set<String>) throws {
        let supported = migrations.map(\.name)
        if let found = applied.subtracting(supported).max() {
            throw StoreError.newerSchema(found: found, supported: supported.last ?? "")
        }
    }

    private static func makeTableOfMigrations(_ connection: inout Connection) throws {
        var attempt = 1
        // Asked first, since who may not make tables may still find everything made.
        while try !hasTableOfMigrations(&connection) {
            guard attempt < Attempts.limit else { throw StoreError.unavailable(.cannotOpen) }
            attempt += 1
            do {
                try connection.run(
                    .writing("CREATE TABLE IF NOT EXISTS migrations (name text NOT NULL PRIMARY KEY)"))
            } catch {
                // "IF NOT EXISTS" of two at once may still end in an error for one of them; then it exists. Who may not
                // make it will never find it.
                if case PostgresError.refused(SQLState("42501"), _) = error { throw error }
            }
        }
    }

    /// Whether the table is there; if so, the row to be locked is there afterwards.
    private static func hasTableOfMigrations(_ connection: inout Connection) throws -> Bool {
        do {
            let lock = Value.text(lockName)
            let found = try connection.run(.reading("SELECT name FROM migrations WHERE name = $1"), [lock])
            if found.count == 0 {
                try connection.run(
                    .writing("INSERT INTO migrations (name) VALUES ($1) ON CONFLICT DO NOTHING"), [lock])
            }
            return true
        } catch PostgresError.refused(SQLState("42P01"), _) {
            return false
        }
    }
}
