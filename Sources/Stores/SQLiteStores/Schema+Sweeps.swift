extension Schema {
    /// Until when the expired records are forgotten: what expired earlier may have been there.
    static let sweeps = """
        CREATE TABLE swept (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            through INTEGER NOT NULL
        ) STRICT;
        INSERT INTO swept (id, through) VALUES (1, 0);
        """
}
