internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import JOSE
internal import Settings
internal import Stores

/// The store of a configuration, opened for an operator.
struct AccountsDesk: Sendable {
    let settings: Settings
    let store: any Store
    let time = TimeSource.system
    let close: @Sendable () -> Void

    /// Opens what the configuration names; a database of SQLite has to be there.
    ///
    /// - Throws: Exit 78 for the configuration and for files of the store that others can use, exit 1 for a store that
    ///   does not open.
    static func open(_ options: ConfigurationOptions) async throws -> AccountsDesk {
        let settings = try options.load()
        return try await asking(settings.store) { () throws(StoreError) in
            if case .sqlite(let path) = settings.store, !FileManager.default.fileExists(atPath: path) {
                throw .unavailable(.cannotOpen)
            }
            // Other users may not read the files that SQLite adds beside its own.
            umask(0o077)
            let opened = try OpenedStore.open(settings, migrates: false, watching: nil)
            for warning in opened.fileWarnings { Exit.say("warning: \(warning)") }
            return AccountsDesk(settings: settings, store: opened.store, close: opened.close)
        }
    }

    /// Asks the store, and says in words why it does not answer.
    ///
    /// - Throws: Exit 1, or 78 for files that others can use.
    func asking<Value>(_ question: () async throws(StoreError) -> Value) async throws -> Value {
        try await Self.asking(settings.store, question)
    }

    /// As ``asking(_:)``, of a store that may not be open.
    static func asking<Value>(
        _ store: Settings.Store, _ question: () async throws(StoreError) -> Value
    ) async throws -> Value {
        do throws(StoreError) {
            return try await question()
        } catch {
            let subject = error.isOfDirectory ? "Firebase" : "the store \(store)"
            throw Exit.because("\(subject) cannot be used: \(error.advice)", error.exitCode)
        }
    }

    /// - Throws: Exit 64 where accounts are not ours to change.
    func requireLocalDirectory() throws {
        guard settings.firebase.directory == .local else {
            throw Exit.because(
                "firebase.directory is firebase, so accounts and links are Firebase's: change them in the Firebase console "
                    + "or with its Admin SDK, or their people by /v1/account", Exit.usage)
        }
    }

    /// Says on standard error what is not among the accounts that are shown.
    func noteDirectory() {
        if settings.firebase.directory == .firebase {
            Exit.say("firebase.directory is firebase: this is only the store's part, and links are Firebase's")
        }
    }

    /// - Throws: Exit 1 for a uid that no account has.
    func account(_ uid: String) async throws -> StoredAccount {
        guard let account = try await asking({ () throws(StoreError) in try await store.account(uid: uid) }) else {
            throw Self.unknown(uid)
        }
        return account
    }

    /// Hands over all accounts, page by page, in the order of their uids' octets.
    func eachPage(_ body: ([StoredAccount]) throws -> Void) async throws {
        var last: String?
        while true {
            let page = try await asking { [last] () throws(StoreError) in
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
    /// 78 if the operator has to change something about the files before any start can succeed.
    var exitCode: ExitCode {
        switch self {
        case .exposed, .notLocal: Exit.configuration
        default: Exit.failure
        }
    }

    /// The code, and what an operator may do about it.
    var advice: String {
        switch self {
        case .tablesBehind: "\(code); run token-exchange migrate, with a role that may make tables"
        case .newerSchema: "\(code); a later version of token-exchange has been here, use that"
        case .unavailable(.cannotOpen): "\(code); is it there, and may this user open it? serve or migrate make it"
        case .outcomeUnknown: "\(code); look whether it was done before you repeat it"
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
        case .secondFactorEnrolled: "the account has a second factor, which a custom token would pass by"
        }
    }
}
