extension Schema {
    /// Columns that are added cost nothing, however many rows there are; null in the times of an identity is the time
    /// of its account.
    static let linkedAccounts = """
        ALTER TABLE accounts ADD COLUMN anonymous INTEGER NOT NULL DEFAULT 0 CHECK (anonymous IN (0, 1));
        ALTER TABLE accounts ADD COLUMN delete_after INTEGER;
        ALTER TABLE accounts ADD COLUMN adopted INTEGER NOT NULL DEFAULT 0 CHECK (adopted IN (0, 1));
        ALTER TABLE accounts ADD COLUMN other_way_in INTEGER NOT NULL DEFAULT 0 CHECK (other_way_in IN (0, 1));
        ALTER TABLE accounts ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1));
        ALTER TABLE accounts ADD COLUMN email BLOB;
        CREATE INDEX accounts_by_email ON accounts (email) WHERE email IS NOT NULL;
        CREATE INDEX accounts_by_end ON accounts (delete_after) WHERE delete_after IS NOT NULL;

        ALTER TABLE identities ADD COLUMN email BLOB;
        ALTER TABLE identities ADD COLUMN name BLOB;
        ALTER TABLE identities ADD COLUMN picture BLOB;
        ALTER TABLE identities ADD COLUMN linked_at INTEGER;
        ALTER TABLE identities ADD COLUMN last_used_at INTEGER;

        ALTER TABLE retired_uids ADD COLUMN merged_into BLOB;
        """
}
