package import JOSE

/// The memory that makes a credential good for one use.
package protocol SpentCredentials: Sendable {
    /// Adds all of the records or none, in one durable commit.
    ///
    /// One statement per record decides, so that of any number of callers with the same record exactly one is the
    /// first. A record that has expired and is still there counts as used. The same statement refuses a record of a
    /// credential that was issued before a time that the store did not watch. Cancelling the task undoes nothing.
    ///
    /// - Parameters:
    ///   - records: at least one.
    ///   - now: a record whose ``SpentRecord/expiresAt`` is not later is not taken.
    /// - Returns: whether this was the first use of all of them.
    /// - Throws: ``StoreError/outcomeUnknown(_:)`` where the records may have been added: they then count as used.
    ///   ``StoreError/clockBehind`` if `now` lies before what was watched or swept: a record that would be needed may
    ///   have been forgotten.
    func spend(_ records: [SpentRecord], at now: NumericDate) async throws(StoreError) -> SpendOutcome

    /// Spends as ``spend(_:at:)`` does, and finds the account of an identity with the same question.
    ///
    /// - Parameters:
    ///   - records: at least one.
    ///   - identity: is not changed.
    ///   - now: as for ``spend(_:at:)``.
    /// - Returns: whether this was the first use of all records; the identity as it is linked at that moment, nil if it is
    ///   not, and after any outcome but ``SpendOutcome/first``.
    /// - Throws: as ``spend(_:at:)``.
    func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity, at now: NumericDate
    ) async throws(StoreError) -> (outcome: SpendOutcome, known: KnownIdentity?)

    /// Forgets records before their time, so that the credential can be used again.
    ///
    /// Only for who was told ``SpendOutcome/first`` for these records, and once. A record that is not there is passed
    /// over.
    func giveBack(_ records: [SpentRecord]) async throws(StoreError)

    /// Forgets some of the records that have expired, the oldest first.
    ///
    /// - Parameters:
    ///   - moment: records that expired earlier than this.
    ///   - limit: how many at most, so that no call waits long behind it.
    /// - Returns: how many it were; fewer than `limit` when there are no more.
    /// - Throws: ``StoreError``; it may be done again in any case.
    func sweep(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int
}

/// What came of spending: only after ``first`` may anything be handed out.
package enum SpendOutcome: Sendable, Equatable {
    /// All records were new, and now they are kept for good, whatever happens to this process or this machine.
    case first
    /// One of that kind was there before, and none was added.
    case replayed(SpentKind)
    /// One of that kind was issued before a time that the store did not watch, so that it may have been used; none was
    /// added.
    case unwatched(SpentKind)
    /// One of that kind could be forgotten at once, since it has expired, and none was added.
    case expired(SpentKind)
}

/// Why a record was not added.
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
