package import Standards

/// The reason why a call to the store failed.
package enum StoreError: Error, Equatable, Sendable {
    /// Nothing was written. The same request may be sent again. `cause` is what PostgreSQL or libpq says about the
    /// fault, or what was found at the path of the file, without a secret.
    case unavailable(StoreFault, cause: String? = nil)
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
    /// A setting of the database lets it lose confirmed commits.
    case notDurable(setting: String, value: String, needed: String)
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
        case .unavailable(let fault, _), .outcomeUnknown(let fault):
            [.directoryUnreachable, .directoryRefused, .directoryBusy].contains(fault)
        case .noFreeUID, .newerSchema, .corrupt, .notLocal, .exposed, .tablesBehind, .notDurable, .clockBehind: false
        }
    }

    /// The name in logs and metrics, which never changes.
    package var code: String {
        switch self {
        case .unavailable(let fault, _): "store.unavailable.\(fault.rawValue)"
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

extension StoreError: RefusalCause {
    package var refusal: Refusal {
        let finding = sentence
        if self == .clockBehind {
            return Refusal(
                .clockBehind,
                "The clock of the server is not the one of its database: it was set back, or jumped ahead. Do what retry says, or "
                    + "begin again after a redirect. GET /readyz tells the operator how long it takes, and when to use --new-store.",
                finding: finding, isUnspent: true, cause: self)
        }
        let subject = isOfDirectory ? "Firebase" : "The database"
        return Refusal(
            isOfDirectory ? .directoryUnavailable : .storeUnavailable,
            "\(subject) does not respond, or refuses the server. Do what retry says, or begin again after a redirect. If it happens "
                + "again, the operator must act, see the server log.",
            finding: finding, isUnspent: nothingWasWritten, cause: self)
    }
}

extension StoreError: AdvisingCause {
    /// The failure in words, for an operator: its name, what it means if the name does not say that, and its cause.
    private var sentence: String {
        switch self {
        case .unavailable(let fault, let cause):
            [code, fault.sentence, cause].compactMap(\.self).joined(separator: ": ")
        case .outcomeUnknown(let fault): [code, fault.sentence].compactMap(\.self).joined(separator: ": ")
        default: code
        }
    }

    package var advice: String? {
        switch self {
        // With a cause, the role is not what is missing.
        case .unavailable(.directoryRefused, cause: nil), .outcomeUnknown(.directoryRefused): StoreFault.roleOfDirectory
        case .unavailable(.directoryUnreachable, _), .outcomeUnknown(.directoryUnreachable): StoreFault.trialOfDirectory
        default: nil
        }
    }
}

extension StoreFault {
    /// What to do if the directory refuses this server.
    package static let roleOfDirectory =
        "if the identity that calls Google, which token-exchange doctor names at google.lookup, lacks the role Firebase "
        + "Authentication Admin in the project of the users, grant it; otherwise correct firebase.project_id"

    /// What to do if it is not known which call to Google fails.
    package static let trialOfDirectory =
        "if it lasts: token-exchange doctor makes these calls, and names the one that fails, with its cause"

    /// What the fault of a directory means; `nil` for a fault of the store.
    package var sentence: String? {
        switch self {
        case .directoryUnreachable:
            "the users of Firebase cannot be asked for, because Identity Toolkit sends no usable answer, or no access token "
                + "is issued"
        case .directoryRefused:
            "the calls of this server for the users of Firebase are refused"
        case .directoryBusy: "a later call for the users of Firebase may succeed"
        default: nil
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
    /// The file cannot be found, or access to it is denied. For PostgreSQL: no connection could be opened for a reason
    /// without a name of its own, or the tables cannot be found.
    case cannotOpen = "cannot_open"
    /// The folder of the file does not exist.
    case folderMissing = "no_folder"
    /// Something else than a file stands at the path of the file, or a part of the path is no folder.
    case notAFile = "not_a_file"
    /// The file is not a database.
    case notADatabase = "not_a_database"
    /// The host name of the server does not resolve.
    case hostUnknown = "host_unknown"
    /// No server listens at the address.
    case connectionRefused = "connection_refused"
    /// The server did not respond in time, or no route leads to it.
    case noAnswer = "no_answer"
    /// The TLS that the connection string requires is not possible.
    case tls
    /// The server refused the password, or the role may not log in.
    case authentication = "authentication_failed"
    /// PostgreSQL needs another certificate of this client, or libpq cannot use the one that it has.
    case clientCertificate = "client_certificate"
    /// No line of `pg_hba.conf` allows the connection.
    case notAdmitted = "no_hba_entry"
    case databaseMissing = "no_database"
    case roleMissing = "no_role"
    /// The role lacks a privilege on the database, the schema or a table, or there is no schema that it may use.
    case privilegeMissing = "no_privilege"
    case tooManyConnections = "too_many_connections"
    /// The server starts, stops or recovers, or an administrator ended the session.
    case restarting = "server_restarting"
    /// PgBouncer does not serve the connection.
    case pooler
    /// A pooler in transaction mode loses prepared statements between two transactions.
    case transactionPooler = "transaction_pooler"
    /// Damage was detected during a commit. Otherwise it is reported as ``StoreError/corrupt``.
    case corrupt
    /// This process has closed the store.
    case closed
    /// Firebase's directory was unreachable or sent an invalid response.
    case directoryUnreachable = "directory_unreachable"
    /// Firebase's directory rejected our access token, or our role lacks a permission.
    case directoryRefused = "directory_refused"
    /// Firebase's directory limits our request rate, or another call has just changed the same user.
    case directoryBusy = "directory_busy"
    /// The queue of the store is full, or the call waited too long. The store itself works.
    case overloaded
    case other
}
