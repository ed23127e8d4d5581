internal import GRDB
internal import Stores

/// The tables, as a list of migrations that only grows.
///
/// A released migration is never edited; a new one corrects it. Keys are stored and compared as bytes. Times are seconds
/// as in `NumericDate`.
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
        migrator.registerMigration("0004 audit") { try $0.execute(sql: SharedTables.audit) }
        migrator.registerMigration("0005 sweeps") { try $0.execute(sql: SharedTables.sweeps) }
        migrator.registerMigration("0006 spent in order") { try $0.execute(sql: spentInOrder) }
        migrator.registerMigration("0007 watch") { try $0.execute(sql: watch) }
        migrator.registerMigration("0008 pending credentials") { try $0.execute(sql: SharedTables.pendingCredentials) }
        migrator.registerMigration("0009 ways in") { try $0.execute(sql: signInMethods) }
        migrator.registerMigration("0010 factors") { try $0.execute(sql: SharedTables.factors) }
        migrator.registerMigration("0011 servers") { try $0.execute(sql: SharedTables.servers) }
        migrator.registerMigration("0012 waiting factors") { try $0.execute(sql: SharedTables.waitingFactors) }
        return migrator
    }

    /// Applies missing migrations.
    ///
    /// If the database is newer than this program, or if migrations are missing and `migrates` is false, the function
    /// throws and leaves the database unchanged.
    static func prepare(_ database: any DatabaseWriter, migrates: Bool) throws {
        guard try missing(database).isEmpty || migrates else { throw StoreError.tablesBehind }
        try migrator.migrate(database)
    }

    /// The names of the migrations that are not applied yet, in order.
    ///
    /// - Throws: ``StoreError/newerSchema(found:supported:)`` if the database is newer than this program;
    ///   ``StoreError/unavailable(_:cause:)`` if it has tables of this program without a record of their migrations.
    static func missing(_ database: some DatabaseReader) throws -> [String] {
        let migrator = migrator
        let applied = try database.read { try migrator.appliedIdentifiers($0) }
        let supported = migrator.migrations
        if let found = applied.subtracting(supported).max() {
            throw StoreError.newerSchema(found: found, supported: supported.last ?? "")
        }
        if applied.isEmpty, try database.read({ try $0.tableExists("spent") }) {
            throw StoreError.unavailable(
                .other, cause: "table spent is there, and no record of the migrations (table grdb_migrations)")
        }
        return supported.filter { !applied.contains($0) }
    }
}

extension Schema {
    /// The columns for linked, anonymous and merged accounts.
    ///
    /// Adding a column does not rewrite the rows. If a time of an identity is null, the creation time of its account applies.
    static let linkedAccounts = """
        ALTER TABLE accounts ADD COLUMN anonymous INTEGER NOT NULL DEFAULT 0 CHECK (anonymous IN (0, 1));
        ALTER TABLE accounts ADD COLUMN delete_after INTEGER;
        ALTER TABLE accounts ADD COLUMN adopted INTEGER NOT NULL DEFAULT 0 CHECK (adopted IN (0, 1));
        ALTER TABLE accounts ADD COLUMN other_way_in INTEGER NOT NULL DEFAULT 0 CHECK (other_way_in IN (0, 1));
        ALTER TABLE accounts ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1));
        ALTER TABLE accounts ADD COLUMN email BLOB;
        CREATE INDEX accounts_by_email ON accounts (email) WHERE email IS NOT NULL;
        CREATE INDEX accounts_by_end ON accounts (delete_after) WHERE delete_after IS NOT NULL;

        ALTER TABLE identities ADD COLUMN email BLOB;
        ALTER TABLE identities ADD COLUMN name BLOB;
        ALTER TABLE identities ADD COLUMN picture BLOB;
        ALTER TABLE identities ADD COLUMN linked_at INTEGER;
        ALTER TABLE identities ADD COLUMN last_used_at INTEGER;

        ALTER TABLE retired_uids ADD COLUMN merged_into BLOB;
        """
}

extension Schema {
    /// The spent credentials in the order of their insertion.
    ///
    /// Digests are random: in a table or an index that is ordered by them, each record of a commit changes a page of
    /// its own, and SQLite writes each changed page to the log in full. Here only the unique index is ordered so. The
    /// records of one commit share the pages of the table and of the other index, so that a commit of many records
    /// writes less, and a commit of one record writes one page more.
    ///
    /// Records that a sweep may already have deleted are not copied, because their credentials are refused as expired.
    static let spentInOrder = """
        CREATE TABLE spent_in_order (
            id INTEGER NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            expires_at INTEGER NOT NULL,
            UNIQUE (kind, digest)
        ) STRICT;
        INSERT INTO spent_in_order (kind, digest, expires_at)
            SELECT kind, digest, expires_at FROM spent
                WHERE expires_at >= (SELECT through FROM swept) ORDER BY expires_at;
        DROP TABLE spent;
        ALTER TABLE spent_in_order RENAME TO spent;
        CREATE INDEX spent_by_expiry ON spent (expires_at);
        """
}

extension Schema {
    /// The time until which the store has watched, and the periods before which issued credentials are refused.
    ///
    /// Before the first watch the period is all of time, because neither a new database nor one from before this
    /// migration is known to have a record of every earlier use.
    static let watch = """
        CREATE TABLE watch (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            until INTEGER NOT NULL
        ) STRICT;
        INSERT INTO watch (id, until) VALUES (1, 0);

        CREATE TABLE unwatched (
            until INTEGER NOT NULL PRIMARY KEY,
            since INTEGER NOT NULL
        ) STRICT;
        INSERT INTO unwatched (since, until) VALUES (-9223372036854775808, 9223372036854775807);
        """
}

extension Schema {
    /// The names of other sign-in methods, and the swept accounts whose Firebase users remain.
    ///
    /// `ways_in` contains names that are separated by one space; it is null if none is known. `left_at_firebase` contains the uids of swept accounts until their Firebase users are deleted.
    static let signInMethods = """
        ALTER TABLE accounts ADD COLUMN ways_in BLOB;
        CREATE TABLE left_at_firebase (
            uid BLOB NOT NULL PRIMARY KEY CHECK (length(uid) > 0)
        ) STRICT, WITHOUT ROWID;
        """
}
