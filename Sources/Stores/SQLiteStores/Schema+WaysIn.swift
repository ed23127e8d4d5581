extension Schema {
    /// `ways_in` holds names with one space between them; null if none is known.
    ///
    /// `left_at_firebase` holds uids that were swept here, until their Firebase users have been dealt with.
    static let waysIn = """
        ALTER TABLE accounts ADD COLUMN ways_in BLOB;
        CREATE TABLE left_at_firebase (
            uid BLOB NOT NULL PRIMARY KEY CHECK (length(uid) > 0)
        ) STRICT, WITHOUT ROWID;
        """
}
