internal import JOSE
internal import Postgres
internal import Stores

/// The SQL statements of the account directory.
///
/// A transaction that links, unlinks, merges or retires locks the row of the account before it changes the account. If it
/// locks several rows, it does so in the order of their uids, so that two transactions cannot deadlock.
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

    /// The accounts with an address, except one.
    static func accounts(
        email: EmailAddress, except uid: String, _ connection: inout Connection
    ) throws -> [StoredAccount] {
        try accounts(
            where: "accounts.email = $1 AND accounts.uid <> $2", [.bytes(of: email.text), .bytes(of: uid)], &connection)
    }

    /// Locks the row of an account until the end of the transaction, and reads the account.
    ///
    /// This takes two statements, so that the second one sees the changes of the previous holder of the lock.
    static func lockedAccount(uid: String, _ connection: inout Connection) throws -> StoredAccount? {
        try lock(uid: uid, &connection) ? account(uid: uid, &connection) : nil
    }

    /// Locks the row of an account until the end of the transaction.
    ///
    /// - Returns: Whether the account exists.
    static func lock(uid: String, _ connection: inout Connection) throws -> Bool {
        try connection.run(.writing("SELECT uid FROM accounts WHERE uid = $1 FOR UPDATE"), [.bytes(of: uid)]).count == 1
    }
}

/// The state that a call expects.
extension AccountTables {
    /// Returns the reason why an account is not as expected; `nil` if it is, or if nothing is expected.
    ///
    /// In a transaction that writes, the row of the account must be locked: every change of its second factors locks it
    /// too, and so does every change of its identities.
    static func refusal(
        of expectation: AccountExpectation?, _ connection: inout Connection
    ) throws -> AccountRefusal? {
        guard let expectation else { return nil }
        var holder: String?
        if let identity = expectation.identity { holder = try known(identity, &connection)?.uid }
        return expectation.refusal(
            hasFactor: try !PostgresStore.confirmedFactors(of: expectation.holder, &connection).isEmpty,
            hasIdentity: holder.map { $0.exactlyEquals(expectation.uid) } ?? false)
    }

    static func isRetired(uid: String, _ connection: inout Connection) throws -> Bool {
        try connection.run(.reading("SELECT uid FROM retired_uids WHERE uid = $1"), [.bytes(of: uid)]).count > 0
    }

    /// Locks the row of an account, and returns the reason why its second factors must not be changed.
    ///
    /// The account may have no row yet: Firebase made its user.
    static func refusalOfFactors(
        _ expectation: AccountExpectation, _ connection: inout Connection
    ) throws -> AccountRefusal? {
        let isKnown = try lock(uid: expectation.uid, &connection)
        let key = [Value.bytes(of: expectation.uid)]
        if !isKnown, try isRetired(uid: expectation.uid, &connection) { return .retired }
        let isDisabled = Statement.reading("SELECT uid FROM accounts WHERE uid = $1 AND disabled")
        if try connection.run(isDisabled, key).count > 0 { return .disabled }
        return try refusal(of: expectation, &connection)
    }
}

extension ExternalIdentity {
    /// The values of the primary key.
    var key: [Value] { [.bytes(of: provider), .bytes(of: subject)] }
}

extension Row: AccountRow {
    package func flag(_ column: Int) -> Bool? {
        // A `boolean` is one byte, 1 or 0 (`boolsend` in PostgreSQL).
        switch bytes(column) {
        case [1]: true
        case [0]: false
        default: nil
        }
    }
}

/// Statements that write. All run within a transaction.
extension AccountTables {
    /// Claims a uid.
    ///
    /// One statement decides, so that only one of several callers gets the uid.
    ///
    /// - Returns: `false` if the uid was ever used.
    static func take(uid: String, _ connection: inout Connection) throws -> Bool {
        try connection.run(
            .writing("INSERT INTO uids (uid) VALUES ($1) ON CONFLICT DO NOTHING"), [.bytes(of: uid)]
        ).count == 1
    }

    /// Inserts an account without its identities.
    ///
    /// - Returns: `false` if the uid was ever used.
    static func insert(_ account: StoredAccount, _ connection: inout Connection) throws -> Bool {
        guard try take(uid: account.uid, &connection) else { return false }
        try connection.run(
            .writing(
                """
                INSERT INTO accounts
                    (uid, created_at, anonymous, delete_after, adopted, other_way_in, disabled, email, ways_in)
                VALUES ($1, $2, $3 <> 0, CASE WHEN $4 <> 0 THEN $5 END, $6 <> 0, $7 <> 0, $8 <> 0, $9, $10)
                """),
            [
                .bytes(of: account.uid), .integer(account.createdAt.seconds), .flag(account.isAnonymous),
                .flag(account.deleteAfter != nil), .integer(account.deleteAfter?.seconds ?? 0),
                .flag(account.isAdopted), .flag(account.hasOtherWayIn), .flag(account.isDisabled),
                .bytes(account.email.map { Array($0.text.utf8) }),
                .bytes(account.waysIn.text.map { Array($0.utf8) }),
            ])
        return true
    }

