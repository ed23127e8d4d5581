extension Schema {
    /// Until when the store has watched, on which server, and the times before which what was issued is refused.
    ///
    /// Until it is first watched, that is all of time: neither new tables nor those from before this step can say what
    /// was used while they were not there.
    static let watch = """
        CREATE TABLE watch (
            id bigint NOT NULL PRIMARY KEY CHECK (id = 1),
            until bigint NOT NULL,
            server text,
            started text
        );
        INSERT INTO watch (id, until) VALUES (1, 0);

        CREATE TABLE unwatched (
            until bigint NOT NULL PRIMARY KEY,
            since bigint NOT NULL
        );
        INSERT INTO unwatched (since, until) VALUES (-9223372036854775808, 9223372036854775807);
        """
}
