/// Why the store did not answer.
package enum StoreError: Error, Equatable, Sendable {
    /// Nothing was written. The same request may be sent again.
    case unavailable(StoreFault)
    /// A commit was under way and may have happened: what was to be spent counts as spent.
    case outcomeUnknown(StoreFault)
    /// Every candidate for a uid is an account's, or was.
    case noFreeUID
    /// The schema was made by a later version of this program; both are names of migrations.
    case newerSchema(found: String, supported: String)
    /// What is stored is not a database, or a damaged one.
    case corrupt
    /// The file is on a file system where the locks and the shared memory of SQLite may not hold.
    case notLocal(fileSystem: String)
    /// Other users can read or write a file of the store, or own it.
    case exposed(path: String, objection: String)
    /// A migration is missing, and who opened the store was not to apply any.
    case tablesBehind
    /// The server is set up to forget commits that it has confirmed.
    case notDurable
    /// The caller's clock was set back: it lies before what the store has watched or swept.
    case clockBehind

    /// Whether it is certain that the store is as it was before.
    package var nothingWasWritten: Bool {
        switch self {
        case .unavailable, .noFreeUID, .newerSchema, .corrupt, .notLocal, .exposed, .tablesBehind, .notDurable,
            .clockBehind:
            true
        case .outcomeUnknown: false
        }
    }

    /// Whether Firebase's directory failed, and not our own store.
    package var isOfDirectory: Bool {
        switch self {
        case .unavailable(let fault), .outcomeUnknown(let fault):
            [.directoryUnreachable, .directoryRefused, .directoryBusy].contains(fault)
        case .noFreeUID, .newerSchema, .corrupt, .notLocal, .exposed, .tablesBehind, .notDurable, .clockBehind: false
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
        case .exposed: "store.exposed"
        case .tablesBehind: "store.tables_behind"
        case .notDurable: "store.not_durable"
        case .clockBehind: "store.clock_behind"
        }
    }
}

/// What the operator has to look at.
package enum StoreFault: String, Sendable, CaseIterable {
    /// Another process held a lock for too long.
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
    /// Firebase's directory could not be reached, or did not answer as it should.
    case directoryUnreachable = "directory_unreachable"
    /// Firebase's directory refuses our access token, or our role there may not do what was asked.
    case directoryRefused = "directory_refused"
    /// Firebase's directory has had enough of us for now.
    case directoryBusy = "directory_busy"
    /// The queue before the store is full, or its turn came too late; the store itself works.
    case overloaded
    case other
}
