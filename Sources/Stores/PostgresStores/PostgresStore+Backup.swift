internal import JOSE
internal import Postgres
package import Stores

extension PostgresStore {
    /// The names of all migrations, in order.
    package static var migrationNames: [String] { Schema.migrations.map(\.name) }

    /// Determines which migrations a start would apply, and changes nothing.
    ///
    /// - Parameters:
    ///   - conninfo: A connection URI or keywords for libpq.
    ///   - poolsTransactions: Whether a pooler may run each transaction in another session.
    /// - Returns: Their names in order; all of them if there are no tables.
    package static func missingMigrations(
        conninfo: String, poolsTransactions: Bool
    ) throws(StoreError) -> [String] {
        let string = ConnectionString(conninfo, poolsTransactions: poolsTransactions)
        return try wrappingNow({ (error: any Error) in StoreError(error) }, try Schema.missing(string, .init()))
    }

    /// Finds the tables of a database, for the programs pg_dump and psql.
    ///
    /// - Parameters:
    ///   - conninfo: A connection URI or keywords for libpq.
    ///   - poolsTransactions: Whether a pooler may run each transaction in another session.
    /// - Returns: The tables; `nil` if there are none.
    package static func tables(
        conninfo: String, poolsTransactions: Bool
    ) throws(StoreError) -> PostgresTables? {
        let string = ConnectionString(conninfo, poolsTransactions: poolsTransactions)
        return try wrappingNow({ (error: any Error) in StoreError(error) }, try PostgresTables(string, .init()))
    }

    /// The content of a connection service file (PostgreSQL manual, "The Connection Service File") with a connection
    /// string, which keeps a password out of the arguments of a program.
    ///
    /// - Parameter conninfo: A connection URI or keywords for libpq.
    /// - Returns: The text; `nil` if libpq refuses the string, or if a value has a line break, which the file cannot have.
    package static func serviceFile(_ name: String, conninfo: String) -> String? {
        guard let keywords = ConnectionString(conninfo).keywords,
            keywords.allSatisfy({ !$0.value.contains(where: \.isNewline) })
        else { return nil }
        return "[\(name)]\n" + keywords.map { "\($0.name)=\($0.value)\n" }.joined()
    }
}

/// The tables of a PostgreSQL database.
package struct PostgresTables: Sendable, Equatable {
    /// The names with their schema, quoted for SQL.
    package let names: [String]
    /// The name of the table with the watched time, as in ``names``; `nil` for tables of an early version.
    package let watch: String?
    package let summary: BackupSummary

    init?(_ string: ConnectionString, _ timeouts: ConnectionTimeouts) throws {
        var connection = try PostgresSession.open(string, timeouts)
        let applied = try Schema.appliedIfAny(&connection)
        // A backup would lack the tables of a later version.
        try Schema.refuseNewer(applied)
        guard let migration = applied.max() else { return nil }
        let rows = try connection.run(
            .reading(
                """
                SELECT relname, quote_ident(nspname) || '.' || quote_ident(relname)
                FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
                WHERE relkind = 'r' AND pg_table_is_visible(pg_class.oid)
                ORDER BY relname
                """)
        ).rows.compactMap { row in
            row.text(0).flatMap { name in row.text(1).map { (name: name, qualified: $0) } }
        }.filter { Schema.tables.contains($0.name) }
        names = rows.map(\.qualified)
        watch = rows.first { $0.name == "watch" }?.qualified
        let accounts = try connection.run(.reading("SELECT count(*) FROM accounts")).rows.first?.integer(0) ?? 0
        summary = BackupSummary(accounts: Int(accounts), migration: migration)
    }
}
