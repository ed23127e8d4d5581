package import JOSE
package import Standards

/// The directory of accounts.
///
/// A transaction that links, unlinks, merges or retires locks the row of the account before it changes the account. If it
/// locks several rows, it does so in the order of their uids, so that two transactions cannot deadlock.
extension SQLStore {
    package func signIn(
        _ arrival: IncomingIdentity, candidates: [UID], emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision {
        // Repeat if another transaction has just made, moved or removed the account.
        for _ in 0..<25 {
            // Most users already have an account, and a read waits for no other process.
            if let known = try await read({ try $0.known(arrival.identity) }) {
                if let answer = known.answer(to: arrival, at: now) { return answer }
                let refreshed = known.refreshed(by: arrival, at: now)
                guard try await perform({ try $0.update(refreshed, of: arrival.identity) }) else { continue }
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
        afterTaking email: EmailAddress?, for uid: UID, _ emails: EmailRule
    ) async throws(StoreError) -> [UID] {
        guard let email else { return [] }
        return try await transaction { session in
            let holders = try session.take(email, for: uid, emails)
            return holders.isEmpty ? .keep([]) : .undo(holders)
        }
    }

    private func made(
        _ arrival: IncomingIdentity, _ candidates: [UID], _ emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> Making {
        let email = emails == .oneAccountEach ? arrival.email : nil
        return try await transaction { session in
            let uid = try candidates.first { try session.insert(StoredAccount(uid: $0, of: arrival, at: now)) }
            guard let uid else {
                // Another transaction may have assigned one of the uids to this identity.
                if try session.known(arrival.identity) != nil { return .undo(.someoneElseDid) }
                return .undo(try email.flatMap { try session.taken($0, except: nil) } ?? .noFreeUID)
            }
            // If several requests sign in the same person concurrently, this one statement decides which makes the
            // account.
            guard try session.insert(StoredIdentity(arrival, at: now), uid: uid) else { return .undo(.someoneElseDid) }
            if let email, try !session.claim(email, uid: uid) {
                // If no account has the address any more, its holder has lost it since the claim. Repeat then.
                return .undo(try session.taken(email, except: uid) ?? .someoneElseDid)
            }
            return .keep(.decided(.signedIn(uid: uid, isNew: true, hasFactor: false)))
        }
    }

    package func makeAnonymous(
        candidates: [UID], deleteAfter: NumericDate?, at now: NumericDate
    ) async throws(StoreError) -> UID {
        try await transaction { session in
            let uid = try candidates.first { uid in
                try session.insert(StoredAccount(uid: uid, anonymousUntil: deleteAfter, at: now))
            }
            guard let uid else { throw StoreError.noFreeUID }
            return .keep(uid)
        }
    }

    package func account(of bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        if let known = try await account(uid: bearer.uid), known.outgrown(by: bearer) == nil {
            return .account(known)
        }
        return try await transaction { session in
            var account = StoredAccount(adopting: bearer, at: now)
            guard try session.insert(account) else {
                // The account exists, perhaps since a moment ago, or its uid was retired.
                guard let known = try session.lockedAccount(uid: bearer.uid) else { return .undo(.retired) }
                guard let outgrown = known.outgrown(by: bearer) else { return .undo(.account(known)) }
                try session.writeSignInMethods(of: outgrown)
                return .keep(.account(outgrown))
            }
            if let email = account.email, try !session.claim(email, uid: bearer.uid) {
                try session.forgetEmail(uid: bearer.uid)
                account.email = nil
            }
            return .keep(.account(account))
        }
    }

    package func find(_ bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        let found = try await read { session -> CallerLookup in
            if let known = try session.account(uid: bearer.uid) { return .account(known) }
            return try session.isRetired(uid: bearer.uid)
                ? .retired : .unknown(StoredAccount(adopting: bearer, at: now))
        }
        guard case .account(let known) = found, known.outgrown(by: bearer) != nil else { return found }
        return try await account(of: bearer, at: now)
    }

    package func account(of identity: ExternalIdentity) async throws(StoreError) -> StoredAccount? {
        try await read { try $0.account(of: identity) }
    }

    package func retire(
        uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> RetireDecision {
        try await transaction { session in
            // This waits for a concurrent creation of an account with this uid, so that it either exists now and is
            // removed, or can never be made.
            _ = try session.reserve(uid: uid)
            let exists = try session.lock(uid: uid)
            if let refusal = try session.refusal(of: expectation) { return .undo(.refused(refusal)) }
            try session.write("DELETE FROM identities WHERE uid = ?1", [.octets(uid)])
            try session.delete(uid: uid)
            try session.retire(uid: uid, at: now)
            return .keep(.retired(existed: exists))
        }
    }

    package func refusal(of expectation: AccountExpectation) async throws(StoreError) -> AccountRefusal? {
        try await read { try $0.refusal(of: expectation) }
    }

    package func link(
        _ arrival: IncomingIdentity, to uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        try await transaction { session in
            guard let account = try session.lockedAccount(uid: uid) else { return .undo(.unknownAccount) }
            guard !account.isDisabled else { return .undo(.refused(.disabled)) }
            if let refusal = try session.refusal(of: expectation) { return .undo(.refused(refusal)) }
            guard !account.has(provider: arrival.identity.provider) else {
                return .undo(try session.linkedBefore(arrival.identity, uid) ?? .providerTaken)
            }
            guard try session.insert(StoredIdentity(arrival, at: now), uid: uid) else {
                // If no account has the identity any more, its holder has lost it since. Repeat the transaction then.
                guard let decision = try session.linkedBefore(arrival.identity, uid) else { throw Session.overtaken }
                return .undo(decision)
            }
            var email: EmailAddress?
            if account.email == nil, let found = arrival.email, try session.claim(found, uid: uid) { email = found }
            try session.makePermanent(uid: uid, email: email)
            return .keep(.linked(try session.expectAccount(uid: uid)))
        }
    }

    package func replace(
        _ arrival: IncomingIdentity, of uid: UID, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        try await transaction { session in
            guard let account = try session.lockedAccount(uid: uid) else { return .undo(.unknownAccount) }
            guard !account.isDisabled else { return .undo(.refused(.disabled)) }
            if let decision = try session.linkedBefore(arrival.identity, uid) { return .undo(decision) }
            try session.write(
                "DELETE FROM identities WHERE uid = ?1 AND provider = ?2",
                [.octets(uid), .octets(arrival.identity.provider)])
            guard try session.insert(StoredIdentity(arrival, at: now), uid: uid) else { throw Session.overtaken }
            try session.makePermanent(uid: uid, email: nil)
            return .keep(.linked(try session.expectAccount(uid: uid)))
        }
    }

    package func unlink(
        provider: ProviderID, from uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        try await transaction { session in
            guard let account = try session.lockedAccount(uid: uid) else { return .undo(.unknownAccount) }
            if let refusal = try session.refusal(of: expectation) { return .undo(.refused(refusal)) }
            if let refusal = account.refusalToUnlink(provider: provider) { return .undo(refusal) }
            try session.write(
                "DELETE FROM identities WHERE uid = ?1 AND provider = ?2", [.octets(uid), .octets(provider)])
            if !account.keepsEmail(without: provider) { try session.forgetEmail(uid: uid) }
            return .keep(.unlinked(try session.expectAccount(uid: uid)))
        }
    }

    package func merge(
        _ uid: UID, into other: UID, expecting expectation: MergeExpectation?, at now: NumericDate
    ) async throws(StoreError) -> MergeDecision {
        guard uid != other else { return .unknownAccount }
        return try await transaction { session in
            // Lock both before reading either, in one order, so that two transactions cannot deadlock.
            for uid in [uid, other].sorted() {
                guard try session.lock(uid: uid) else { return .undo(.unknownAccount) }
            }
            let going = try session.expectAccount(uid: uid)
            let staying = try session.expectAccount(uid: other)
            if let refusal = going.refusalToMerge(into: staying) { return .undo(refusal) }
            if let refusal = try session.refusal(of: expectation?.staying) { return .undo(.refused(refusal)) }
            if let refusal = try session.refusal(of: expectation?.going) {
                return .undo(MergeDecision(ofGoing: refusal))
            }
            try session.write("UPDATE identities SET uid = ?2 WHERE uid = ?1", [.octets(uid), .octets(other)])
            if staying.email == nil, going.email != nil { try session.moveEmail(from: uid, to: other) }
            try session.delete(uid: uid)
            try session.retire(uid: uid, into: other, at: now)
            if !going.isAnonymous { try session.makePermanent(uid: other, email: going.email) }
            return .keep(.merged(try session.expectAccount(uid: other)))
        }
    }
}

/// The outcome of making an account for an identity.
private enum Making {
    case decided(SignInDecision)
    case someoneElseDid
    case noFreeUID
}

extension SQLSession {
    /// The decision that names the accounts with this address; `nil` if there are none.
    fileprivate func taken(_ email: EmailAddress, except uid: UID?) throws -> Making? {
        let holders = try accounts(email: email, except: uid)
        return holders.isEmpty ? nil : .decided(.emailTaken(by: holders))
    }

    /// The outcome of linking an identity that an account already has; `nil` if no account has it.
    fileprivate func linkedBefore(_ identity: ExternalIdentity, _ uid: UID) throws -> LinkDecision? {
        guard let holder = try account(of: identity) else { return nil }
        return holder.uid == uid ? .linked(holder) : .identityTaken(by: holder)
    }

    /// Sets the address of an account to that of a sign-in, if the account has none.
    ///
    /// With ``EmailRule/oneAccountEach`` an address that another account has is not taken.
    ///
    /// - Returns: The uids of accounts that already have the address. If there are any, nothing is written.
    fileprivate func take(_ email: EmailAddress, for uid: UID, _ emails: EmailRule) throws -> [UID] {
        // Since the account was read, it may have been removed or have gained an address.
        guard let account = try lockedAccount(uid: uid), account.email == nil else { return [] }
        guard try emails == .shared || claim(email, uid: uid) else {
            return try accounts(email: email, except: uid).map(\.uid)
        }
        try write("UPDATE accounts SET email = ?2 WHERE uid = ?1", [.octets(uid), .octets(email)])
        return []
    }

    /// Reads an account whose row is locked.
    fileprivate func expectAccount(uid: UID) throws -> StoredAccount {
        guard let account = try account(uid: uid) else { throw StoreError.corrupt }
        return account
    }

    /// Removes the address of an account and the claim to it.
    fileprivate func forgetEmail(uid: UID) throws {
        try releaseEmail(uid: uid)
        try write("UPDATE accounts SET email = NULL WHERE uid = ?1", [.octets(uid)])
    }

    /// Makes an account permanent, and sets its address if it has none.
    fileprivate func makePermanent(uid: UID, email: EmailAddress?) throws {
        try write(
            """
            UPDATE accounts SET anonymous = ?3, delete_after = NULL, email = COALESCE(email, ?2) WHERE uid = ?1
            """, [.octets(uid), .octets(email), .flag(false)])
    }

    /// Writes the changes of ``StoredAccount/outgrown(by:)``.
    ///
    /// The row must be locked.
    fileprivate func writeSignInMethods(of account: StoredAccount) throws {
        try write(
            "UPDATE accounts SET anonymous = ?2, delete_after = ?3, other_way_in = ?4, ways_in = ?5 WHERE uid = ?1",
            [
                .octets(account.uid), .flag(account.isAnonymous), .time(account.deleteAfter),
                .flag(account.hasOtherSignInMethod), .octets(account.signInMethods.text),
            ])
    }
}
