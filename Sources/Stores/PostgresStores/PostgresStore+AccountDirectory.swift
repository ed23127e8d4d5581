package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: AccountDirectory {
    package func makeAnonymous(
        candidates: [String], deleteAfter: NumericDate?, at now: NumericDate
    ) async throws(StoreError) -> String {
        try await transaction { connection in
            let uid = try candidates.first { uid in
                try AccountTables.insert(StoredAccount(uid: uid, anonymousUntil: deleteAfter, at: now), &connection)
            }
            guard let uid else { throw StoreError.noFreeUID }
            return .keep(uid)
        }
    }

    package func account(of bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        if let known = try await account(uid: bearer.uid), known.outgrown(by: bearer) == nil {
            return .account(known)
        }
        return try await transaction { connection in
            var account = StoredAccount(adopting: bearer, at: now)
            guard try AccountTables.insert(account, &connection) else {
                // It is known, if only since a moment ago, or its uid was retired.
                guard let known = try AccountTables.lockedAccount(uid: bearer.uid, &connection)
                else { return .undo(.retired) }
                guard let outgrown = known.outgrown(by: bearer) else { return .undo(.account(known)) }
                try AccountTables.writeWaysIn(of: outgrown, &connection)
                return .keep(.account(outgrown))
            }
            if let email = account.email, try !AccountTables.claim(email, uid: bearer.uid, &connection) {
                try AccountTables.forgetEmail(uid: bearer.uid, &connection)
                account.email = nil
            }
            return .keep(.account(account))
        }
    }

    package func account(of identity: ExternalIdentity) async throws(StoreError) -> StoredAccount? {
        try await perform { try AccountTables.account(of: identity, &$0) }
    }

    package func retire(uid: String, at now: NumericDate) async throws(StoreError) -> Bool {
        try await transaction { connection in
            // Waits for who is making an account of this uid, so that it is there to be removed, or never will be.
            _ = try AccountTables.take(uid: uid, &connection)
            let exists = try AccountTables.lock(uid: uid, &connection)
            if exists {
                try connection.run(.writing("DELETE FROM identities WHERE uid = $1"), [.bytes(of: uid)])
                try AccountTables.delete(uid: uid, &connection)
            }
            try AccountTables.retire(uid: uid, at: now, &connection)
            return .keep(exists)
        }
    }
}
