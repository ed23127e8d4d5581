extension Schema {
    /// The spent credentials in the order in which they came.
    ///
    /// A digest has no order: in a table that is kept by it each record changes two pages that no other record of the
    /// same commit changes, its own and one of the index by expiry, and each is written to the log in full. So there is
    /// one such page, of the index that refuses a second use; the two others are shared.
    static let spentInOrder = """
        CREATE TABLE spent_in_order (
            id INTEGER NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            expires_at INTEGER NOT NULL,
            UNIQUE (kind, digest)
        ) STRICT;
        INSERT INTO spent_in_order (kind, digest, expires_at)
            SELECT kind, digest, expires_at FROM spent ORDER BY expires_at;
        DROP TABLE spent;
        ALTER TABLE spent_in_order RENAME TO spent;
        CREATE INDEX spent_by_expiry ON spent (expires_at);
        """
}
