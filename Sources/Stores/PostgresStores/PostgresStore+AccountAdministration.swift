package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: AccountAdministration {
    package func account(uid: String) async throws(StoreError) -> StoredAccount? {
        try await perform { try AccountTables.account(uid: uid, &$0) }
    }

    package func accounts(after uid: String?, atMost limit: Int) async throws(StoreError) -> [StoredAccount] {
        try await perform { connection in
            try AccountTables.accounts(
                where: "accounts.uid IN (SELECT uid FROM accounts WHERE uid > $1 ORDER BY uid LIMIT $2)",
                [.bytes(of: uid ?? ""), .integer(Int64(max(0, limit)))], &connection)
        }
    }

    package func add(_ account: StoredAccount) async throws(StoreError) -> AddDecision {
        try await transaction { connection in
            guard try AccountTables.insert(account, &connection) else { return .undo(.uidTaken) }
            for identity in account.identities
            where try !AccountTables.insert(identity, uid: account.uid, &connection) {
                return .undo(.identityTaken(identity.identity))
            }
            // The account keeps its address even if other accounts have it too.
            if let email = account.email { _ = try AccountTables.claim(email, uid: account.uid, &connection) }
            return .keep(.added)
        }
    }

    package func setDisabled(_ isDisabled: Bool, uid: String) async throws(StoreError) -> Bool {
        try await perform { connection in
            try connection.run(
                .writing("UPDATE accounts SET disabled = ($2 <> 0) WHERE uid = $1"),
                [.bytes(of: uid), .flag(isDisabled)]
            ).count == 1
        }
    }

    package func markAnonymous(deleteAfter moment: NumericDate) async throws(StoreError) -> Int {
        try await perform { connection in
            try connection.run(
                .writing(
                    """
                    UPDATE accounts SET delete_after = $1 WHERE anonymous AND NOT adopted AND delete_after IS NULL
                    """), [.integer(moment.seconds)]
            ).count
        }
    }

    /// The condition for anonymous accounts that were made here, whose deletion time has passed, and that have no
    /// identity or other sign-in method.
    private static let stale = """
        delete_after <= $1 AND anonymous AND NOT adopted AND NOT other_way_in
            AND NOT EXISTS (SELECT 1 FROM identities WHERE identities.uid = accounts.uid)
        """

    package func countStaleAnonymous(at now: NumericDate) async throws(StoreError) -> Int {
        try await perform { connection in
            let row = try connection.run(
                .reading("SELECT count(*) FROM accounts WHERE \(Self.stale)"), [.integer(now.seconds)]
            ).rows.first
            guard let count = row?.integer(0) else { throw PostgresError.unexpectedAnswer }
            return Int(count)
        }
    }

    package func countAnonymous(
        after uid: String?, atMost limit: Int, createdAfter moments: [NumericDate]
    ) async throws(StoreError) -> AnonymousPage {
        let counts = moments.indices.map { ", count(*) FILTER (WHERE anonymous AND created_at > $\($0 + 3))" }
        let sql = """
            WITH page AS (SELECT uid, created_at, anonymous FROM accounts WHERE uid > $1 ORDER BY uid LIMIT $2)
            SELECT (SELECT uid FROM page ORDER BY uid DESC LIMIT 1), count(*), count(*) FILTER (WHERE anonymous)
                \(counts.joined()) FROM page
            """
        return try await perform { connection in
            let row = try connection.run(
                .reading(sql),
                [.bytes(of: uid ?? ""), .integer(Int64(max(0, limit)))] + moments.map { .integer($0.seconds) }
            ).rows.first
            guard let row else { throw PostgresError.unexpectedAnswer }
            let numbers = (1..<(moments.count + 3)).map { Int(row.integer($0) ?? 0) }
            return AnonymousPage(
                last: numbers[0] == limit ? row.text(0) : nil, createdAfter: Array(numbers.dropFirst(2)),
                total: numbers[1])
        }
    }

    package func staleAnonymous(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> [String] {
        try await perform { connection in
            try connection.run(
                .reading("SELECT uid FROM accounts WHERE \(Self.stale) ORDER BY delete_after, uid LIMIT $2"),
                [.integer(now.seconds), .integer(Int64(max(0, limit)))]
            ).rows.compactMap { $0.text(0) }
        }
    }

    package func sweepAnonymous(_ uids: [String], at now: NumericDate) async throws(StoreError) -> [String] {
        guard !uids.isEmpty else { return [] }
        // Lock in one order, so that two servers cannot deadlock.
        let ordered = uids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        // Compare octets: a set of strings could confuse two uids that are canonically equivalent.
        let swept: Set<[UInt8]> = try await transaction { connection in
            var stale: Set<[UInt8]> = []
            for uid in ordered {
                // This waits for a concurrent link. A linked account is not stale.
                let isStale =
                    try connection.run(
                        .writing("SELECT uid FROM accounts WHERE \(Self.stale) AND uid = $2 FOR UPDATE"),
                        [.integer(now.seconds), .bytes(of: uid)]
                    ).count == 1
                guard isStale else { continue }
                try AccountTables.delete(uid: uid, &connection)
                try AccountTables.retire(uid: uid, at: now, &connection)
                try connection.run(
                    .writing("INSERT INTO left_at_firebase (uid) VALUES ($1) ON CONFLICT DO NOTHING"),
                    [.bytes(of: uid)])
                stale.insert(Array(uid.utf8))
            }
            return stale.isEmpty ? .undo([]) : .keep(stale)
        }
        return uids.filter { swept.contains(Array($0.utf8)) }
    }

    /// The condition for rows of adopted accounts that have got no identity in time, and that nothing needs.
    private static let leftover = """
        delete_after <= $1 AND adopted AND NOT disabled
            AND NOT EXISTS (SELECT 1 FROM identities WHERE identities.uid = accounts.uid)
            AND NOT EXISTS (SELECT 1 FROM factors WHERE factors.uid = accounts.uid)
        """

    package func sweepAdopted(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        let found = try await perform { connection in
            try connection.run(
                .reading("SELECT uid FROM accounts WHERE \(Self.leftover) ORDER BY delete_after, uid LIMIT $2"),
                [.integer(now.seconds), .integer(Int64(max(0, limit)))]
            ).rows.compactMap { $0.text(0) }
        }
        guard !found.isEmpty else { return 0 }
        // Lock in one order, so that two servers cannot deadlock.
        let ordered = found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return try await transaction { connection in
            var count = 0
            for uid in ordered {
                // This waits for a concurrent link. A linked account has no end.
                let isLeftover =
                    try connection.run(
                        .writing("SELECT uid FROM accounts WHERE \(Self.leftover) AND uid = $2 FOR UPDATE"),
                        [.integer(now.seconds), .bytes(of: uid)]
                    ).count == 1
                guard isLeftover else { continue }
                try AccountTables.delete(uid: uid, &connection)
                // The uid may be adopted again.
                try connection.run(.writing("DELETE FROM uids WHERE uid = $1"), [.bytes(of: uid)])
                count += 1
            }
            return count == 0 ? .undo(0) : .keep(count)
        }
    }

    package func leftAtFirebase(atMost limit: Int) async throws(StoreError) -> [String] {
        try await perform { connection in
            try connection.run(
                .reading("SELECT uid FROM left_at_firebase ORDER BY uid LIMIT $1"), [.integer(Int64(max(0, limit)))]
            ).rows.compactMap { $0.text(0) }
        }
    }

    package func forgetLeftAtFirebase(_ uids: [String]) async throws(StoreError) {
        guard !uids.isEmpty else { return }
        try await transaction { connection in
            for uid in uids {
                try connection.run(
                    .writing("DELETE FROM left_at_firebase WHERE uid = $1"), [.bytes(of: uid)])
            }
            return .keep(())
        }
    }
}
