internal import Stores

extension Schema {
    /// All tables, in any order.
    static let tables = [
        "migrations", "spent", "uids", "accounts", "identities", "retired_uids", "heartbeat", "handoffs",
        "device_grants",
        "email_owners", "audit", "swept", "watch", "unwatched", "pending_credentials", "left_at_firebase", "factors",
        "recovery_codes", "factor_tries", "servers",
    ]

    static let migrations = [
        Migration(name: "0001 spent credentials, accounts", script: first),
        Migration(name: "0002 handoffs, device grants", script: second),
        Migration(name: "0003 linked accounts", script: linkedAccounts),
        Migration(name: "0004 audit", script: SharedTables.audit.inPostgreSQL),
        Migration(name: "0005 sweeps", script: SharedTables.sweeps.inPostgreSQL),
        Migration(name: "0006 watch", script: watch),
        Migration(name: "0007 pending credentials", script: SharedTables.pendingCredentials.inPostgreSQL),
        Migration(name: "0008 ways in", script: signInMethods),
        Migration(name: "0009 factors", script: SharedTables.factors.inPostgreSQL),
        Migration(name: "0010 servers", script: SharedTables.servers.inPostgreSQL),
        Migration(name: "0011 waiting factors", script: SharedTables.waitingFactors.inPostgreSQL),
    ]

    /// The tables of spent credentials and accounts.
    ///
    /// A uid stays in `uids` forever after an account had it or it was retired, so that one unique key decides which
    /// account gets a uid.
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

extension Schema {
    /// The columns for linked, anonymous and merged accounts, and the owners of addresses.
    ///
    /// Adding a column does not rewrite the rows. If a time of an identity is null, the creation time of its account
    /// applies.
    ///
    /// If several sign-ins bring the same verified address concurrently, the primary key of `email_owners` decides
    /// which account takes it. An account that got its address while addresses were shared has no row.
    static let linkedAccounts = """
        ALTER TABLE accounts ADD COLUMN anonymous boolean NOT NULL DEFAULT false;
        ALTER TABLE accounts ADD COLUMN delete_after bigint;
        ALTER TABLE accounts ADD COLUMN adopted boolean NOT NULL DEFAULT false;
        ALTER TABLE accounts ADD COLUMN other_way_in boolean NOT NULL DEFAULT false;
        ALTER TABLE accounts ADD COLUMN disabled boolean NOT NULL DEFAULT false;
        ALTER TABLE accounts ADD COLUMN email bytea;
        CREATE INDEX accounts_by_email ON accounts (email) WHERE email IS NOT NULL;
        CREATE INDEX accounts_by_end ON accounts (delete_after) WHERE delete_after IS NOT NULL;

        ALTER TABLE identities ADD COLUMN email bytea;
        ALTER TABLE identities ADD COLUMN name bytea;
        ALTER TABLE identities ADD COLUMN picture bytea;
        ALTER TABLE identities ADD COLUMN linked_at bigint;
        ALTER TABLE identities ADD COLUMN last_used_at bigint;

        ALTER TABLE retired_uids ADD COLUMN merged_into bytea;

        CREATE TABLE email_owners (
            email bytea NOT NULL PRIMARY KEY,
            uid bytea NOT NULL UNIQUE REFERENCES accounts (uid) ON DELETE CASCADE
        );
        """
}

extension Schema {
    /// The time until which the store has watched, the server, and the periods before which issued credentials are
    /// refused.
    ///
    /// Before the first watch the period is all of time, because neither new tables nor those from before this migration
    /// are known to have a record of every earlier use.
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

extension Schema {
    /// The names of other sign-in methods, and the swept accounts whose Firebase users remain.
    ///
    /// `ways_in` contains names that are separated by one space; it is null if none is known. `left_at_firebase` contains the uids of swept accounts until their Firebase users are deleted.
    static let signInMethods = """
        ALTER TABLE accounts ADD COLUMN ways_in bytea;
        CREATE TABLE left_at_firebase (
            uid bytea NOT NULL PRIMARY KEY REFERENCES uids (uid)
        );
        """
}
