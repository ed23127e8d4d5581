extension Schema {
    /// `ways_in` holds names with one space between them; null if none is known.
    ///
    /// `left_at_firebase` holds uids that were swept here, until their Firebase users have been dealt with.
    static let waysIn = """
        ALTER TABLE accounts ADD COLUMN ways_in bytea;
        CREATE TABLE left_at_firebase (
            uid bytea NOT NULL PRIMARY KEY REFERENCES uids (uid)
        );
        """
}
