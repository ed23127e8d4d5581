import Fixtures
import Foundation
import PostgresStores
import Testing

/// What engines with the protocol of PostgreSQL, such as CockroachDB, YugabyteDB and Citus, may lack, and this store thus
/// does not use: advisory locks, `LISTEN`, sequences, extensions, functions, triggers and table locks.
@Suite("SQL for engines with the protocol of PostgreSQL")
struct PortabilityTests {
    private static let folders = [
        "Sources/Stores/PostgresStores", "Sources/Stores/Stores/SQL", "Sources/System/Postgres",
    ]

    /// The texts of the program that may be statements or their parts.
    private static func texts() throws -> [String] {
        let literal = /"""((?s:.*?))"""|"((?:[^"\\\n]|\\.)*)"/
        return try folders.flatMap { folder -> [String] in
            let folder = Fixtures.repository.appending(path: folder)
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return try files.flatMap { file in
                let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                let code = lines.filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }.joined(separator: "\n")
                return code.matches(of: literal).map { String($0.output.1 ?? $0.output.2 ?? "") }
            }
        }
    }

    /// Some words begin no statement of ours; they are here so that a statement with them is found.
    private static let verbs: Set<Substring> = [
        "ALTER", "ANALYZE", "BEGIN", "CALL", "CLOSE", "CLUSTER", "COMMENT", "COMMIT", "COPY", "CREATE", "DEALLOCATE",
        "DECLARE", "DELETE", "DISCARD", "DO", "DROP", "EXECUTE", "EXPLAIN", "FETCH", "GRANT", "INSERT", "LISTEN",
        "LOCK",
        "MERGE", "NOTIFY", "PREPARE", "REFRESH", "REINDEX", "RELEASE", "RESET", "REVOKE", "ROLLBACK", "SAVEPOINT",
        "SELECT", "SET", "SHOW", "START", "TRUNCATE", "UNLISTEN", "UPDATE", "VACUUM", "VALUES", "WITH",
    ]

    @Test("Only these kinds of statements are used, only these words, and no lock but that of a row")
    func statements() throws {
        var words: Set<Substring> = []
        var verbs: Set<Substring> = []
        for text in try Self.texts() {
            for statement in text.split(separator: ";") {
                let found = statement.matches(of: /\b[A-Z]{2,}\b/).map(\.output)
                guard let first = found.first, Self.verbs.contains(first),
                    statement.drop(while: \.isWhitespace).hasPrefix(first)
                else { continue }
                verbs.insert(first)
                words.formUnion(found)
            }
        }
        #expect(
            verbs == [
                "ALTER", "BEGIN", "COMMIT", "CREATE", "DELETE", "INSERT", "ROLLBACK", "SELECT", "SET", "UPDATE", "WITH",
            ])
        #expect(
            words.isDisjoint(with: [
                "ADVISORY", "CURSOR", "EXTENSION", "FUNCTION", "GENERATED", "IDENTITY", "LATERAL", "LOCK", "NOWAIT",
                "PROCEDURE", "SEQUENCE", "SERIAL", "SHARE", "SKIP", "TEMP", "TEMPORARY", "TRIGGER", "TYPE", "UNLOGGED",
                "VIEW",
            ]))
    }

    @Test("Only these functions of the server are called")
    func functions() throws {
        let portable: Set<Substring> = [
            "clock_timestamp", "coalesce", "convert_from", "count", "current_schema", "current_setting", "extract",
            "floor", "left", "length", "max", "octet_length",
        ]
        // Without them the store knows less about its server: see `ServerIdentity`.
        let optional: Set<Substring> = [
            "pg_control_system", "pg_current_wal_lsn", "pg_postmaster_start_time", "pg_walfile_name",
        ]
        // Only `token-exchange backup` calls these, which runs pg_dump.
        let forBackups: Set<Substring> = ["pg_table_is_visible", "quote_ident"]
        let found = try Self.texts().flatMap { text in
            text.matches(of: /(?:^|[^.\w\\])([a-z_]+)(?=\()/).map(\.output.1)
        }
        #expect(Set(found) == portable.union(optional).union(forBackups))
    }

    @Test("The tables need no sequence, function or trigger, and each has a primary key of which values spread")
    func tables() throws {
        let server = try PostgresServer.shared.get()
        let place = try server.place()
        try PostgresStore.migrate(conninfo: place)
        let ours = "current_schema()::regnamespace"
        let objects = """
            SELECT relname::text FROM pg_class WHERE relnamespace = \(ours) AND relkind NOT IN ('r', 'i')
            UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = \(ours)
            UNION ALL SELECT typname FROM pg_type WHERE typnamespace = \(ours) AND typtype NOT IN ('c', 'b')
            UNION ALL SELECT tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
                WHERE relnamespace = \(ours) AND NOT tgisinternal
            UNION ALL SELECT attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
                WHERE relnamespace = \(ours) AND attidentity <> ''
            """
        #expect(try server.query(objects, in: place).isEmpty)
        let withoutKey = """
            SELECT relname::text FROM pg_class WHERE relnamespace = \(ours) AND relkind = 'r'
                AND NOT EXISTS (SELECT 1 FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary)
            """
        #expect(try server.query(withoutKey, in: place).isEmpty)
        let numbers = """
            SELECT relname || '.' || attname FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
                JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
            WHERE relnamespace = \(ours) AND indisprimary AND atttypid NOT IN ('bytea'::regtype, 'text'::regtype)
            ORDER BY 1
            """
        // Three tables of one row, and one with the last periods.
        #expect(try server.query(numbers, in: place) == ["heartbeat.id", "swept.id", "unwatched.until", "watch.id"])
    }
}
