extension Schema {
    /// Columns that are added cost nothing, however many rows there are; null in the times of an identity is the time
    /// of its account.
    ///
    /// Of several who come with one verified address at once the primary key of `email_owners` decides who has it. An
    /// account that was made while addresses were shared is no owner.
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
