/// The reason why a call to the store failed.
package enum StoreError: Error, Equatable, Sendable {
    /// Nothing was written. The same request may be sent again.
    case unavailable(StoreFault)
    /// A commit was in progress and may have succeeded. Credentials that were to be spent count as spent.
    case outcomeUnknown(StoreFault)
    /// Every candidate uid belongs or belonged to an account.
    case noFreeUID
    /// A later version of this program made the schema. Both values are names of migrations.
    case newerSchema(found: String, supported: String)
    /// The stored data is not a database, or is damaged.
    case corrupt
    /// The file is on a file system where the locks and the shared memory of SQLite may not hold.
    case notLocal(fileSystem: String)
    /// Other users can read or write a file of the store, or own it.
    case exposed(path: String, objection: String)
    /// A migration is missing, and the store was opened without permission to migrate.
    case tablesBehind
    /// The server is configured so that it can lose confirmed commits.
    case notDurable
    /// The caller's clock was set back: it is more than a minute before the store's last watch, or before the time of
    /// its last sweep.
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

/// The fault that an operator has to examine.
package enum StoreFault: String, Sendable, CaseIterable {
    /// Another process held a lock for too long.
    case busy
    /// No space is left on the disk.
    case full
    case readOnly = "read_only"
    /// The disk or the network failed.
    case inputOutput = "input_output"
    /// The file or server cannot be found, or access is denied.
    case cannotOpen = "cannot_open"
    /// Damage was detected during a commit. Otherwise it is reported as ``StoreError/corrupt``.
    case corrupt
    /// This process has closed the store.
    case closed
    /// Firebase's directory was unreachable or sent an invalid response.
    case directoryUnreachable = "directory_unreachable"
    /// Firebase's directory rejected our access token, or our role lacks a permission.
    case directoryRefused = "directory_refused"
    /// Firebase's directory limits our request rate.
    case directoryBusy = "directory_busy"
    /// The queue of the store is full, or the call waited too long. The store itself works.
    case overloaded
    case other
}
