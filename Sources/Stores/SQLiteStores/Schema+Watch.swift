extension Schema {
    /// Until when the store has watched, and the times before which what was issued is refused.
    ///
    /// Until it is first watched, that is all of time: neither a new database nor one from before this step can say
    /// what was used while it was not there.
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
