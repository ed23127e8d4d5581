extension Schema {
    /// `uses` and `uids` are lists, read with the row: no statement looks into them.
    static let pendingCredentials = """
        CREATE TABLE pending_credentials (
            digest bytea NOT NULL PRIMARY KEY CHECK (octet_length(digest) = 32),
            client bytea NOT NULL,
            provider bytea NOT NULL,
            uses bytea NOT NULL,
            uids bytea NOT NULL,
            holder bytea,
            payload bytea NOT NULL,
            expires_at bigint NOT NULL
        );
        CREATE INDEX pending_credentials_by_expiry ON pending_credentials (expires_at);
        """
}
