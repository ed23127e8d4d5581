extension Schema {
    static let audit = """
        CREATE TABLE audit (
            id TEXT NOT NULL PRIMARY KEY,
            at INTEGER NOT NULL,
            uid BLOB,
            line BLOB NOT NULL
        ) STRICT;
        CREATE INDEX audit_by_time ON audit (at);
        CREATE INDEX audit_by_uid ON audit (uid, at) WHERE uid IS NOT NULL;
        """
}
