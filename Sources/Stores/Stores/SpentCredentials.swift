package import JOSE

/// The records of used credentials, which make each credential usable only once.
package protocol SpentCredentials: Sendable {
    /// Adds all of the records or none, in one durable commit.
    ///
    /// One statement per record decides, so that exactly one of several concurrent callers with the same record is the
    /// first. An expired record that is still stored counts as used. The same statement refuses the record of a
    /// credential that was issued before a period which the store did not watch. Cancelling the task undoes nothing.
    ///
    /// - Parameters:
    ///   - records: At least one record.
    ///   - now: The caller's clock. A record whose ``SpentRecord/expiresAt`` is not later is refused.
    /// - Returns: Whether this was the first use of all records.
    /// - Throws: ``StoreError/outcomeUnknown(_:)`` if the records may have been added; they then count as used.
    ///   ``StoreError/clockBehind`` if `now` is more than a minute before the last watch, or before the time of the last
    ///   sweep, because a record that is needed may already be deleted.
    func spend(_ records: [SpentRecord], at now: NumericDate) async throws(StoreError) -> SpendOutcome

    /// Spends as ``spend(_:at:)`` does, and finds the account of an identity in the same round trip.
    ///
    /// - Parameters:
    ///   - records: At least one record.
    ///   - identity: The identity to look up. It is not changed.
    ///   - now: The caller's clock, as for ``spend(_:at:)``.
    /// - Returns: Whether this was the first use of all records, and the identity as it is linked at that moment. The
    ///   identity is `nil` if it is not linked, and after every outcome except ``SpendOutcome/first``.
    /// - Throws: The same errors as ``spend(_:at:)``. If the lookup fails, nothing is spent.
    func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity, at now: NumericDate
    ) async throws(StoreError) -> (outcome: SpendOutcome, known: KnownIdentity?)

    /// Returns whether a record exists, and adds nothing.
    ///
    /// Two concurrent callers can both read `false`. Call it only before a step that may happen twice, such as the end of
    /// sessions, and spend the record after the step.
    func isSpent(_ record: SpentRecord) async throws(StoreError) -> Bool

    /// Deletes records before they expire, so that the credential can be used again.
    ///
    /// Call it only after ``SpendOutcome/first`` for these records, and only once. A missing record is ignored.
    func giveBack(_ records: [SpentRecord]) async throws(StoreError)

    /// Deletes expired records, the oldest first.
    ///
    /// - Parameter limit: The maximum number of rows, so that no call waits long behind this one.
    /// - Returns: The number of deleted rows; fewer than `limit` if no more are left.
    /// - Throws: ``StoreError``. The call can always be repeated.
    func sweep(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int
}

/// The outcome of spending.
///
/// Only after ``first`` may anything be issued.
package enum SpendOutcome: Sendable, Equatable {
    /// All records were new, and are now stored durably.
    case first
    /// A record of this kind already existed. None was added.
    case replayed(SpentKind)
    /// A credential of this kind was issued before a period that the store did not watch, so it may have been used.
    /// None was added.
    case unwatched(SpentKind)
    /// A record of this kind has expired, so the store could forget it at once. None was added.
    case expired(SpentKind)
}

/// The reason why a record was not added.
package enum SpendRefusal: Sendable, Equatable {
    case used
    case unwatched

    package func outcome(_ kind: SpentKind) -> SpendOutcome {
        switch self {
        case .used: .replayed(kind)
        case .unwatched: .unwatched(kind)
        }
    }
}
