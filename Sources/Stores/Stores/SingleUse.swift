package import JOSE

/// Spends credentials, and gives them back if nothing was issued for them.
///
/// Every credential and sealed value that may be used once is spent here before anything is issued for it. Handoffs,
/// device grants and pending credentials are records with content: their own stores spend them in the same way.
package struct SingleUse: Sendable {
    /// The time for which the use of a code is recorded.
    ///
    /// One hour is longer than the lifetime of any code, so that a second use is reported as replayed and not as
    /// unknown.
    package static let replayRetention = Duration.seconds(3600)

    private let store: any SpentCredentials
    private let time: TimeSource

    package init(store: any SpentCredentials, time: TimeSource) {
        self.store = store
        self.time = time
    }

    /// Spends the records of one credential, all or none.
    ///
    /// - Parameter records: At least one record.
    /// - Throws: ``SingleUseError`` unless this was the first use.
    package func spend(_ records: [SpentRecord]) async throws(SingleUseError) {
        let outcome = try await wrapping(SingleUseError.store, await store.spend(records, at: time.now()))
        try outcome.requireFirst()
    }

    /// Spends the records of one credential, and finds the account of its identity in the same round trip.
    ///
    /// - Parameters:
    ///   - records: At least one record.
    ///   - identity: The identity to look up. It is not changed.
    /// - Returns: The identity as it is linked at that moment; `nil` if it is not linked.
    /// - Throws: ``SingleUseError`` unless this was the first use.
    package func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity
    ) async throws(SingleUseError) -> KnownIdentity? {
        let (outcome, known) = try await wrapping(
            SingleUseError.store, await store.spend(records, finding: identity, at: time.now()))
        try outcome.requireFirst()
        return known
    }

    /// Deletes records, so that the same credential may be sent again.
    ///
    /// Call it only after ``spend(_:)`` for these records, only once, and only if nothing was issued and no other party
    /// has spent the credential.
    ///
    /// - Parameter records: The records that were spent.
    /// - Returns: Whether the records were deleted. `false` if there are none, and if the store fails: the credential
    ///   then counts as spent, so that it cannot be replayed.
    package func giveBack(_ records: [SpentRecord]) async -> Bool {
        guard !records.isEmpty else { return false }
        return (try? await store.giveBack(records)) != nil
    }
}

extension SpendOutcome {
    fileprivate func requireFirst() throws(SingleUseError) {
        switch self {
        case .first: return
        case .unwatched(let kind): throw .unwatched(kind)
        // The store may have forgotten an expired record, so that this use could be the second one.
        case .replayed(let kind), .expired(let kind): throw .replayed(kind)
        }
    }
}

/// The reason why a credential may not be used.
package enum SingleUseError: Error, Equatable, Sendable {
    /// A credential of this kind was used before.
    case replayed(SpentKind)
    /// A credential of this kind was issued before a period that the store did not watch, so that an earlier use may
    /// be unrecorded.
    case unwatched(SpentKind)
    case store(StoreError)

    /// Whether it is certain that the credential is unspent.
    package var leavesCredentialUnspent: Bool {
        switch self {
        case .store(let error): error.nothingWasWritten
        case .replayed, .unwatched: false
        }
    }
}

/// The error of a step, and whether it left the credential of the caller unspent.
///
/// The step that spends a credential or gives it back sets ``isUnspent``. Every other layer passes it on, and one place
/// turns it into the member `retry` of the error response.
package struct StepFailure<Reason: Error & Equatable & Sendable>: Error, Equatable, Sendable {
    package let reason: Reason
    /// Whether the caller may send the same request again, because neither this server nor the provider has spent the
    /// credential.
    package let isUnspent: Bool

    package init(_ reason: Reason, isUnspent: Bool = false) {
        self.reason = reason
        self.isUnspent = isUnspent
    }
}
