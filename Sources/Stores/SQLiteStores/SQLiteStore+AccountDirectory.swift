internal import Foundation
internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore: AccountDirectory {
    package func account(
        of identity: ExternalIdentity, candidates: [String], at now: NumericDate
    ) async throws(StoreError) -> StoredAccount {
        // Almost everybody has been here before, and reading waits for no other process.
        if let known = try await writes.read({ try Self.account(of: identity, $0) }) { return known }
        return try await writes.write { db in
            // Only here nobody can come between looking and making.
            if let known = try Self.account(of: identity, db) { return .keep(known) }
            guard let uid = try candidates.first(where: { try Self.insertAccount(uid: $0, at: now, db) })
            else {
                throw StoreError.noFreeUID
            }
            let statement = try db.cachedStatement(
                sql: "INSERT INTO identities (provider, subject, uid) VALUES (?, ?, ?)")
            try statement.execute(
                arguments: [Data(identity.provider.utf8), Data(identity.subject.utf8), Data(uid.utf8)])
            return .keep(StoredAccount(uid: uid, isNew: true, createdAt: now))
        }
    }

    private static func account(of identity: ExternalIdentity, _ db: Database) throws
        -> StoredAccount?
    {
        let statement = try db.cachedStatement(
            sql: """
                SELECT uid, created_at FROM identities JOIN accounts USING (uid)
                WHERE provider = ? AND subject = ?
                """)
        let arguments: StatementArguments = [Data(identity.provider.utf8), Data(identity.subject.utf8)]
        guard let row = try Row.fetchOne(statement, arguments: arguments) else { return nil }
        // A damaged page may hold anything, and GRDB traps where a subscript meets another type than it was told.
        guard let uid = Data.fromDatabaseValue(row["uid"]),
            let createdAt = Int64.fromDatabaseValue(row["created_at"])
        else { throw StoreError.corrupt }
        return StoredAccount(
            uid: String(decoding: uid, as: UTF8.self), isNew: false, createdAt: NumericDate(createdAt))
    }

    /// Whether the uid was free, and now is taken.
    private static func insertAccount(uid: String, at now: NumericDate, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO accounts (uid, created_at)
                SELECT :uid, :now WHERE NOT EXISTS (SELECT 1 FROM retired_uids WHERE uid = :uid)
                ON CONFLICT DO NOTHING
                """)
        try statement.execute(arguments: ["uid": Data(uid.utf8), "now": now.seconds])
        return db.changesCount == 1
    }

    package func retire(uid: String, at now: NumericDate) async throws(StoreError) -> Bool {
        let key = Data(uid.utf8)
        return try await writes.write { db in
            try db.cachedStatement(sql: "DELETE FROM identities WHERE uid = ?").execute(arguments: [key])
            try db.cachedStatement(sql: "DELETE FROM accounts WHERE uid = ?").execute(arguments: [key])
            let existed = db.changesCount == 1
            try db.cachedStatement(
                sql: "INSERT INTO retired_uids (uid, at) VALUES (?, ?) ON CONFLICT DO NOTHING"
            )
            .execute(arguments: [key, now.seconds])
            return .keep(existed)
        }
    }
}
