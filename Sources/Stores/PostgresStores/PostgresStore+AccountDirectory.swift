package import JOSE
internal import Postgres
package import Stores

extension PostgresStore {
    package func signIn(
        _ arrival: IncomingIdentity, candidates: [String], emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision {
        // Repeat if another transaction has just made, moved or removed the account.
        for _ in 0..<Attempts.limit {
            // Most users already have an account.
            if let known = try await perform({ try AccountTables.known(arrival.identity, &$0) }) {
                if let answer = known.answer(to: arrival, at: now) { return answer }
                let refreshed = known.refreshed(by: arrival, at: now)
                let isDone = try await perform { try AccountTables.update(refreshed, of: arrival.identity, &$0) }
                guard isDone else { continue }
                let holders = try await holders(afterTaking: known.email(of: arrival), for: known.uid, emails)
                return known.signedIn(emailHeldBy: holders)
            } else {
                switch try await made(arrival, candidates, emails, at: now) {
                case .decided(let decision): return decision
                case .noFreeUID: throw .noFreeUID
                case .someoneElseDid: break
                }
            }
        }
        throw .unavailable(.busy)
    }

    /// Sets the address of an account to that of a sign-in.
    ///
    /// - Returns: The uids of accounts that already have the address. If there are any, nothing is written.
    private func holders(
        afterTaking email: EmailAddress?, for uid: String, _ emails: EmailRule
    ) async throws(StoreError) -> [String] {
        guard let email else { return [] }
        return try await transaction { connection in
            let holders = try AccountTables.take(email, for: uid, emails, &connection)
            return holders.isEmpty ? .keep([]) : .undo(holders)
        }
    }

    private enum Making {
        case decided(SignInDecision)
        case someoneElseDid
        case noFreeUID
    }

    private func made(
        _ arrival: IncomingIdentity, _ candidates: [String], _ emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> Making {
        let email = emails == .oneAccountEach ? arrival.email : nil
        return try await transaction { connection in
            let uid = try candidates.first { uid in
                try AccountTables.insert(StoredAccount(uid: uid, of: arrival, at: now), &connection)
            }
            guard let uid else {
                // Another transaction may have assigned one of the uids to this identity.
                if try AccountTables.known(arrival.identity, &connection) != nil { return .undo(.someoneElseDid) }
                let taken = try email.map { try Self.holders(of: $0, except: "", &connection) } ?? nil
                return .undo(taken ?? .noFreeUID)
            }
            // If several requests sign in the same person concurrently, this one statement decides which makes the
            // account.
            guard try AccountTables.insert(StoredIdentity(arrival, at: now), uid: uid, &connection)
            else { return .undo(.someoneElseDid) }
            if let email, try !AccountTables.claim(email, uid: uid, &connection) {
                // If no account has the address any more, its holder has lost it since the claim. Repeat then.
                return .undo(try Self.holders(of: email, except: uid, &connection) ?? .someoneElseDid)
            }
            return .keep(.decided(.signedIn(uid: uid, isNew: true, hasFactor: false)))
        }
    }

    /// The decision that names the accounts with this address; `nil` if there are none.
    private static func holders(
        of email: EmailAddress, except uid: String, _ connection: inout Connection
    ) throws -> Making? {
        let holders = try AccountTables.accounts(email: email, except: uid, &connection)
        return holders.isEmpty ? nil : .decided(.emailTaken(by: holders))
    }
}

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
                // The account exists, perhaps since a moment ago, or its uid was retired.
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

    package func find(_ bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        let found = try await perform { connection -> CallerLookup in
            if let known = try AccountTables.account(uid: bearer.uid, &connection) { return .account(known) }
            return try AccountTables.isRetired(uid: bearer.uid, &connection)
                ? .retired : .unknown(StoredAccount(adopting: bearer, at: now))
        }
        guard case .account(let known) = found, known.outgrown(by: bearer) != nil else { return found }
        return try await account(of: bearer, at: now)
    }

    package func account(of identity: ExternalIdentity) async throws(StoreError) -> StoredAccount? {
        try await perform { try AccountTables.account(of: identity, &$0) }
    }

    package func retire(
        uid: String, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> RetireDecision {
        try await transaction { connection in
            // This waits for a concurrent creation of an account with this uid, so that it either exists now and is
            // removed, or can never be made.
            _ = try AccountTables.take(uid: uid, &connection)
            let exists = try AccountTables.lock(uid: uid, &connection)
            if let refusal = try AccountTables.refusal(of: expectation, &connection) {
                return .undo(.refused(refusal))
            }
            if exists {
                try connection.run(.writing("DELETE FROM identities WHERE uid = $1"), [.bytes(of: uid)])
                try AccountTables.delete(uid: uid, &connection)
            }
            try AccountTables.retire(uid: uid, at: now, &connection)
            return .keep(.retired(existed: exists))
        }
    }

    package func refusal(of expectation: AccountExpectation) async throws(StoreError) -> AccountRefusal? {
        try await perform { try AccountTables.refusal(of: expectation, &$0) }
    }
}

extension PostgresStore {
    package func link(
        _ arrival: IncomingIdentity, to uid: String, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        try await transaction { connection in
            guard let account = try AccountTables.lockedAccount(uid: uid, &connection)
            else { return .undo(.unknownAccount) }
            guard !account.isDisabled else { return .undo(.refused(.disabled)) }
            if let refusal = try AccountTables.refusal(of: expectation, &connection) {
                return .undo(.refused(refusal))
            }
            guard !account.has(provider: arrival.identity.provider) else {
                return .undo(try Self.linkedBefore(arrival.identity, uid, &connection) ?? .providerTaken)
            }
            guard try AccountTables.insert(StoredIdentity(arrival, at: now), uid: uid, &connection) else {
                // If no account has the identity any more, its holder has lost it since. Repeat the transaction then.
                guard let decision = try Self.linkedBefore(arrival.identity, uid, &connection)
                else { throw Attempts.overtaken }
                return .undo(decision)
            }
            var email: EmailAddress?
            if account.email == nil, let found = arrival.email, try AccountTables.claim(found, uid: uid, &connection) {
                email = found
            }
            try AccountTables.makePermanent(uid: uid, email: email, &connection)
            return .keep(.linked(try Self.expectAccount(uid: uid, &connection)))
        }
    }

    /// The outcome of linking an identity that an account already has; `nil` if no account has it.
    private static func linkedBefore(
        _ identity: ExternalIdentity, _ uid: String, _ connection: inout Connection
    ) throws -> LinkDecision? {
        guard let holder = try AccountTables.account(of: identity, &connection) else { return nil }
        return holder.uid.exactlyEquals(uid) ? .linked(holder) : .identityTaken(by: holder)
    }

    package func unlink(
        provider: String, from uid: String, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        try await transaction { connection in
            guard let account = try AccountTables.lockedAccount(uid: uid, &connection)
            else { return .undo(.unknownAccount) }
            if let refusal = try AccountTables.refusal(of: expectation, &connection) {
                return .undo(.refused(refusal))
            }
            if let refusal = account.refusalToUnlink(provider: provider) { return .undo(refusal) }
            try connection.run(
                .writing("DELETE FROM identities WHERE uid = $1 AND provider = $2"),
                [.bytes(of: uid), .bytes(of: provider)])
            if !account.keepsEmail(without: provider) { try AccountTables.forgetEmail(uid: uid, &connection) }
            return .keep(.unlinked(try Self.expectAccount(uid: uid, &connection)))
        }
    }

    package func merge(
        _ uid: String, into other: String, expecting expectation: MergeExpectation?, at now: NumericDate
    ) async throws(StoreError) -> MergeDecision {
        guard !uid.exactlyEquals(other) else { return .unknownAccount }
        return try await transaction { connection in
            // Lock both before reading either, in one order, so that two transactions cannot deadlock.
            let isOrdered = uid.utf8.lexicographicallyPrecedes(other.utf8)
            for uid in isOrdered ? [uid, other] : [other, uid] {
                guard try AccountTables.lock(uid: uid, &connection) else { return .undo(.unknownAccount) }
            }
            let going = try Self.expectAccount(uid: uid, &connection)
            let staying = try Self.expectAccount(uid: other, &connection)
            if let refusal = going.refusalToMerge(into: staying) { return .undo(refusal) }
            if let refusal = try AccountTables.refusal(of: expectation?.staying, &connection) {
                return .undo(.refused(refusal))
            }
            if let refusal = try AccountTables.refusal(of: expectation?.going, &connection) {
                return .undo(MergeDecision(ofGoing: refusal))
            }
            let keys: [Value] = [.bytes(of: uid), .bytes(of: other)]
            try connection.run(.writing("UPDATE identities SET uid = $2 WHERE uid = $1"), keys)
            if staying.email == nil, going.email != nil {
                try connection.run(.writing("UPDATE email_owners SET uid = $2 WHERE uid = $1"), keys)
            }
            try AccountTables.delete(uid: uid, &connection)
            try AccountTables.retire(uid: uid, into: other, at: now, &connection)
            if !going.isAnonymous { try AccountTables.makePermanent(uid: other, email: going.email, &connection) }
            return .keep(.merged(try Self.expectAccount(uid: other, &connection)))
        }
    }

    /// Reads an account whose row is locked.
    private static func expectAccount(uid: String, _ connection: inout Connection) throws -> StoredAccount {
        guard let account = try AccountTables.account(uid: uid, &connection) else { throw StoreError.corrupt }
        return account
    }
}
