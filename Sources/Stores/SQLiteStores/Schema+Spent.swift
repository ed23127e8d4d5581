extension Schema {
    /// The spent credentials in the order in which they came.
    ///
    /// A digest has no order: in a table that is kept by it, and in an index that ends in it, most records of a busy
    /// second change pages of their own, and each is written to the log in full. Here that is so of the index that
    /// refuses a second use; the two others are shared by the records of one commit, so that a commit of many writes
    /// less, and one alone a page more.
    ///
    /// What was swept through is left behind, for it is refused in any case.
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
