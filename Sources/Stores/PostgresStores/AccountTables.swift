internal import JOSE
internal import Postgres
internal import Stores

/// What the questions of the account directory do to the tables.
///
/// Who changes an account or its identities holds the lock of its row, and of two rows that of the lesser uid first.
enum AccountTables {
    private static let knownStatement = Statement.reading(
        """
        SELECT \(KnownIdentity.columns) FROM identities JOIN accounts USING (uid)
        WHERE provider = $1 AND subject = $2
        """)

    static func known(_ identity: ExternalIdentity, _ connection: inout Connection) throws -> KnownIdentity? {
        try connection.run(knownStatement, identity.key).rows.first.map { try KnownIdentity(row: $0) }
    }

    static func accounts(
        where condition: String, _ values: [Value], _ connection: inout Connection
    ) throws -> [StoredAccount] {
        try StoredAccount.accounts(
            from: connection.run(.reading(StoredAccount.query(condition)), values).rows)
    }

    static func account(uid: String, _ connection: inout Connection) throws -> StoredAccount? {
        try accounts(where: "accounts.uid = $1", [.bytes(of: uid)], &connection).first
    }

    static func account(of identity: ExternalIdentity, _ connection: inout Connection) throws -> StoredAccount? {
        try accounts(
            where: "accounts.uid = (SELECT uid FROM identities WHERE provider = $1 AND subject = $2)", identity.key,
            &connection
        ).first
    }

    /// All but one uid's.
    static func accounts(
        email: EmailAddress, except uid: String, _ connection: inout Connection
    ) throws -> [StoredAccount] {
        try accounts(
            where: "accounts.email = $1 AND accounts.uid <> $2", [.bytes(of: email.text), .bytes(of: uid)], &connection)
    }

    /// The account, from now until the end of the transaction changed by nobody else.
    ///
    /// Two statements: the second sees what was done by who held the lock before.
    static func lockedAccount(uid: String, _ connection: inout Connection) throws -> StoredAccount? {
        try lock(uid: uid, &connection) ? account(uid: uid, &connection) : nil
    }

    /// Whether there is such an account.
    static func lock(uid: String, _ connection: inout Connection) throws -> Bool {
        try connection.run(.writing("SELECT uid FROM accounts WHERE uid = $1 FOR UPDATE"), [.bytes(of: uid)]).count == 1
    }
}

extension ExternalIdentity {
    /// The values of its primary key.
    var key: [Value] { [.bytes(of: provider), .bytes(of: subject)] }
}

extension Row: AccountRow {
    package func flag(_ column: Int) -> Bool? {
        // One byte, 1 or 0 (PostgreSQL's `boolsend`).
        switch bytes(column) {
        case [1]: true
        case [0]: false
        default: nil
        }
    }
}
