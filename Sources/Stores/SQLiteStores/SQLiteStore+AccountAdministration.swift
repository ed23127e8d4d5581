internal import Foundation
internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore: AccountAdministration {
    package func account(uid: String) async throws(StoreError) -> StoredAccount? {
        try await writes.read { try AccountTables.account(uid: uid, $0) }
    }

    package func accounts(after uid: String?, atMost limit: Int) async throws(StoreError) -> [StoredAccount] {
        // This runs on a connection of its own, since reading a page takes too long for the writer's connection.
        try await read { db in
            try AccountTables.accounts(
                where: "accounts.uid IN (SELECT uid FROM accounts WHERE uid > ? ORDER BY uid LIMIT ?)",
                [Data((uid ?? "").utf8), max(0, limit)], db)
        }
    }

    package func add(_ account: StoredAccount) async throws(StoreError) -> AddDecision {
        try await writes.write { db in
            guard try AccountTables.insert(account, db) else { return .keep(.uidTaken) }
            for identity in account.identities where try !AccountTables.insert(identity, uid: account.uid, db) {
                return .undo(.identityTaken(identity.identity))
            }
            return .keep(.added)
        }
    }

    package func setDisabled(_ isDisabled: Bool, uid: String) async throws(StoreError) -> Bool {
        try await writes.write { db in
            try db.cachedStatement(sql: "UPDATE accounts SET disabled = ? WHERE uid = ?")
                .execute(arguments: [isDisabled, Data(uid.utf8)])
            return .keep(db.changesCount == 1)
        }
    }

    package func markAnonymous(deleteAfter moment: NumericDate) async throws(StoreError) -> Int {
        try await writes.write { db in
            try db.cachedStatement(
                sql: "UPDATE accounts SET delete_after = ? WHERE anonymous = 1 AND adopted = 0 AND delete_after IS NULL"
            ).execute(arguments: [moment.seconds])
            return .keep(db.changesCount)
        }
    }

    /// The condition for anonymous accounts that were made here, whose deletion time has passed, and that have no
    /// identity or other sign-in method.
    private static let stale = """
        delete_after <= ? AND anonymous = 1 AND adopted = 0 AND other_way_in = 0
            AND NOT EXISTS (SELECT 1 FROM identities WHERE identities.uid = accounts.uid)
        """

    package func countStaleAnonymous(at now: NumericDate) async throws(StoreError) -> Int {
        try await read { db in
            try Int.fetchOne(
                db, sql: "SELECT count(*) FROM accounts WHERE \(Self.stale)", arguments: [now.seconds]) ?? 0
        }
    }

    package func countAnonymous(
        after uid: String?, atMost limit: Int, createdAfter moments: [NumericDate]
    ) async throws(StoreError) -> AnonymousPage {
        let counts = moments.indices.map { ", count(*) FILTER (WHERE anonymous = 1 AND created_at > ?\($0 + 3))" }
        let sql = """
            WITH page AS (SELECT uid, created_at, anonymous FROM accounts WHERE uid > ?1 ORDER BY uid LIMIT ?2)
            SELECT (SELECT uid FROM page ORDER BY uid DESC LIMIT 1), count(*), count(*) FILTER (WHERE anonymous = 1)
                \(counts.joined()) FROM page
            """
        let arguments: [any DatabaseValueConvertible & Sendable] =
            [Data((uid ?? "").utf8), max(0, limit)] + moments.map(\.seconds)
        return try await read { db in
            guard let row = try Row.fetchOne(db, sql: sql, arguments: StatementArguments(arguments)) else {
                throw StoreError.corrupt
            }
            let numbers = (1..<row.count).map { Int.fromDatabaseValue(row[$0]) ?? 0 }
            return AnonymousPage(
                last: numbers[0] == limit ? row.text(0) : nil, createdAfter: Array(numbers.dropFirst(2)),
                total: numbers[1])
        }
    }

    package func staleAnonymous(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> [String] {
        try await read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT uid FROM accounts WHERE \(Self.stale) ORDER BY delete_after, uid LIMIT ?")
            return try Row.fetchAll(statement, arguments: [now.seconds, max(0, limit)]).compactMap { $0.text(0) }
        }
    }

    package func sweepAnonymous(_ uids: [String], at now: NumericDate) async throws(StoreError) -> [String] {
        guard !uids.isEmpty else { return [] }
        return try await writes.write { db in
            let isStale = try db.cachedStatement(sql: "SELECT 1 FROM accounts WHERE \(Self.stale) AND uid = ?")
            let stale = try uids.filter {
                try Bool.fetchOne(isStale, arguments: [now.seconds, Data($0.utf8)]) ?? false
            }
            let left = try db.cachedStatement(
                sql: "INSERT INTO left_at_firebase (uid) VALUES (?) ON CONFLICT DO NOTHING")
            for uid in stale {
                _ = try AccountTables.retire(uid: uid, at: now, db)
                try left.execute(arguments: [Data(uid.utf8)])
            }
            return .keep(stale)
        }
    }

    package func sweepAdopted(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        try await writes.write { db in
            try db.cachedStatement(
                sql: """
                    DELETE FROM accounts WHERE uid IN (
                        SELECT uid FROM accounts
                        WHERE delete_after <= ? AND adopted = 1 AND disabled = 0
                            AND NOT EXISTS (SELECT 1 FROM identities WHERE identities.uid = accounts.uid)
                            AND NOT EXISTS (SELECT 1 FROM factors WHERE factors.uid = accounts.uid)
                        ORDER BY delete_after, uid LIMIT ?)
                    """
            ).execute(arguments: [now.seconds, max(0, limit)])
            return .keep(db.changesCount)
        }
    }

    package func leftAtFirebase(atMost limit: Int) async throws(StoreError) -> [String] {
        try await read { db in
            let statement = try db.cachedStatement(sql: "SELECT uid FROM left_at_firebase ORDER BY uid LIMIT ?")
            return try Row.fetchAll(statement, arguments: [max(0, limit)]).compactMap { $0.text(0) }
        }
    }

    package func forgetLeftAtFirebase(_ uids: [String]) async throws(StoreError) {
        guard !uids.isEmpty else { return }
        try await writes.write { db in
            let statement = try db.cachedStatement(sql: "DELETE FROM left_at_firebase WHERE uid = ?")
            for uid in uids { try statement.execute(arguments: [Data(uid.utf8)]) }
            return .keep(())
        }
    }
}
