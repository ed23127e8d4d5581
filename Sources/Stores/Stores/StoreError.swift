/// Why the store did not answer.
package enum StoreError: Error, Equatable, Sendable {
    /// Nothing was written. The same request may be sent again.
    case unavailable(StoreFault)
    /// A commit was under way and may have happened: what was to be spent counts as spent.
    case outcomeUnknown(StoreFault)
    /// Every candidate for a uid is somebody's, or was.
    case noFreeUID
    /// The schema was made by a later version of this program; both are names of migrations.
    case newerSchema(found: String, supported: String)
    /// What is stored is not a database, or a damaged one.
    case corrupt
    /// The file is on a network file system, where the locks and the shared memory of SQLite do not hold.
    case notLocal

    /// Whether it is certain that the store is as it was before.
    package var nothingWasWritten: Bool {
        switch self {
        case .unavailable, .noFreeUID, .newerSchema, .corrupt, .notLocal: true
        case .outcomeUnknown: false
        }
    }

    /// The name in logs and metrics, which never changes.
    package var code: String {
        switch self {
        case .unavailable(let fault): "store.unavailable.\(fault.rawValue)"
        case .outcomeUnknown(let fault): "store.outcome_unknown.\(fault.rawValue)"
        case .noFreeUID: "store.no_free_uid"
        case .newerSchema: "store.newer_schema"
        case .corrupt: "store.corrupt"
        case .notLocal: "store.not_local"
        }
    }
}

/// What the operator has to look at.
package enum StoreFault: String, Sendable, CaseIterable {
    /// Somebody else held a lock for too long.
    case busy
    /// No space left.
    case full
    case readOnly = "read_only"
    /// The disk or the network failed.
    case inputOutput = "input_output"
    /// The place does not exist, or is not ours to use.
    case cannotOpen = "cannot_open"
    /// Damage came to light during a commit; ``StoreError/corrupt`` is the usual word for it.
    case corrupt
    /// It was shut by ourselves.
    case closed
    case other
}
