internal import Foundation
internal import GRDB
internal import JOSE
internal import Stores

/// The SQL statements of the account directory.
enum AccountTables {
    static func known(_ identity: ExternalIdentity, _ db: Database) throws -> KnownIdentity? {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: knownQuery),
            arguments: [Data(identity.provider.utf8), Data(identity.subject.utf8)])
        return try rows.next().map { try KnownIdentity(row: $0) }
    }

    private static let knownQuery = """
        SELECT \(KnownIdentity.columns) FROM identities JOIN accounts USING (uid) WHERE provider = ? AND subject = ?
        """

    static func accounts(
        where condition: String, _ arguments: StatementArguments, _ db: Database
    ) throws -> [StoredAccount] {
        let statement = try db.cachedStatement(sql: StoredAccount.query(condition))
        return try StoredAccount.accounts(from: Row.fetchAll(statement, arguments: arguments))
    }

    static func account(uid: String, _ db: Database) throws -> StoredAccount? {
        try accounts(where: "accounts.uid = ?", [Data(uid.utf8)], db).first
    }

    static func account(of identity: ExternalIdentity, _ db: Database) throws -> StoredAccount? {
        try accounts(
            where: "accounts.uid = (SELECT uid FROM identities WHERE provider = ? AND subject = ?)",
            [Data(identity.provider.utf8), Data(identity.subject.utf8)], db
        ).first
    }

    static func accounts(email: EmailAddress, _ db: Database) throws -> [StoredAccount] {
        try accounts(where: "accounts.email = ?", [Data(email.text.utf8)], db)
    }

    /// Reads an account that must exist, because it was just written.
    static func expectAccount(uid: String, _ db: Database) throws -> StoredAccount {
        guard let account = try account(uid: uid, db) else { throw StoreError.corrupt }
        return account
    }
}

extension AccountTables {
    /// Returns the reason why an account is not as expected; `nil` if it is, or if nothing is expected.
    static func refusal(of expectation: AccountExpectation?, _ db: Database) throws -> AccountRefusal? {
        guard let expectation else { return nil }
        let holder = try expectation.identity.flatMap { try known($0, db)?.uid }
        return expectation.refusal(
            hasFactor: try !SQLiteStore.confirmedFactors(of: expectation.holder, db).isEmpty,
            hasIdentity: holder.map { $0.exactlyEquals(expectation.uid) } ?? false)
    }

    static func isRetired(uid: String, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM retired_uids WHERE uid = ?")
        return try Bool.fetchOne(statement, arguments: [Data(uid.utf8)]) ?? false
    }

    /// Returns the reason why the second factors of an account must not be changed.
    ///
    /// The account may have no row yet: Firebase made its user.
    static func refusalOfFactors(_ expectation: AccountExpectation, _ db: Database) throws -> AccountRefusal? {
        let key: StatementArguments = [Data(expectation.uid.utf8)]
        if try isRetired(uid: expectation.uid, db) { return .retired }
        let isDisabled = try db.cachedStatement(sql: "SELECT 1 FROM accounts WHERE uid = ? AND disabled")
        if try Bool.fetchOne(isDisabled, arguments: key) != nil { return .disabled }
        return try refusal(of: expectation, db)
    }
}

extension Row: AccountRow {
    // A damaged page may contain any type, and GRDB's typed subscripts trap on an unexpected one.
    func text(_ column: Int) -> String? {
        Data.fromDatabaseValue(self[column]).map { String(decoding: $0, as: UTF8.self) }
    }

    func integer(_ column: Int) -> Int64? { Int64.fromDatabaseValue(self[column]) }

    func flag(_ column: Int) -> Bool? { Bool.fromDatabaseValue(self[column]) }
}

