internal import GRDB
internal import Stores

/// The tables, as a list of steps that only grows.
///
/// A step that was ever released is never edited: a new one corrects it. Keys are the bytes themselves, compared as
/// bytes; times are seconds as in `NumericDate`.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("0001 spent credentials, accounts") { db in
            try db.execute(
                sql: """
                    CREATE TABLE spent (
                        kind TEXT NOT NULL,
                        digest BLOB NOT NULL CHECK (length(digest) = 32),
                        expires_at INTEGER NOT NULL,
                        PRIMARY KEY (kind, digest)
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX spent_by_expiry ON spent (expires_at);

                    CREATE TABLE accounts (
                        uid BLOB NOT NULL PRIMARY KEY CHECK (length(uid) > 0),
                        created_at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;

                    CREATE TABLE identities (
                        provider BLOB NOT NULL CHECK (length(provider) > 0),
                        subject BLOB NOT NULL CHECK (length(subject) > 0),
                        uid BLOB NOT NULL REFERENCES accounts (uid),
                        PRIMARY KEY (provider, subject),
                        UNIQUE (uid, provider)
                    ) STRICT, WITHOUT ROWID;

                    CREATE TABLE retired_uids (
                        uid BLOB NOT NULL PRIMARY KEY,
                        at INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;

                    CREATE TABLE heartbeat (
                        id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                        beats INTEGER NOT NULL
                    ) STRICT;
                    INSERT INTO heartbeat (id, beats) VALUES (1, 0);
                    """)
        }
        migrator.registerMigration("0002 handoffs, device grants") { db in
            try db.execute(
                sql: """
                    CREATE TABLE handoffs (
                        digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
                        client BLOB NOT NULL,
                        redirect_uri BLOB NOT NULL,
                        code_challenge BLOB NOT NULL,
                        payload TEXT NOT NULL,
                        failures INTEGER NOT NULL DEFAULT 0,
                        expires_at INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX handoffs_by_expiry ON handoffs (expires_at);

                    CREATE TABLE device_grants (
                        digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
                        user_code_digest BLOB NOT NULL UNIQUE CHECK (length(user_code_digest) = 32),
                        client BLOB NOT NULL,
                        provider BLOB,
                        scope TEXT NOT NULL,
                        state TEXT NOT NULL
                            CHECK (state IN ('pending', 'claimed', 'verified', 'approved', 'denied')),
                        owner BLOB CHECK (length(owner) = 32),
                        payload TEXT,
                        payload_digest BLOB CHECK (length(payload_digest) = 32),
                        interval INTEGER NOT NULL,
                        polled_at INTEGER,
                        expires_at INTEGER NOT NULL
                    ) STRICT;
                    CREATE INDEX device_grants_by_expiry ON device_grants (expires_at);
                    """)
        }
        migrator.registerMigration("0003 linked accounts") { try $0.execute(sql: linkedAccounts) }
        migrator.registerMigration("0004 audit") { try $0.execute(sql: audit) }
        migrator.registerMigration("0005 sweeps") { try $0.execute(sql: sweeps) }
        migrator.registerMigration("0006 spent in order") { try $0.execute(sql: spentInOrder) }
        migrator.registerMigration("0007 watch") { try $0.execute(sql: watch) }
        migrator.registerMigration("0008 pending credentials") { try $0.execute(sql: pendingCredentials) }
        migrator.registerMigration("0009 ways in") { try $0.execute(sql: waysIn) }
        return migrator
    }

    /// Brings a database up to date, or leaves it untouched: if it is ahead of us, and if the caller did not ask for
    /// it.
    static func prepare(_ database: any DatabaseWriter, migrates: Bool) throws {
        let migrator = migrator
        let applied = try database.read { try migrator.appliedIdentifiers($0) }
        let supported = migrator.migrations
        if let found = applied.subtracting(supported).max() {
            throw StoreError.newerSchema(found: found, supported: supported.last ?? "")
        }
        guard migrates || applied.isSuperset(of: supported) else { throw StoreError.tablesBehind }
        try migrator.migrate(database)
    }
}
