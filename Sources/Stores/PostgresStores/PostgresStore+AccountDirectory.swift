package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: AccountDirectory {
    package func account(
        of identity: ExternalIdentity, candidates: [String], at now: NumericDate
    ) async throws(StoreError) -> StoredAccount {
        // Once for who is known or new, again for who was made by another at the same moment, and once more if that one
        // was retired at once.
        for _ in 0..<3 {
            // Almost everybody has been here before.
            if let known = try await perform({ try Self.account(of: identity, &$0) }) { return known }
            switch try await made(identity, candidates, at: now) {
            case .made(let account): return account
            case .someoneElseDid: continue
            case .noFreeUID:
                // The uids may have gone to this very identity.
                if let known = try await perform({ try Self.account(of: identity, &$0) }) { return known }
                throw .noFreeUID
            }
        }
        throw .unavailable(.busy)
    }

    private enum Making {
        case made(StoredAccount)
        case someoneElseDid
        case noFreeUID
    }

    private func made(
        _ identity: ExternalIdentity, _ candidates: [String], at now: NumericDate
    ) async throws(StoreError) -> Making {
        try await transaction { connection in
            guard let uid = try candidates.first(where: { try Self.take(uid: $0, &connection) })
            else { return .undo(.noFreeUID) }
            try connection.run(
                .writing("INSERT INTO accounts (uid, created_at) VALUES ($1, $2)"),
                [.bytes(of: uid), .integer(now.seconds)])
            // This one statement decides which of many makes the account.
            let isFirst =
                try connection.run(
                    .writing(
                        """
                        INSERT INTO identities (provider, subject, uid) VALUES ($1, $2, $3)
                        ON CONFLICT (provider, subject) DO NOTHING
                        """),
                    [.bytes(of: identity.provider), .bytes(of: identity.subject), .bytes(of: uid)]
                ).count == 1
            guard isFirst else { return .undo(.someoneElseDid) }
            return .keep(.made(StoredAccount(uid: uid, isNew: true, createdAt: now)))
        }
    }

    private static func account(
        of identity: ExternalIdentity, _ connection: inout Connection
    ) throws -> StoredAccount? {
        let row = try connection.run(
            .reading(
                """
                SELECT accounts.uid, accounts.created_at FROM identities JOIN accounts USING (uid)
                WHERE identities.provider = $1 AND identities.subject = $2
                """),
            [.bytes(of: identity.provider), .bytes(of: identity.subject)]
        ).rows.first
        guard let row else { return nil }
        guard let uid = row.text(0), let createdAt = row.integer(1) else { throw StoreError.corrupt }
        return StoredAccount(uid: uid, isNew: false, createdAt: NumericDate(createdAt))
    }

    /// Whether the uid was nobody's yet, and never to be so: this one statement decides it.
    private static func take(uid: String, _ connection: inout Connection) throws -> Bool {
        try connection.run(
            .writing("INSERT INTO uids (uid) VALUES ($1) ON CONFLICT DO NOTHING"), [.bytes(of: uid)]
        ).count == 1
    }

    package func retire(uid: String, at now: NumericDate) async throws(StoreError) -> Bool {
        let key = Value.bytes(of: uid)
        return try await transaction { connection in
            // Waits for who is making an account of this uid, so that it is there to be removed, or never will be.
            _ = try Self.take(uid: uid, &connection)
            try connection.run(.writing("DELETE FROM identities WHERE uid = $1"), [key])
            let existed = try connection.run(.writing("DELETE FROM accounts WHERE uid = $1"), [key]).count == 1
            try connection.run(
                .writing("INSERT INTO retired_uids (uid, at) VALUES ($1, $2) ON CONFLICT DO NOTHING"),
                [key, .integer(now.seconds)])
            return .keep(existed)
        }
    }
}
