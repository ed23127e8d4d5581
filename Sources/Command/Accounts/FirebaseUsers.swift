internal import ArgumentParser
internal import CommandSupport
internal import Curl
internal import Firebase
internal import JOSE
internal import Logging
internal import OAuth
internal import Settings
internal import Stores

/// The Firebase users behind accounts, for an operator's command.
struct FirebaseUsers: Sendable {
    private let toolkits: [IdentityToolkit]
    private let time: TimeSource
    let anonymous: AnonymousUsers

    /// Runs `body` with the users of a configuration's project, in all of its tenants.
    ///
    /// - Throws: Exit 78 for a service account that cannot be used, and what `body` throws.
    static func asking<Value>(_ desk: AccountsDesk, _ body: (FirebaseUsers) async throws -> Value) async throws -> Value
    {
        let transport: CurlTransport
        do {
            transport = try CurlTransport(configuration: CurlConfiguration())
        } catch {
            throw Exit.because("libcurl cannot be used: \(error)", Exit.failure)
        }
        let value: Value
        do {
            let parts = try FirebaseParts(
                desk.settings, transport: transport.transport, store: desk.store, time: desk.time,
                logger: Logger(label: "accounts") { _ in SwiftLogNoOpLogHandler() })
            value = try await body(
                FirebaseUsers(toolkits: parts.toolkits, time: desk.time, anonymous: parts.anonymousUsers))
        } catch {
            await transport.shutdown()
            throw error
        }
        // No thread may outlive libcrypto, which is torn down when the process exits.
        await transport.shutdown()
        return value
    }

    /// The users of these uids; nil if the service account may not ask.
    ///
    /// - Throws: Exit 1 if Firebase does not answer.
    func records(of uids: [String]) async throws -> [FirebaseUserRecord]? {
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

    /// Deletes the user of an account that goes, or ends its sessions.
    ///
    /// - Returns: `deleted`, `kept` or `none`, as `DELETE /v1/account` answers.
    /// - Throws: Exit 1 if Firebase does not answer; the account is as it was then.
    func remove(_ uid: String) async throws -> String {
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

    /// One word for all tenants: `kept` if the user of any of them stays.
    static func outcome(of removals: [FirebaseUserRemoval]) -> String {
        if removals.contains(where: { $0 == .kept || $0 == .sessionsEnded }) { return "kept" }
        return removals.contains(.deleted) ? "deleted" : "none"
    }

    private static func failed(_ error: StoreError) -> ExitCode {
        Exit.because("Firebase does not answer: \(error.code). No account was changed", Exit.failure)
    }
}

/// The option by which a command that removes an account keeps its Firebase user.
struct FirebaseUserOptions: ParsableArguments {
    @Flag(help: "Do not ask Firebase; the Firebase user stays, and its sessions go on.")
    var keepFirebaseUser = false
}
