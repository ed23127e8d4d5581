package import JOSE
package import Stores

extension SQLiteStore: AccountDirectory {
    package func signIn(
        _ arrival: IncomingIdentity, candidates: [String], emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision {
        // Most users already have an account, and a read does not wait for other processes.
        let known = try await writes.read { try AccountTables.known(arrival.identity, $0) }
        if let answer = known?.answer(to: arrival, at: now) { return answer }
        return try await writes.write { db in
            // Within this transaction no other write can happen between the lookup and the insertion.
            if let known = try AccountTables.known(arrival.identity, db) {
                if let answer = known.answer(to: arrival, at: now) { return .keep(answer) }
                try AccountTables.update(known.refreshed(by: arrival, at: now), of: arrival.identity, db)
                let holders = try AccountTables.takeEmail(of: arrival, for: known, emails, db)
                return .keep(known.signedIn(emailHeldBy: holders))
            }
            if emails == .oneAccountEach, let email = arrival.email {
                let others = try AccountTables.accounts(email: email, db)
                guard others.isEmpty else { return .keep(.emailTaken(by: others)) }
            }
            let uid = try candidates.first { uid in
                try AccountTables.insert(StoredAccount(uid: uid, of: arrival, at: now), db)
            }
            guard let uid else { throw StoreError.noFreeUID }
            _ = try AccountTables.insert(StoredIdentity(arrival, at: now), uid: uid, db)
            return .keep(.signedIn(uid: uid, isNew: true, hasFactor: false))
        }
    }

    package func makeAnonymous(
        candidates: [String], deleteAfter: NumericDate?, at now: NumericDate
    ) async throws(StoreError) -> String {
        try await writes.write { db in
            let uid = try candidates.first { uid in
                try AccountTables.insert(StoredAccount(uid: uid, anonymousUntil: deleteAfter, at: now), db)
            }
            guard let uid else { throw StoreError.noFreeUID }
            return .keep(uid)
        }
    }

    package func account(of bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        let known = try await writes.read { try AccountTables.account(uid: bearer.uid, $0) }
        if let known, known.outgrown(by: bearer) == nil { return .account(known) }
        return try await writes.write { db in
            if let known = try AccountTables.account(uid: bearer.uid, db) {
                guard let outgrown = known.outgrown(by: bearer) else { return .keep(.account(known)) }
                try AccountTables.writeWaysIn(of: outgrown, db)
                return .keep(.account(outgrown))
            }
            var account = StoredAccount(adopting: bearer, at: now)
            if let email = account.email, try !AccountTables.accounts(email: email, db).isEmpty { account.email = nil }
            return .keep(try AccountTables.insert(account, db) ? .account(account) : .retired)
        }
    }

    package func find(_ bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        let found = try await writes.read { db -> CallerLookup in
            if let known = try AccountTables.account(uid: bearer.uid, db) { return .account(known) }
            return try AccountTables.isRetired(uid: bearer.uid, db)
                ? .retired : .unknown(StoredAccount(adopting: bearer, at: now))
        }
        guard case .account(let known) = found, known.outgrown(by: bearer) != nil else { return found }
        return try await account(of: bearer, at: now)
    }

    package func account(of identity: ExternalIdentity) async throws(StoreError) -> StoredAccount? {
        try await writes.read { try AccountTables.account(of: identity, $0) }
    }

    package func retire(
        uid: String, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> RetireDecision {
        try await writes.write { db in
            if let refusal = try AccountTables.refusal(of: expectation, db) { return .undo(.refused(refusal)) }
            return .keep(.retired(existed: try AccountTables.retire(uid: uid, at: now, db)))
        }
    }

    package func refusal(of expectation: AccountExpectation) async throws(StoreError) -> AccountRefusal? {
        try await writes.read { try AccountTables.refusal(of: expectation, $0) }
    }
}

extension SQLiteStore {
    package func link(
        _ arrival: IncomingIdentity, to uid: String, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        try await writes.write { db in
            guard let account = try AccountTables.account(uid: uid, db) else { return .keep(.unknownAccount) }
            guard !account.isDisabled else { return .keep(.refused(.disabled)) }
            if let refusal = try AccountTables.refusal(of: expectation, db) { return .keep(.refused(refusal)) }
            if let holder = try AccountTables.account(of: arrival.identity, db) {
                return .keep(holder.uid.exactlyEquals(uid) ? .linked(holder) : .identityTaken(by: holder))
            }
            guard !account.has(provider: arrival.identity.provider) else { return .keep(.providerTaken) }
            _ = try AccountTables.insert(StoredIdentity(arrival, at: now), uid: uid, db)
            let email = try arrival.email.flatMap { try AccountTables.accounts(email: $0, db).isEmpty ? $0 : nil }
            try AccountTables.makePermanent(uid: uid, email: email, db)
            return .keep(.linked(try AccountTables.expectAccount(uid: uid, db)))
        }
    }

    package func unlink(
        provider: String, from uid: String, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        try await writes.write { db in
            guard let account = try AccountTables.account(uid: uid, db) else { return .keep(.unknownAccount) }
            if let refusal = try AccountTables.refusal(of: expectation, db) { return .keep(.refused(refusal)) }
            if let refusal = account.refusalToUnlink(provider: provider) { return .keep(refusal) }
            try AccountTables.delete(provider: provider, uid: uid, db)
            if !account.keepsEmail(without: provider) { try AccountTables.forgetEmail(uid: uid, db) }
            return .keep(.unlinked(try AccountTables.expectAccount(uid: uid, db)))
        }
    }

    package func merge(
        _ uid: String, into other: String, expecting expectation: MergeExpectation?, at now: NumericDate
    ) async throws(StoreError) -> MergeDecision {
        try await writes.write { db in
            guard !uid.exactlyEquals(other), let going = try AccountTables.account(uid: uid, db),
                let staying = try AccountTables.account(uid: other, db)
            else { return .keep(.unknownAccount) }
            if let refusal = going.refusalToMerge(into: staying) { return .keep(refusal) }
            if let refusal = try AccountTables.refusal(of: expectation?.staying, db) { return .keep(.refused(refusal)) }
            if let refusal = try AccountTables.refusal(of: expectation?.going, db) {
                return .keep(MergeDecision(ofGoing: refusal))
            }
            try AccountTables.moveIdentities(from: uid, to: other, db)
            _ = try AccountTables.retire(uid: uid, into: other, at: now, db)
            if !going.isAnonymous { try AccountTables.makePermanent(uid: other, email: going.email, db) }
            return .keep(.merged(try AccountTables.expectAccount(uid: other, db)))
        }
    }
}
