extension Schema {
    static let audit = """
        CREATE TABLE audit (
            id text NOT NULL PRIMARY KEY,
            at bigint NOT NULL,
            uid bytea,
            line bytea NOT NULL
        );
        CREATE INDEX audit_by_time ON audit (at);
        CREATE INDEX audit_by_uid ON audit (uid, at) WHERE uid IS NOT NULL;
        """
}
