internal import ArgumentParser
internal import Firebase
internal import JOSE
internal import Logging
internal import Settings
internal import Standards
internal import Stores

/// The Firebase users of accounts, for an operator's command.
struct FirebaseUsers: Sendable {
    private let toolkits: [IdentityToolkit]
    private let time: TimeSource
    let anonymous: AnonymousUsers
    /// The directory of the accounts of the session's tenant; `nil` if accounts are only in the store.
    let directory: FirebaseDirectory?

    /// Runs `body` with the users of a configuration's project, in all of its tenants.
    ///
    /// - Throws: Exit 78 if the service account cannot be used, exit 1 if libcurl cannot be used, and every error of
    ///   `body`.
    static func with<Value>(_ session: OperatorSession, _ body: (FirebaseUsers) async throws -> Value) async throws
        -> Value
    {
        try await CommandTransport.use(session.settings) { transport in
            let parts = try FirebaseParts(
                session.settings, transport: transport, store: session.store, time: session.time,
                logger: Logger(label: "accounts") { _ in SwiftLogNoOpLogHandler() })
            return try await body(
                FirebaseUsers(
                    toolkits: parts.toolkits, time: session.time, anonymous: parts.anonymousUsers,
                    directory: parts.firebaseDirectory?.directory(of: session.tenantID)))
        }
    }

    /// Looks up the users with these uids.
    ///
    /// - Returns: The users, or `nil` if the service account may not look them up.
    /// - Throws: Exit 1 if Firebase does not respond.
    func records(of uids: [UID]) async throws -> [FirebaseUserRecord]? {
        var records: [FirebaseUserRecord] = []
        for toolkit in toolkits {
            do throws(IdentityToolkitError) {
                records += try await toolkit.lookup(uids: uids)
            } catch .permissionDenied {
                return nil
            } catch {
                throw Self.failed(StoreError(ofLookup: error))
            }
        }
        return records
    }

    /// Deletes the user of a deleted account, or ends its sessions.
    ///
    /// - Returns: `deleted`, `kept` or `none`, as `DELETE /v1/account` returns it.
    /// - Throws: Exit 1 if Firebase does not respond; the account is then unchanged.
    func remove(_ uid: UID) async throws -> String {
        var removals: [FirebaseUserRemoval] = []
        for toolkit in toolkits {
            do throws(IdentityToolkitError) {
                removals.append(try await toolkit.remove(uid, at: time.now()))
            } catch {
                throw Self.failed(StoreError(error))
            }
        }
        return Self.outcome(of: removals)
    }

    /// The result for all tenants together: `kept` if the user of any tenant is kept.
    static func outcome(of removals: [FirebaseUserRemoval]) -> String {
        if removals.contains(where: { $0 == .kept || $0 == .sessionsEnded }) { return "kept" }
        return removals.contains(.deleted) ? "deleted" : "none"
    }

    private static func failed(_ error: StoreError) -> ExitReason {
        let advice: String? = error.advice
        let words = [error.refusal.finding, advice].compactMap(\.self).joined(separator: ". ")
        return Exit.because("Firebase cannot be used: \(words). The same command may be repeated", Exit.failure)
    }
}

/// The option to keep the Firebase user of a deleted account.
struct FirebaseUserOptions: ParsableArguments {
    @Flag(help: "Do not contact Firebase. The Firebase user is kept, and its sessions continue.")
    var keepFirebaseUser = false

    /// - Throws: Exit 64 if Firebase keeps the accounts, and its user should be kept.
    func check(_ session: OperatorSession) throws {
        guard keepFirebaseUser, session.isFirebaseDirectory else { return }
        throw Exit.because(
            "--keep-firebase-user: firebase.directory is firebase, so the Firebase user is the account. Leave this "
                + "option out, or use accounts disable to end its sign-ins only", Exit.usage)
    }
}
