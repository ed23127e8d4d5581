package import JOSE

/// Finished browser sign-ins, each fetched once by the application that began it.
package protocol Handoffs: Sendable {
    /// Keeps one, durably.
    func keep(_ handoff: Handoff) async throws(StoreError)

    /// Takes a handoff out and spends its code, in one durable commit, if everything that binds it is named.
    ///
    /// What does not match leaves it where it is and counts as a failure; after ``HandoffClaim/tries`` of them it is gone.
    func redeem(_ claim: HandoffClaim, at now: NumericDate) async throws(StoreError) -> HandoffOutcome

    /// Undoes a redemption before anything was handed out.
    ///
    /// Only for who was told ``HandoffOutcome/redeemed(_:)`` for it, and once.
    func giveBack(_ handoff: Handoff) async throws(StoreError)

    /// Forgets some of those that nobody fetched in time.
    ///
    /// - Returns: how many it were; fewer than `limit` when there are no more.
    func sweepHandoffs(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int
}
