extension Schema {
    /// `uses` and `uids` are lists, read with the row: no statement looks into them.
    static let pendingCredentials = """
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
}
