package import JOSE
package import Standards

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
    /// - Throws: A `Refusal` for ``Reason/replayed`` or ``Reason/issuedUnwatched`` unless this was the first use, or
    ///   ``StoreError``.
    package func spend(_ records: [SpentRecord]) async throws {
        let outcome = try await store.spend(records, at: time.now())
        try outcome.requireFirst()
    }

    /// Spends the records of one credential, and finds the account of its identity in the same round trip.
    ///
    /// - Parameters:
    ///   - records: At least one record.
    ///   - identity: The identity to look up. It is not changed.
    /// - Returns: The identity as it is linked at that moment; `nil` if it is not linked.
    /// - Throws: As ``spend(_:)`` does.
    package func spend(
        _ records: [SpentRecord], finding identity: ExternalIdentity
    ) async throws -> KnownIdentity? {
        let (outcome, known) = try await store.spend(records, finding: identity, at: time.now())
        try outcome.requireFirst()
        return known
    }

    /// Refuses a credential that was spent, and spends nothing.
    ///
    /// - Parameter record: The record of a credential whose effect may happen twice, and which is spent after it.
    /// - Throws: A `Refusal` for ``Reason/replayed``, or ``StoreError``.
    package func requireUnspent(_ record: SpentRecord) async throws {
        guard try await !store.isSpent(record) else { throw Refusal.replayed(record.kind) }
    }

    /// Returns records as what a request has spent.
    ///
    /// - Parameter records: The records that ``spend(_:)`` has spent for this request; empty for a credential that cannot
    ///   be given back.
    package func spent(_ records: [SpentRecord]) -> some SpentCredential {
        SpentRecords(records: records, store: store)
    }
}

private struct SpentRecords: SpentCredential {
    let records: [SpentRecord]
    let store: any SpentCredentials

    func giveBack() async -> Bool {
        guard !records.isEmpty else { return false }
        return (try? await store.giveBack(records)) != nil
    }
}

extension SpendOutcome {
    fileprivate func requireFirst() throws(Refusal) {
        switch self {
        case .first: return
        case .unwatched(let kind): throw .unwatched(kind)
        // The store may have forgotten an expired record, so that this use could be the second one.
        case .replayed(let kind), .expired(let kind): throw .replayed(kind)
        }
    }
}

extension Refusal {
    /// A credential of this kind was used before.
    package static func replayed(_ kind: SpentKind) -> Refusal {
        let description =
            switch kind {
            case .pushedRequest: "The request_uri was already used. Push the request again at /par."
            case .confirmation: "The page of this sign-in was already used. Begin again at POST /v1/signin."
            case .deviceCode: "The answer to this device_code was already sent. Begin again with a new code."
            case .nonce:
                "The nonce_verifier was already used. Get a new one at POST /v1/nonce for each sign-in at the provider."
            case .session: "The session was already used. Begin again at POST /v1/signin."
            case .firebaseIDToken:
                "This ID token was already used. Merge with a new one, which the Firebase SDK gets if it is forced to refresh."
            case .event: "This message was already received. Send a new one, with a jti of its own, for another event."
            default: "This credential was already used. Sign in at the provider again."
            }
        return Refusal(
            .replayed, description,
            finding: "\(kind.rawValue): this credential was used, or its use would not be recorded any more")
    }

    /// A credential of this kind was issued before a period that the store did not watch, so that an earlier use may be
    /// unrecorded.
    fileprivate static func unwatched(_ kind: SpentKind) -> Refusal {
        Refusal(
            .issuedUnwatched,
            "This credential was issued before the server began to record used credentials, or while it could not record "
                + "them. Sign in at the provider again, and send what it issues then: an SDK may return what it has kept.",
            finding: "\(kind.rawValue): this credential may have been used while no use was recorded")
    }
}
