internal import Foundation
internal import JOSE
internal import Logging
internal import OpenSSL
internal import ServiceLifecycle
internal import Settings
internal import Stores
internal import Synchronization

/// The record of this process among the servers of its store, and the comparison of its keys with those of the others.
final class ServerAnnouncement: Sendable {
    private let store: any ServerRegistry
    private let time: TimeSource
    private let id: [UInt8]
    private let name: String
    /// The keys of this server that were missing elsewhere at the last comparison.
    private let known = Mutex<[MissingKey]>([])

    /// - Parameters:
    ///   - store: The store that the servers share.
    ///   - name: The name of this process for operators.
    /// - Throws: Exit 1 if the operating system supplies no random bytes.
    init(store: any ServerRegistry, time: TimeSource, name: String = ServerAnnouncement.processName) throws {
        guard let id = try? SecureRandom.bytes(16) else {
            throw Exit.because("the operating system supplies no random bytes", Exit.failure)
        }
        self.store = store
        self.time = time
        self.id = id
        self.name = name
    }

    /// The name of the machine or container, and the process ID, which distinguishes processes of one machine.
    static var processName: String {
        "\(ProcessInfo.processInfo.hostName) (process \(ProcessInfo.processInfo.processIdentifier))"
    }

    /// Records this server with its keys, and reads the other servers.
    ///
    /// - Parameter keys: The keys that are in force.
    /// - Returns: The keys with which this server seals and which a running server does not have, if they or the servers
    ///   differ from those of the last call; otherwise nothing.
    /// - Throws: ``StoreError``; then the comparison is that of the last call.
    func renew(_ keys: KeyFingerprints) async throws(StoreError) -> [MissingKey] {
        let server = RunningServer(id: id, name: name, keys: keys)
        try await store.announce(server, at: time.now())
        let missing = MissingKey.among(try await store.servers(at: time.now())).filter {
            $0.fingerprint == $0.list.fingerprints(of: keys).first
        }
        return known.withLock { known in
            defer { known = missing }
            return known == missing ? [] : missing
        }
    }

    func withdraw() async throws(StoreError) {
        try await store.withdraw(id)
    }
}

/// Announces this server as often as the store is watched, or twice in the lifetime of its record if calls cost money, and warns if another server cannot open what this one seals.
///
/// It has a loop of its own, so that ``WatchService`` does not wait for it: if the watched time is renewed late, the store
/// refuses credentials.
struct AnnouncementService: Service {
    let deployment: Deployment
    /// The store of the configuration, for the advice in the log.
    let configured: Settings.Store

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var last: StoreError?
            repeat {
                last = await announce(after: last)
            } while (try? await Task.sleep(for: interval)) != nil
        }
    }

    private var interval: Duration { configured.isMetered ? RunningServer.lifetime / 2 : WatchService.interval }

    /// - Parameter last: The error of the previous call, which is not logged twice.
    /// - Returns: The error; `nil` if the server was announced.
    private func announce(after last: StoreError?) async -> StoreError? {
        do throws(StoreError) {
            for key in try await deployment.announcement.renew(deployment.keys) {
                deployment.logger.warning(
                    "this server seals with a key that other servers of its store do not have: they refuse what it seals",
                    metadata: [
                        "list": "\(key.list.rawValue)", "key": "\(key.fingerprint)",
                        "servers": "\(key.lacking.joined(separator: ", "))",
                        "advice":
                            "write the same list at every server, and reload; a new key first at the end of each list",
                    ])
            }
            return nil
        } catch {
            if last != error {
                deployment.logger.warning(
                    "this server is not recorded in the store, so that its keys are not compared",
                    metadata: error.metadata(for: configured))
            }
            return error
        }
    }
}
