package import JOSE

/// What operators, and the sweeper, do with accounts.
package protocol AccountAdministration: Sendable {
    func account(uid: String) async throws(StoreError) -> StoredAccount?

    /// A page of accounts in the order of their uids' octets.
    ///
    /// - `uid`: the last one of the page before; nil for the first page.
    func accounts(after uid: String?, atMost limit: Int) async throws(StoreError) -> [StoredAccount]

    /// Adds an account as it is given, all of it or nothing.
    func add(_ account: StoredAccount) async throws(StoreError) -> AddDecision

    /// Shuts an account out, or lets it in again.
    ///
    /// - Returns: whether there is such an account.
    func setDisabled(_ isDisabled: Bool, uid: String) async throws(StoreError) -> Bool

    /// Gives every anonymous account that was made here and has no end one.
    ///
    /// - Returns: how many it were.
    func markAnonymous(deleteAfter moment: NumericDate) async throws(StoreError) -> Int

    /// How many anonymous accounts have come to their end.
    func countStaleAnonymous(at now: NumericDate) async throws(StoreError) -> Int

    /// Anonymous accounts that have come to their end, the oldest first.
    func staleAnonymous(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> [String]

    /// Retires those of these accounts that are still anonymous and have come to their end.
    ///
    /// Never one that was adopted, linked or has another way in. Each is one of ``leftAtFirebase(atMost:)`` from then
    /// on.
    ///
    /// - Returns: their uids.
    func sweepAnonymous(_ uids: [String], at now: NumericDate) async throws(StoreError) -> [String]
    /// Uids that were swept, and whose Firebase users have not been dealt with yet.
    ///
    /// The store remembers them, since a process that ends between the two would leave users whose sessions go on.
    func leftAtFirebase(atMost limit: Int) async throws(StoreError) -> [String]
    /// Forgets uids of ``leftAtFirebase(atMost:)``.
    func forgetLeftAtFirebase(_ uids: [String]) async throws(StoreError)
}

extension AccountAdministration {
    /// Retires some of the anonymous accounts that have come to their end.
    package func sweepAnonymous(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> [String] {
        try await sweepAnonymous(staleAnonymous(at: now, atMost: limit), at: now)
    }
}

/// What came of adding an account.
package enum AddDecision: Sendable, Equatable {
    case added
    /// Its uid is an account's, or was.
    case uidTaken
    /// One of its identities is another account's.
    case identityTaken(ExternalIdentity)
}
