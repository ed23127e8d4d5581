internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import JOSE
internal import Settings
internal import Stores

/// The configuration and its open store, for the duration of an operator's command.
struct OperatorSession: Sendable {
    let settings: Settings
    let store: any Store
    let time = TimeSource.system
    let close: @Sendable () -> Void

    /// Opens the store of the configuration.
    ///
    /// A SQLite database must already exist.
    ///
    /// - Throws: Exit 78 for a wrong configuration, and for store files with bad permissions; exit 1 for a store that
    ///   cannot be opened.
    static func open(_ options: ConfigurationOptions) async throws -> OperatorSession {
        let settings = try options.load()
        return try await reportingErrors(settings.store) { () throws(StoreError) in
            if case .sqlite(let path) = settings.store, !FileManager.default.fileExists(atPath: path) {
                throw .unavailable(.cannotOpen)
            }
            // Other users must not be able to read the additional files that SQLite creates.
            umask(0o077)
            let opened = try OpenedStore.open(settings, migrates: false, watching: nil)
            for warning in opened.fileWarnings { Exit.say("warning: \(warning)") }
            return OperatorSession(settings: settings, store: opened.store, close: opened.close)
        }
    }

    /// Runs a call of the store, and prints the reason if it fails.
    ///
    /// - Throws: Exit 1, or 78 for files with bad permissions.
    func reportingErrors<Value>(_ question: () async throws(StoreError) -> Value) async throws -> Value {
        try await Self.reportingErrors(settings.store, question)
    }

    /// Runs a call, as ``reportingErrors(_:)``, for a store that may not be open.
    static func reportingErrors<Value>(
        _ store: Settings.Store, _ question: () async throws(StoreError) -> Value
    ) async throws -> Value {
        do throws(StoreError) {
            return try await question()
        } catch {
            let subject = error.isOfDirectory ? "Firebase" : "the store \(store)"
            throw Exit.because("\(subject) cannot be used: \(error.advice)", error.exitCode)
        }
    }

    /// - Throws: Exit 64 if Firebase keeps the accounts.
    func requireLocalDirectory() throws {
        guard settings.firebase.directory == .local else {
            throw Exit.because(
                "firebase.directory is firebase, so Firebase keeps accounts and links: change them in the Firebase console, "
                    + "with the Firebase Admin SDK, or by /v1/account", Exit.usage)
        }
    }

    /// Prints a note on standard error if the store has only a part of the data of accounts.
    func noteDirectory() {
        if settings.firebase.directory == .firebase {
            Exit.say("firebase.directory is firebase: this is only the data in the store; Firebase keeps the links")
        }
    }

    /// Returns an account.
    ///
    /// - Parameter uid: The uid of the account.
    /// - Returns: The account.
    /// - Throws: Exit 1 if there is no such account.
    func account(_ uid: String) async throws -> StoredAccount {
        guard let account = try await reportingErrors({ () throws(StoreError) in try await store.account(uid: uid) })
        else {
            throw Self.unknown(uid)
        }
        return account
    }

    /// Passes all accounts to `body`, page by page, sorted by the octets of their uids.
    func eachPage(_ body: ([StoredAccount]) throws -> Void) async throws {
        var last: String?
        while true {
            let page = try await reportingErrors { [last] () throws(StoreError) in
                try await store.accounts(after: last, atMost: 500)
            }
            guard let end = page.last else { return }
            try body(page)
            last = end.uid
        }
    }

    static func unknown(_ uid: String) -> ExitCode {
        Exit.because("there is no account \(VisibleText.of(uid))", Exit.failure)
    }
}

extension StoreError {
    /// The exit code: 78 if no start can succeed before the operator changes the files.
    var exitCode: ExitCode {
        switch self {
        case .exposed, .notLocal: Exit.configuration
        default: Exit.failure
        }
    }

    /// The error code with advice for the operator.
    var advice: String {
        switch self {
        case .tablesBehind: "\(code); run token-exchange migrate, with a role that may create tables"
        case .newerSchema: "\(code); a later version of token-exchange has used this store, use that version"
        case .unavailable(.cannotOpen):
            "\(code); check that it exists and that this user may open it. serve or migrate creates it"
        case .outcomeUnknown: "\(code); check whether the change was made before you repeat it"
        case .exposed(let path, let objection):
            "\(code); the file \(path) \(objection), or start with \(Settings.Allowances.insecurePermissionsFlag)"
        case .notLocal(let fileSystem):
            "\(code); SQLite needs a local file system, and this one is \(fileSystem). Move the file, use PostgreSQL, or "
                + "start with \(Settings.Allowances.networkFilesystemFlag)"
        default: code
        }
    }
}

extension AccountRefusal {
    var sentence: String {
        switch self {
        case .disabled: "the account is disabled; enable it first"
        case .secondFactorEnrolled: "the account has a second factor, which a custom token would bypass"
        }
    }
}
