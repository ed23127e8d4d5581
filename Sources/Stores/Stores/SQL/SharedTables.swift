/// The migrations that are the same in both databases, in the words of SQLite.
///
/// A released migration is never edited.
package enum SharedTables {
    package static let audit = """
        CREATE TABLE audit (
            id TEXT NOT NULL PRIMARY KEY,
            at INTEGER NOT NULL,
            uid BLOB,
            line BLOB NOT NULL
        ) STRICT;
        CREATE INDEX audit_by_time ON audit (at);
        CREATE INDEX audit_by_uid ON audit (uid, at) WHERE uid IS NOT NULL;
        """

    /// The time through which expired records were deleted.
    package static let sweeps = """
        CREATE TABLE swept (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            through INTEGER NOT NULL
        ) STRICT;
        INSERT INTO swept (id, through) VALUES (1, 0);
        """

    /// The pending credentials.
    ///
    /// `uses` and `uids` are lists in one column each, because no statement searches them.
    package static let pendingCredentials = """
        CREATE TABLE pending_credentials (
            digest BLOB NOT NULL PRIMARY KEY CHECK (length(digest) = 32),
            client BLOB NOT NULL,
            provider BLOB NOT NULL,
            uses BLOB NOT NULL,
            uids BLOB NOT NULL,
            holder BLOB,
            payload BLOB NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX pending_credentials_by_expiry ON pending_credentials (expires_at);
        """

    /// The second factors of accounts, and the tries of pending sign-ins that wait for one.
    ///
    /// `tenant` is empty unless the directory has accounts of several tenants. A factor without `expires_at` is
    /// confirmed. The tables refer to no account, because Firebase may be the directory of accounts.
    package static let factors = """
        CREATE TABLE factors (
            uid BLOB NOT NULL CHECK (length(uid) > 0),
            tenant BLOB NOT NULL,
            id BLOB NOT NULL,
            name BLOB,
            secret BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER,
            last_step INTEGER NOT NULL,
            last_used_at INTEGER,
            PRIMARY KEY (uid, tenant, id)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE recovery_codes (
            uid BLOB NOT NULL,
            tenant BLOB NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            PRIMARY KEY (uid, tenant, digest)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE factor_tries (
            uid BLOB NOT NULL,
            tenant BLOB NOT NULL,
            failures INTEGER NOT NULL,
            locked_until INTEGER NOT NULL,
            PRIMARY KEY (uid, tenant)
        ) STRICT, WITHOUT ROWID;

        ALTER TABLE pending_credentials ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
        """

    /// The servers that use this store, with the fingerprints of their keys.
    ///
    /// A fingerprint is no key, and no key can be computed from it.
    package static let servers = """
        CREATE TABLE servers (
            id BLOB NOT NULL PRIMARY KEY CHECK (length(id) > 0),
            name BLOB NOT NULL,
            seal_keys BLOB NOT NULL,
            store_keys BLOB NOT NULL,
            seen_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// At most one factor of an account waits for its confirmation.
    ///
    /// Factors that waited are removed, because an account may have several. Their persons begin again.
    package static let waitingFactors = """
        DELETE FROM factors WHERE expires_at IS NOT NULL;
        CREATE UNIQUE INDEX waiting_factors ON factors (uid, tenant) WHERE expires_at IS NOT NULL;
        """
}

extension String {
    /// The script in the words of PostgreSQL.
    package var inPostgreSQL: String {
        let words = [
            (" STRICT, WITHOUT ROWID", ""), (" STRICT", ""), ("BLOB", "bytea"), ("INTEGER", "bigint"), ("TEXT", "text"),
            ("length(", "octet_length("),
        ]
        return words.reduce(self) { $0.replacing($1.0, with: $1.1) }
    }
}
