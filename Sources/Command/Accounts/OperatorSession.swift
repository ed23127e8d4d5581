internal import ArgumentParser
internal import Firebase
internal import Foundation
internal import JOSE
internal import SQLiteStores
internal import Settings
internal import Standards
internal import Stores

/// The configuration and its open store, for the duration of an operator's command.
struct OperatorSession: Sendable {
    let settings: Settings
    let store: any Store
    let time = TimeSource.system
    /// The tenant whose accounts the command shows and changes; `nil` means users outside any tenant.
    let tenantID: String?
    let close: @Sendable () -> Void

    /// Opens the store of the configuration.
    ///
    /// A SQLite database must already exist.
    ///
    /// - Parameter tenant: The option for the tenant; `nil` for a command that concerns all tenants.
    /// - Throws: Exit 64 for a wrong tenant; exit 78 for a wrong configuration, and for store files with bad permissions; exit 1 for a store that
    ///   cannot be opened.
    static func open(
        _ options: ConfigurationOptions, tenant: TenantOptions? = nil
    ) async throws -> OperatorSession {
        let settings = try await options.load()
        let tenantID = try tenant?.accountTenant(settings)
        try await requireDatabase(settings.store)
        return try await reportingErrors(settings.store) { () throws(StoreError) in
            // Other users must not be able to read the additional files that SQLite creates.
            umask(0o077)
            let opened = try OpenedStore.open(settings, migrates: false, watching: nil)
            for warning in opened.fileWarnings { Exit.say("warning: \(warning)") }
            return OperatorSession(
                settings: settings, store: opened.store, tenantID: tenantID ?? nil, close: opened.close)
        }
    }

    /// Requires the file of an SQLite database; other stores are not examined.
    ///
    /// - Throws: Exit 1, or 78 if the folder is missing.
    static func requireDatabase(_ store: Settings.Store) async throws {
        guard case .sqlite(let path) = store, !FileManager.default.fileExists(atPath: path) else { return }
        try await reportingErrors(store) { () throws(StoreError) in
            if let obstacle = SQLiteStore.obstacle(at: path) { throw obstacle }
        }
        throw Exit.because(
            "there is no database \(path): if it is elsewhere, correct store; otherwise serve or migrate makes it",
            Exit.failure)
    }

    /// Runs a call of the store, and prints the reason if it fails.
    ///
    /// - Throws: Exit 1, or 78 for files with bad permissions.
    func reportingErrors<Value>(_ question: () async throws(StoreError) -> Value) async throws -> Value {
        try await Self.reportingErrors(settings.store, question)
    }

    /// Runs one call, as ``reportingErrors(_:)``, whose closure has to name its error.
    func answer<Value>(of question: @autoclosure () async throws(StoreError) -> Value) async throws -> Value {
        try await reportingErrors(question)
    }

    /// Runs a call, as ``reportingErrors(_:)``, for a store that may not be open.
    static func reportingErrors<Value>(
        _ store: Settings.Store, _ question: () async throws(StoreError) -> Value
    ) async throws -> Value {
        do throws(StoreError) {
            return try await question()
        } catch {
            throw error.exit(for: store)
        }
    }

    var isFirebaseDirectory: Bool { settings.firebase.directory == .firebase }

    /// Runs `body` with the directory of the configuration: Firebase with the store, or only the store.
    ///
    /// - Throws: The errors of ``FirebaseUsers/with(_:_:)``, and every error of `body`.
    func withDirectory<Value>(
        _ body: (any AccountDirectory & OperatedAccounts) async throws -> Value
    ) async throws -> Value {
        guard isFirebaseDirectory else { return try await body(store) }
        return try await FirebaseUsers.with(self) { users in
            if let directory = users.directory { try await body(directory) } else { try await body(store) }
        }
    }

    /// Returns an account.
    ///
    /// - Throws: Exit 1 if there is no such account.
    func account(_ uid: UID, in directory: any OperatedAccounts) async throws -> StoredAccount {
        guard let account = try await answer(of: await directory.account(uid: uid)) else { throw Self.unknown(uid) }
        return account
    }

    /// The name of an account in the store of second factors.
    func factorHolder(_ uid: UID) -> FactorHolder {
        FactorHolder(uid: uid, tenant: isFirebaseDirectory ? tenantID ?? "" : "")
    }

    /// Returns the second factors of an account, which are in the store with either directory.
    func factors(of uid: UID) async throws -> FactorsOfAccount {
        try await answer(of: await store.factors(of: factorHolder(uid)))
    }

    /// Passes all accounts to `body`, page by page.
    ///
    /// The accounts of the store are sorted by the octets of their uids, and those of Firebase as Firebase sorts them.
    /// After these follow anonymous accounts without a Firebase user, whose applications have not signed in yet.
    func eachPage(_ body: ([StoredAccount]) throws -> Void) async throws {
        guard isFirebaseDirectory else { return try await eachStoredPage(body) }
        try await FirebaseUsers.with(self) { users in
            guard let directory = users.directory else { return }
            var token: String?
            repeat {
                let page = try await reportingErrors { [token] () throws(StoreError) in
                    try await directory.accounts(after: token, atMost: Self.pageSize)
                }
                if !page.accounts.isEmpty { try body(page.accounts) }
                token = page.next
            } while token != nil
            try await eachStoredPage { stored in
                let waiting = try await answer(of: await directory.withoutUsers(among: stored))
                if !waiting.isEmpty { try body(waiting) }
            }
        }
    }

    private static let pageSize = 500

    private func eachStoredPage(_ body: ([StoredAccount]) async throws -> Void) async throws {
        var last: UID?
        while true {
            let page = try await reportingErrors { [last] () throws(StoreError) in
                try await store.accounts(after: last, atMost: Self.pageSize)
            }
            guard let end = page.last else { return }
            try await body(page)
            last = end.uid
        }
    }

    static func unknown(_ uid: UID) -> ExitReason {
        Exit.because("there is no account \(VisibleText.of(uid)): accounts list shows the uids", Exit.failure)
    }
}

extension AccountRefusal {
    var sentence: String {
        switch self {
        case .disabled: "the account is disabled; enable it first"
        case .secondFactorEnrolled: "the account has a second factor of Firebase, which a custom token would bypass"
        case .factorNotProven: "the account has a second factor"
        case .identityLost: "the account no longer has the identity"
        case .retired: "the account was deleted or merged into another one"
        }
    }
}
