package import JOSE
package import Standards

/// The operations on accounts that operators and the sweeper need.
package protocol AccountAdministration: OperatedAccounts {
    /// A page of accounts in the order of their uids' octets.
    ///
    /// `uid` is the last uid of the previous page, `nil` for the first page.
    func accounts(after uid: UID?, atMost limit: Int) async throws(StoreError) -> [StoredAccount]

    /// Adds an account with all of its identities, or writes nothing.
    func add(_ account: StoredAccount) async throws(StoreError) -> AddDecision

    /// Links an identity, and unlinks the one of the same provider in the same transaction, also if the account has no other.
    ///
    /// - Returns: A decision of linking, which is not ``LinkDecision/providerTaken``.
    func replace(_ arrival: IncomingIdentity, of uid: UID, at now: NumericDate) async throws(StoreError) -> LinkDecision

    /// Sets a deletion time for every anonymous account that was made here and has none.
    ///
    /// - Returns: The number of accounts that changed.
    func markAnonymous(deleteAfter moment: NumericDate) async throws(StoreError) -> Int

    /// The number of anonymous accounts whose deletion time has passed.
    func countStaleAnonymous(at now: NumericDate) async throws(StoreError) -> Int

    /// Counts the anonymous accounts in a page of all accounts, in the order of their uids' octets.
    ///
    /// - Parameters:
    ///   - uid: The last uid of the previous page; `nil` for the first page.
    ///   - limit: The maximum number of accounts of the page, anonymous or not.
    ///   - moments: The times of creation after which accounts are counted.
    func countAnonymous(
        after uid: UID?, atMost limit: Int, createdAfter moments: [NumericDate]
    ) async throws(StoreError) -> AnonymousPage

    /// The uids of anonymous accounts whose deletion time has passed, the oldest first.
    func staleAnonymous(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> [UID]

    /// Retires the given accounts that are still anonymous and whose deletion time has passed.
    ///
    /// An account that was adopted, is linked or has another sign-in method is never retired. The uids of retired
    /// accounts are returned by ``leftAtFirebase(atMost:)`` until they are forgotten.
    ///
    /// - Returns: The uids of the retired accounts.
    func sweepAnonymous(_ uids: [UID], at now: NumericDate) async throws(StoreError) -> [UID]

    /// Drops the rows of adopted accounts that have got no identity in time.
    ///
    /// The uids are not retired: the users exist at Firebase, and are adopted again by their next change. A row stays if
    /// the account is disabled or has a second factor.
    ///
    /// - Returns: The number of rows, at most `limit`.
    func sweepAdopted(at now: NumericDate, atMost limit: Int) async throws(StoreError) -> Int

    /// The uids of swept accounts whose Firebase users have not been deleted yet.
    ///
    /// The store keeps them, because a process that ends between the two steps would leave Firebase users with valid
    /// sessions.
    func leftAtFirebase(atMost limit: Int) async throws(StoreError) -> [UID]

    /// Removes uids from the list of ``leftAtFirebase(atMost:)``.
    func forgetLeftAtFirebase(_ uids: [UID]) async throws(StoreError)
}

package enum AddDecision: Sendable, Equatable {
    case added
    /// The uid belongs to an account, or once did.
    case uidTaken
    /// One of the identities belongs to another account.
    case identityTaken(ExternalIdentity)
}
