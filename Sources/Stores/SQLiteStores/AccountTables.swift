internal import Foundation
internal import GRDB
internal import JOSE
internal import Stores

/// What the questions of the account directory do to the tables.
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

    /// Of an account that was just written.
    static func expectAccount(uid: String, _ db: Database) throws -> StoredAccount {
        guard let account = try account(uid: uid, db) else { throw StoreError.corrupt }
        return account
    }
}

extension Row: AccountRow {
    // A damaged page may hold anything, and GRDB traps where a subscript meets another type than it was told.
    func text(_ column: Int) -> String? {
        Data.fromDatabaseValue(self[column]).map { String(decoding: $0, as: UTF8.self) }
    }

    func integer(_ column: Int) -> Int64? { Int64.fromDatabaseValue(self[column]) }

    func flag(_ column: Int) -> Bool? { Bool.fromDatabaseValue(self[column]) }
}
