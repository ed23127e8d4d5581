package import JOSE
package import Standards

/// The operations on accounts that operators and the sweeper need.
extension SQLStore {
    package func account(uid: UID) async throws(StoreError) -> StoredAccount? {
        try await read { try $0.account(uid: uid) }
    }

    package func accounts(after uid: UID?, atMost limit: Int) async throws(StoreError) -> [StoredAccount] {
        try await scan { session in
            try session.accounts(
                where: "accounts.uid IN (SELECT uid FROM accounts WHERE uid > ?1 ORDER BY uid LIMIT ?2)",
                [.octets(uid?.text ?? ""), .limit(limit)])
        }
    }

    package func add(_ account: StoredAccount) async throws(StoreError) -> AddDecision {
        try await transaction { session in
            guard try session.insert(account) else { return .undo(.uidTaken) }
            for identity in account.identities where try !session.insert(identity, uid: account.uid) {
                return .undo(.identityTaken(identity.identity))
            }
            // The account keeps its address even if other accounts have it too.
            if let email = account.email { _ = try session.claim(email, uid: account.uid) }
            return .keep(.added)
        }
    }

    package func setDisabled(_ isDisabled: Bool, uid: UID) async throws(StoreError) -> Bool {
        try await perform { session in
            try session.write(
                "UPDATE accounts SET disabled = ?2 WHERE uid = ?1", [.octets(uid), .flag(isDisabled)]
            ).count == 1
        }
    }

    package func markAnonymous(deleteAfter moment: NumericDate) async throws(StoreError) -> Int {
        try await perform { session in
            try session.write(
                "UPDATE accounts SET delete_after = ?1 WHERE anonymous AND NOT adopted AND delete_after IS NULL",
                [.time(moment)]
            ).count
        }
    }

    package func countStaleAnonymous(at now: NumericDate) async throws(StoreError) -> Int {
        try await scan { try $0.number("SELECT count(*) FROM accounts WHERE \(stale)", [.time(now)]) }
    }

    package func countAnonymous(
        after uid: UID?, atMost limit: Int, createdAfter moments: [NumericDate]
    ) async throws(StoreError) -> AnonymousPage {
        let counts = moments.indices.map { ", count(*) FILTER (WHERE anonymous AND created_at > ?\($0 + 3))" }
        let sql = """
            WITH page AS (SELECT uid, created_at, anonymous FROM accounts WHERE uid > ?1 ORDER BY uid LIMIT ?2)
            SELECT (SELECT uid FROM page ORDER BY uid DESC LIMIT 1), count(*), count(*) FILTER (WHERE anonymous)
                \(counts.joined()) FROM page
            """
        return try await scan { session in
            let values = [.octets(uid?.text ?? ""), .limit(limit)] + moments.map { SQLValue.time($0) }
            guard let row = try session.read(sql, values).first else { throw StoreError.corrupt }
            let numbers = (1..<(moments.count + 3)).map { Int(row.integer($0) ?? 0) }
            return AnonymousPage(
                last: numbers[0] == limit ? try row.optionalIdentifier(0) : nil,
                createdAfter: Array(numbers.dropFirst(2)),
                total: numbers[1])
        }
    }

    package func staleAnonymous(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> [UID] {
        try await scan { session in
            try session.uids(
                "SELECT uid FROM accounts WHERE \(stale) ORDER BY delete_after, uid LIMIT ?2",
                [.time(now), .limit(limit)])
        }
    }

    package func sweepAnonymous(_ uids: [UID], at now: NumericDate) async throws(StoreError) -> [UID] {
        guard !uids.isEmpty else { return [] }
        let swept: Set<UID> = try await transaction { session in
            var swept: Set<UID> = []
            for uid in uids.sorted() where try session.lock(uid: uid, if: stale, at: now) {
                try session.delete(uid: uid)
                try session.retire(uid: uid, at: now)
                try session.write(
                    "INSERT INTO left_at_firebase (uid) VALUES (?1) ON CONFLICT DO NOTHING", [.octets(uid)])
                swept.insert(uid)
            }
            return swept.isEmpty ? .undo([]) : .keep(swept)
        }
        return uids.filter(swept.contains)
    }

    package func sweepAdopted(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        let found = try await scan { session in
            try session.uids(
                "SELECT uid FROM accounts WHERE \(leftover) ORDER BY delete_after, uid LIMIT ?2",
                [.time(now), .limit(limit)])
        }
        guard !found.isEmpty else { return 0 }
        return try await transaction { session in
            var count = 0
            for uid in found.sorted() where try session.lock(uid: uid, if: leftover, at: now) {
                try session.delete(uid: uid)
                // The uid may be adopted again.
                try session.release(uid: uid)
                count += 1
            }
            return count == 0 ? .undo(0) : .keep(count)
        }
    }

    package func leftAtFirebase(atMost limit: Int) async throws(StoreError) -> [UID] {
        try await scan { try $0.uids("SELECT uid FROM left_at_firebase ORDER BY uid LIMIT ?1", [.limit(limit)]) }
    }

    package func forgetLeftAtFirebase(_ uids: [UID]) async throws(StoreError) {
        guard !uids.isEmpty else { return }
        try await transaction { session in
            for uid in uids { try session.write("DELETE FROM left_at_firebase WHERE uid = ?1", [.octets(uid)]) }
            return .keep(())
        }
    }
}

/// The condition for anonymous accounts that were made here, whose deletion time has passed, and that have no identity or
/// other sign-in method.
private let stale = """
    delete_after <= ?1 AND anonymous AND NOT adopted AND NOT other_way_in
        AND NOT EXISTS (SELECT 1 FROM identities WHERE identities.uid = accounts.uid)
    """

/// The condition for rows of adopted accounts that have got no identity in time, and that nothing needs.
private let leftover = """
    delete_after <= ?1 AND adopted AND NOT disabled
        AND NOT EXISTS (SELECT 1 FROM identities WHERE identities.uid = accounts.uid)
        AND NOT EXISTS (SELECT 1 FROM factors WHERE factors.uid = accounts.uid)
    """

extension SQLSession {
    /// Locks the row of an account that satisfies a condition.
    ///
    /// This waits for a concurrent link, after which the account does not satisfy it.
    ///
    /// - Returns: Whether there is such an account.
    fileprivate func lock(uid: UID, if condition: String, at now: NumericDate) throws -> Bool {
        try write(
            "SELECT uid FROM accounts WHERE \(condition) AND uid = ?2\(Self.rowLock)", [.time(now), .octets(uid)]
        ).count == 1
    }
}
