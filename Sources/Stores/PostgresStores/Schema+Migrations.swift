extension Schema {
    static let migrations = [
        Migration(name: "0001 spent credentials, accounts", script: first),
        Migration(name: "0002 handoffs, device grants", script: second),
        Migration(name: "0003 linked accounts", script: linkedAccounts),
        Migration(name: "0004 audit", script: audit),
        Migration(name: "0005 sweeps", script: sweeps),
        Migration(name: "0006 watch", script: watch),
        Migration(name: "0007 pending credentials", script: pendingCredentials),
        Migration(name: "0008 ways in", script: waysIn),
    ]

    /// A uid is in `uids` for good once an account had it or it was retired, so that one unique key decides which
    /// account gets it.
    private static let first = """
        CREATE TABLE spent (
            kind text NOT NULL,
            digest bytea NOT NULL CHECK (octet_length(digest) = 32),
            expires_at bigint NOT NULL,
            PRIMARY KEY (kind, digest)
        );
        CREATE INDEX spent_by_expiry ON spent (expires_at);

        CREATE TABLE uids (
            uid bytea NOT NULL PRIMARY KEY CHECK (octet_length(uid) > 0)
        );

        CREATE TABLE accounts (
            uid bytea NOT NULL PRIMARY KEY REFERENCES uids (uid),
            created_at bigint NOT NULL
        );

        CREATE TABLE identities (
            provider bytea NOT NULL CHECK (octet_length(provider) > 0),
            subject bytea NOT NULL CHECK (octet_length(subject) > 0),
            uid bytea NOT NULL REFERENCES accounts (uid),
            PRIMARY KEY (provider, subject),
            UNIQUE (uid, provider)
        );

        CREATE TABLE retired_uids (
            uid bytea NOT NULL PRIMARY KEY REFERENCES uids (uid),
            at bigint NOT NULL
        );

        CREATE TABLE heartbeat (
            id bigint NOT NULL PRIMARY KEY CHECK (id = 1),
            beats bigint NOT NULL
        );
        INSERT INTO heartbeat (id, beats) VALUES (1, 0);
        """

    private static let second = """
        CREATE TABLE handoffs (
            digest bytea NOT NULL PRIMARY KEY CHECK (octet_length(digest) = 32),
            client bytea NOT NULL,
            redirect_uri bytea NOT NULL,
            code_challenge bytea NOT NULL,
            payload bytea NOT NULL,
            failures bigint NOT NULL DEFAULT 0,
            expires_at bigint NOT NULL
        );
        CREATE INDEX handoffs_by_expiry ON handoffs (expires_at);

        CREATE TABLE device_grants (
            digest bytea NOT NULL PRIMARY KEY CHECK (octet_length(digest) = 32),
            user_code_digest bytea NOT NULL UNIQUE CHECK (octet_length(user_code_digest) = 32),
            client bytea NOT NULL,
            provider bytea,
            scope bytea NOT NULL,
            state text NOT NULL
                CHECK (state IN ('pending', 'claimed', 'verified', 'approved', 'denied')),
            owner bytea CHECK (octet_length(owner) = 32),
            payload bytea,
            payload_digest bytea CHECK (octet_length(payload_digest) = 32),
            poll_interval bigint NOT NULL,
            polled_at bigint,
            expires_at bigint NOT NULL
        );
        CREATE INDEX device_grants_by_expiry ON device_grants (expires_at);
        """
}
