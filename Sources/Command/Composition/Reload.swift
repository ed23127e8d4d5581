internal import Logging
internal import OpenSSL
internal import OperatingSystem
internal import ServiceLifecycle
internal import Settings
internal import Synchronization
internal import UnixSignals

/// The configuration of a running server, and the files that it was read from.
///
/// Files are compared by their contents and not by their times, because a mounted secret of Kubernetes changes by a
/// symbolic link, and because a time does not show whether a file was written completely.
final class WatchedConfiguration: Sendable {
    /// The digest of each file at its last reading; `nil` for one that could not be read.
    private typealias Digests = [String: [UInt8]?]

    private let options: ConfigurationOptions
    private let digests = Mutex<Digests>([:])
    private let turn = Mutex<Void>(())

    init(_ options: ConfigurationOptions) {
        self.options = options
    }

    /// Reads the configuration, and remembers the contents of every file that was read.
    ///
    /// - Returns: The configuration.
    /// - Throws: Exit 78, after reporting every problem.
    func load() throws -> Settings {
        let read = Mutex<Digests>([:])
        // A failed attempt is remembered as well, so that one change is reported once.
        defer { digests.withLock { $0 = read.withLock { $0 } } }
        return try options.load { path throws(SettingsFileError) in
            do throws(SettingsFileError) {
                let file = try SettingsFile.onDisk(path)
                read.withLock { $0[path] = SHA256.hash(file.bytes) }
                return file
            } catch {
                read.withLock { $0[path] = .some(nil) }
                throw error
            }
        }
    }

    /// Runs `body` when no other call of this method runs, so that an older configuration never replaces a newer one.
    func exclusively(_ body: () -> Void) {
        turn.withLock { _ in body() }
    }

    /// Whether a file differs from its last reading.
    var hasChanged: Bool {
        digests.withLock { $0 }.contains { path, digest in
            (try? SettingsFile.onDisk(path)).map { SHA256.hash($0.bytes) } != digest
        }
    }
}

/// Reads the configuration again at each `SIGHUP`, when one of its files has changed, and as long as it cannot be used.
///
/// If the new configuration is invalid, the old one stays in force, and one log line has all problems. A file that was
/// read while it was being written is invalid, or changes once more; both lead to another attempt. An attempt that failed
/// is repeated at each interval: its cause may be something else than the content of a file, such as a mode or an owner.
struct ReloadService: Service {
    let deployment: Deployment
    let configuration: WatchedConfiguration
    let manager: ServiceManager?

    func run() async throws {
        let interval = deployment.settings.server.reloadInterval
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) {
                        configuration.exclusively {
                            manager?.tell(.reloading)
                            reload(isRequested: true)
                            manager?.tell(.ready)
                        }
                    }
                }
                if let interval {
                    group.addTask {
                        while (try? await Task.sleep(for: interval)) != nil {
                            configuration.exclusively {
                                guard configuration.hasChanged || deployment.reloadProblem != nil else { return }
                                reload(isRequested: false)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// - Parameter isRequested: Whether the operator waits for the result. Otherwise a problem is logged only if it
    ///   differs from that of the last attempt.
    private func reload(isRequested: Bool) {
        do {
            try deployment.reload(configuration.load())
            deployment.noteReload(problem: nil)
            deployment.logger.notice("configuration reloaded")
        } catch {
            let text = (error as? ExitReason)?.message ?? "\(error)"
            let problem = text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
            guard deployment.noteReload(problem: problem) || isRequested else { return }
            deployment.logger.error(
                "configuration not reloaded; the old one stays in force", metadata: ["problem": "\(problem)"])
        }
    }
}