    /// Links an identity to an account.
    ///
    /// One statement decides, so that only one of several callers links the identity.
    ///
    /// - Returns: `false` if an account already has the identity.
    static func insert(_ identity: StoredIdentity, uid: String, _ connection: inout Connection) throws -> Bool {
        try connection.run(
            .writing(
                """
                INSERT INTO identities (provider, subject, uid, email, name, picture, linked_at, last_used_at)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (provider, subject) DO NOTHING
                """),
            identity.identity.key + [.bytes(of: uid)] + texts(identity.details) + [
                .integer(identity.linkedAt.seconds), .integer(identity.lastUsedAt.seconds),
            ]
        ).count == 1
    }

    /// Updates the details of an identity.
    ///
    /// - Returns: `false` if the identity no longer belongs to that account.
    static func update(
        _ known: KnownIdentity, of identity: ExternalIdentity, _ connection: inout Connection
    ) throws -> Bool {
        try connection.run(
            .writing(
                """
                UPDATE identities SET email = $4, name = $5, picture = $6, last_used_at = $7
                WHERE provider = $1 AND subject = $2 AND uid = $3
                """),
            identity.key + [.bytes(of: known.uid)] + texts(known.details) + [.integer(known.lastUsedAt.seconds)]
        ).count == 1
    }

    private static func texts(_ details: IdentityDetails) -> [Value] {
        [details.email, details.name, details.picture].map { .bytes($0.map { Array($0.utf8) }) }
    }

    /// Claims an address for an account.
    ///
    /// One statement decides, so that only one of several accounts gets the address.
    ///
    /// - Returns: `false` if another account has the address.
    static func claim(_ email: EmailAddress, uid: String, _ connection: inout Connection) throws -> Bool {
        try connection.run(
            .writing(
                """
                INSERT INTO email_owners (email, uid)
                SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE email = $1 AND uid <> $2)
                ON CONFLICT DO NOTHING
                """), [.bytes(of: email.text), .bytes(of: uid)]
        ).count == 1
    }

    /// Removes an account, its claim to an address, and its second factors.
    ///
    /// The row must be locked, and have no identities.
    static func delete(uid: String, _ connection: inout Connection) throws {
        try PostgresStore.deleteFactors(of: FactorHolder(uid: uid), &connection)
        try connection.run(.writing("DELETE FROM accounts WHERE uid = $1"), [.bytes(of: uid)])
    }

    /// Records that a uid is retired.
    static func retire(
        uid: String, into other: String? = nil, at now: NumericDate, _ connection: inout Connection
    ) throws {
        try connection.run(
            .writing("INSERT INTO retired_uids (uid, at, merged_into) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"),
            [.bytes(of: uid), .integer(now.seconds), .bytes(other.map { Array($0.utf8) })])
    }

    /// Makes an account permanent, and sets its address if it has none.
    static func makePermanent(uid: String, email: EmailAddress?, _ connection: inout Connection) throws {
        try connection.run(
            .writing(
                """
                UPDATE accounts SET anonymous = false, delete_after = NULL, email = COALESCE(email, $2) WHERE uid = $1
                """), [.bytes(of: uid), .bytes(email.map { Array($0.text.utf8) })])
    }

    /// Writes the changes of ``StoredAccount/outgrown(by:)``.
    ///
    /// The row must be locked.
    static func writeWaysIn(of account: StoredAccount, _ connection: inout Connection) throws {
        try connection.run(
            .writing(
                """
                UPDATE accounts SET anonymous = ($2 <> 0), delete_after = CASE WHEN $3 <> 0 THEN $4 END,
                    other_way_in = ($5 <> 0), ways_in = $6 WHERE uid = $1
                """),
            [
                .bytes(of: account.uid), .flag(account.isAnonymous), .flag(account.deleteAfter != nil),
                .integer(account.deleteAfter?.seconds ?? 0), .flag(account.hasOtherWayIn),
                .bytes(account.waysIn.text.map { Array($0.utf8) }),
            ])
    }

    /// Sets the address of an account to that of a sign-in, if the account has none.
    ///
    /// With ``EmailRule/oneAccountEach`` an address that another account has is not taken.
    ///
    /// - Returns: The uids of accounts that already have the address. If there are any, nothing is written.
    static func take(
        _ email: EmailAddress, for uid: String, _ emails: EmailRule, _ connection: inout Connection
    ) throws -> [String] {
        // Since the account was read, it may have been removed or have gained an address.
        guard let account = try lockedAccount(uid: uid, &connection), account.email == nil else { return [] }
        guard try emails == .shared || claim(email, uid: uid, &connection) else {
            return try accounts(email: email, except: uid, &connection).map(\.uid)
        }
        try connection.run(
            .writing("UPDATE accounts SET email = $2 WHERE uid = $1"), [.bytes(of: uid), .bytes(of: email.text)])
        return []
    }

    /// Removes the address of an account and the claim to it.
    static func forgetEmail(uid: String, _ connection: inout Connection) throws {
        try connection.run(.writing("DELETE FROM email_owners WHERE uid = $1"), [.bytes(of: uid)])
        try connection.run(.writing("UPDATE accounts SET email = NULL WHERE uid = $1"), [.bytes(of: uid)])
    }
}

extension Value {
    /// A Boolean as an integer, for `$n <> 0` in a statement.
    static func flag(_ isSet: Bool) -> Value { .integer(isSet ? 1 : 0) }
}