/// Statements that write. All run within a transaction.
extension AccountTables {
    /// Inserts an account without its identities.
    ///
    /// - Returns: `false` if the uid was ever used.
    static func insert(_ account: StoredAccount, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO accounts
                    (uid, created_at, anonymous, delete_after, adopted, other_way_in, disabled, email, ways_in)
                SELECT :uid, :created_at, :anonymous, :delete_after, :adopted, :other_way_in, :disabled, :email, :ways_in
                WHERE NOT EXISTS (SELECT 1 FROM retired_uids WHERE uid = :uid)
                ON CONFLICT DO NOTHING
                """)
        try statement.execute(arguments: [
            "uid": Data(account.uid.utf8), "created_at": account.createdAt.seconds, "anonymous": account.isAnonymous,
            "delete_after": account.deleteAfter?.seconds, "adopted": account.isAdopted,
            "other_way_in": account.hasOtherWayIn, "disabled": account.isDisabled,
            "email": account.email.map { Data($0.text.utf8) },
            "ways_in": account.waysIn.text.map { Data($0.utf8) },
        ])
        return db.changesCount == 1
    }

    /// Links an identity to an account.
    ///
    /// - Returns: `false` if an account already has the identity.
    static func insert(_ identity: StoredIdentity, uid: String, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO identities (provider, subject, uid, email, name, picture, linked_at, last_used_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (provider, subject) DO NOTHING
                """)
        try statement.execute(
            arguments: [
                Data(identity.identity.provider.utf8), Data(identity.identity.subject.utf8), Data(uid.utf8),
            ] + texts(identity.details) + [identity.linkedAt.seconds, identity.lastUsedAt.seconds])
        return db.changesCount == 1
    }

    static func update(_ known: KnownIdentity, of identity: ExternalIdentity, _ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE identities SET email = ?, name = ?, picture = ?, last_used_at = ?
                WHERE provider = ? AND subject = ?
                """)
        try statement.execute(
            arguments: texts(known.details) + [
                known.lastUsedAt.seconds, Data(identity.provider.utf8), Data(identity.subject.utf8),
            ])
    }

    private static func texts(_ details: IdentityDetails) -> StatementArguments {
        StatementArguments([details.email, details.name, details.picture].map { $0.map { Data($0.utf8) } })
    }

    /// Removes an account with its identities and reserves its uid.
    ///
    /// - Returns: Whether the account existed.
    static func retire(uid: String, into other: String? = nil, at now: NumericDate, _ db: Database) throws -> Bool {
        let key = Data(uid.utf8)
        try SQLiteStore.deleteFactors(of: FactorHolder(uid: uid), db)
        try db.cachedStatement(sql: "DELETE FROM identities WHERE uid = ?").execute(arguments: [key])
        try db.cachedStatement(sql: "DELETE FROM accounts WHERE uid = ?").execute(arguments: [key])
        let existed = db.changesCount == 1
        try db.cachedStatement(
            sql: "INSERT INTO retired_uids (uid, at, merged_into) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        ).execute(arguments: [key, now.seconds, other.map { Data($0.utf8) }])
        return existed
    }

    /// Makes an account permanent, and sets its address if it has none.
    static func makePermanent(uid: String, email: EmailAddress?, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE accounts SET anonymous = 0, delete_after = NULL, email = COALESCE(email, ?) WHERE uid = ?
                """
        ).execute(arguments: [email.map { Data($0.text.utf8) }, Data(uid.utf8)])
    }

    /// Writes the changes of ``StoredAccount/outgrown(by:)``.
    static func writeWaysIn(of account: StoredAccount, _ db: Database) throws {
        try db.cachedStatement(
            sql: """
                UPDATE accounts SET anonymous = ?, delete_after = ?, other_way_in = ?, ways_in = ? WHERE uid = ?
                """
        ).execute(arguments: [
            account.isAnonymous, account.deleteAfter?.seconds, account.hasOtherWayIn,
            account.waysIn.text.map { Data($0.utf8) }, Data(account.uid.utf8),
        ])
    }

    /// Sets the address of an account that has none to that of a sign-in, unless another account has it.
    ///
    /// - Returns: The uids of accounts that already have the address. If there are any, nothing is written.
    static func takeEmail(
        of arrival: IncomingIdentity, for known: KnownIdentity, _ emails: EmailRule, _ db: Database
    ) throws -> [String] {
        guard let email = known.email(of: arrival) else { return [] }
        let holders = emails == .shared ? [] : try accounts(email: email, db).map(\.uid)
        if holders.isEmpty {
            try db.cachedStatement(sql: "UPDATE accounts SET email = ? WHERE uid = ?")
                .execute(arguments: [Data(email.text.utf8), Data(known.uid.utf8)])
        }
        return holders
    }

    static func forgetEmail(uid: String, _ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE accounts SET email = NULL WHERE uid = ?")
            .execute(arguments: [Data(uid.utf8)])
    }

    static func delete(provider: String, uid: String, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM identities WHERE uid = ? AND provider = ?")
            .execute(arguments: [Data(uid.utf8), Data(provider.utf8)])
    }

    static func moveIdentities(from uid: String, to other: String, _ db: Database) throws {
        try db.cachedStatement(sql: "UPDATE identities SET uid = ? WHERE uid = ?")
            .execute(arguments: [Data(other.utf8), Data(uid.utf8)])
    }
}
