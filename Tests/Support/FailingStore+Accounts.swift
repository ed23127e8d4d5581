package import JOSE
internal import SQLiteStores
package import Standards
package import Stores

extension FailingStore: AccountDirectory {
    package func signIn(
        _ arrival: IncomingIdentity, candidates: [UID], emails: EmailRule, at now: NumericDate
    ) async throws(StoreError) -> SignInDecision {
        try await perform(.account, try await base.signIn(arrival, candidates: candidates, emails: emails, at: now))
    }

    package func makeAnonymous(
        candidates: [UID], deleteAfter: NumericDate?, at now: NumericDate
    ) async throws(StoreError) -> UID {
        try await perform(
            .makeAnonymous, try await base.makeAnonymous(candidates: candidates, deleteAfter: deleteAfter, at: now))
    }

    package func account(of bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        try await perform(.bearer, try await base.account(of: bearer, at: now))
    }

    package func find(_ bearer: FirebaseCaller, at now: NumericDate) async throws(StoreError) -> CallerLookup {
        try await perform(.bearer, try await base.find(bearer, at: now))
    }

    package func account(of identity: ExternalIdentity) async throws(StoreError) -> StoredAccount? {
        try await perform(.holder, try await base.account(of: identity))
    }

    package func link(
        _ arrival: IncomingIdentity, to uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision {
        try await perform(.link, try await base.link(arrival, to: uid, expecting: expectation, at: now))
    }

    package func unlink(
        provider: ProviderID, from uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> UnlinkDecision {
        try await perform(
            .unlink, try await base.unlink(provider: provider, from: uid, expecting: expectation, at: now))
    }

    package func merge(
        _ uid: UID, into other: UID, expecting expectation: MergeExpectation?, at now: NumericDate
    ) async throws(StoreError) -> MergeDecision {
        try await perform(.merge, try await base.merge(uid, into: other, expecting: expectation, at: now))
    }

    package func retire(
        uid: UID, expecting expectation: AccountExpectation?, at now: NumericDate
    ) async throws(StoreError) -> RetireDecision {
        try await perform(.retire, try await base.retire(uid: uid, expecting: expectation, at: now))
    }

    package func refusal(of expectation: AccountExpectation) async throws(StoreError) -> AccountRefusal? {
        try await perform(.expectation, try await base.refusal(of: expectation))
    }
}

/// The operations of operators, which a test cannot make fail.
extension FailingStore: AccountAdministration {
    package func account(uid: UID) async throws(StoreError) -> StoredAccount? { try await base.account(uid: uid) }

    package func accounts(after uid: UID?, atMost limit: Int) async throws(StoreError) -> [StoredAccount] {
        try await base.accounts(after: uid, atMost: limit)
    }

    package func add(_ account: StoredAccount) async throws(StoreError) -> AddDecision { try await base.add(account) }

    package func replace(
        _ arrival: IncomingIdentity, of uid: UID, at now: NumericDate
    ) async throws(StoreError) -> LinkDecision { try await base.replace(arrival, of: uid, at: now) }

    package func setDisabled(_ isDisabled: Bool, uid: UID) async throws(StoreError) -> Bool {
        try await base.setDisabled(isDisabled, uid: uid)
    }

    package func markAnonymous(deleteAfter moment: NumericDate) async throws(StoreError) -> Int {
        try await base.markAnonymous(deleteAfter: moment)
    }

    package func countStaleAnonymous(at now: NumericDate) async throws(StoreError) -> Int {
        try await base.countStaleAnonymous(at: now)
    }

    package func countAnonymous(
        after uid: UID?, atMost limit: Int, createdAfter moments: [NumericDate]
    ) async throws(StoreError) -> AnonymousPage {
        try await base.countAnonymous(after: uid, atMost: limit, createdAfter: moments)
    }

    package func staleAnonymous(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> [UID] {
        try await base.staleAnonymous(at: now, atMost: limit)
    }

    package func sweepAnonymous(_ uids: [UID], at now: NumericDate) async throws(StoreError) -> [UID] {
        try await base.sweepAnonymous(uids, at: now)
    }

    package func sweepAdopted(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        try await base.sweepAdopted(at: now, atMost: limit)
    }

    package func leftAtFirebase(atMost limit: Int) async throws(StoreError) -> [UID] {
        try await base.leftAtFirebase(atMost: limit)
    }

    package func forgetLeftAtFirebase(_ uids: [UID]) async throws(StoreError) {
        try await base.forgetLeftAtFirebase(uids)
    }
}
