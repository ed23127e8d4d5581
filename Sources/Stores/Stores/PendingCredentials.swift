package import JOSE

/// Identities that met a conflict, each used once by the application that was told of the conflict.
package protocol PendingCredentials: Sendable {
    /// Keeps one, durably.
    func keep(_ pending: PendingCredential) async throws(StoreError)

    /// Takes one out and spends its handle, in one durable commit, if everything that binds it is named.
    ///
    /// What does not match leaves it where it is.
    func redeem(
        _ claim: PendingCredentialClaim, at now: NumericDate
    ) async throws(StoreError) -> PendingCredentialOutcome

    /// Undoes a redemption before anything was handed out.
    ///
    /// Only for a caller that was told ``PendingCredentialOutcome/redeemed(_:)`` for it, and once.
    func giveBack(_ pending: PendingCredential) async throws(StoreError)

    /// Forgets some of those that have expired.
    ///
    /// - Returns: how many; fewer than `limit` if there are no more.
    func sweepPendingCredentials(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int
}
