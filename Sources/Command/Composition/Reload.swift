internal import Logging
internal import OpenSSL
internal import OperatingSystem
internal import ServiceLifecycle
internal import Settings
internal import Synchronization
internal import UnixSignals

/// The configuration of a running server, and the files and secrets that it was read from.
///
/// Files are compared by their contents and not by their times, because a mounted secret of Kubernetes changes by a
/// symbolic link, and because a time does not show whether a file was written completely.
final class WatchedConfiguration: Sendable {
    private let options: ConfigurationOptions
    private let record = Mutex(ConfigurationRecord())

    init(_ options: ConfigurationOptions) {
        self.options = options
    }

    /// Reads the configuration, and remembers the contents of every file and secret that was read.
    ///
    /// - Returns: The configuration, and whether a file or a secret differs from the last reading.
    /// - Throws: Exit 78, after reporting every problem.
    func load() async throws -> (settings: Settings, isChanged: Bool) {
        let read = Mutex(ConfigurationRecord())
        let old = record.withLock(\.self)
        // A failed attempt is remembered as well, so that one change is reported once.
        defer { record.withLock { $0 = read.withLock(\.self) } }
        let settings = try await options.load { path throws(SettingsFileError) in
            do throws(SettingsFileError) {
                let file = try SettingsFile.onDisk(path)
                read.withLock { $0.files[path] = SHA256.hash(file.bytes) }
                return file
            } catch {
                read.withLock { $0.files[path] = .some(nil) }
                throw error
            }
        } secrets: { names, incomplete in
            let readings = await CloudSecrets.read(names, incomplete)
            read.withLock { $0.add(readings) }
            return readings
        }
        return (settings, read.withLock { !$0.isSame(as: old) })
    }

    /// Whether there is a reason to read the configuration again, as ``ConfigurationRecord/isDue(after:hasFailed:file:)``.
    func isDue(after interval: Duration, hasFailed: Bool) -> Bool {
        record.withLock { record in
            record.isDue(after: interval, hasFailed: hasFailed) { path in
                (try? SettingsFile.onDisk(path)).map { SHA256.hash($0.bytes) }
            }
        }
    }
}

/// What a configuration was read from.
struct ConfigurationRecord: Sendable {
    /// Each reading of Secret Manager is a call that Google charges for and limits, so that intervals may be shorter.
    private static let secretPeriod = Duration.seconds(300)

    /// The digest of each file; `nil` for one that could not be read.
    var files: [String: [UInt8]?] = [:]
    private var secrets: [CloudSecretName: [UInt8]?] = [:]
    /// The time since the reading.
    private var age = Duration.zero

    /// Adds secrets of Secret Manager.
    mutating func add(_ readings: [CloudSecretName: CloudSecretReading]) {
        for (name, reading) in readings {
            let digest: [UInt8]? = if case .payload(let file, _) = reading { SHA256.hash(file.bytes) } else { nil }
            secrets[name] = .some(digest)
        }
    }

    /// Whether another reading found the same contents.
    func isSame(as other: Self) -> Bool { files == other.files && secrets == other.secrets }

    /// Whether there is a reason to read the configuration again, when an interval has passed since the last call.
    ///
    /// - Parameters:
    ///   - hasFailed: Whether the last attempt failed, for a reason that may have gone without a change of a file.
    ///   - file: Returns the digest of the file at a path; `nil` if it cannot be read.
    /// - Returns: Whether a file has changed, or the attempt is repeated. Secrets of Secret Manager are read again after five
    ///   minutes at the earliest.
    mutating func isDue(after interval: Duration, hasFailed: Bool, file: (_ path: String) -> [UInt8]?) -> Bool {
        age += interval
        if files.contains(where: { file($0.key) != $0.value }) { return true }
        return secrets.isEmpty ? hasFailed : age >= Self.secretPeriod
    }
}

/// Reads the configuration again at each `SIGHUP`, when one of its files has changed, and as long as it cannot be used.
///
/// If the new configuration is invalid, the old one stays in force, and one log line has all problems. A file that was
/// read while it was being written is invalid, or changes once more; both lead to another attempt. An attempt that failed
/// is repeated at each interval: its cause may be something else than the content of a file, such as a mode or an owner. A
/// configuration with secrets of Secret Manager is read every five minutes, because only its answer shows a new version.
struct ReloadService: Service {
    let deployment: Deployment
    let configuration: WatchedConfiguration
    let manager: ServiceManager?

    private enum Cause {
        case signal
        case interval(Duration)
    }

    func run() async throws {
        let interval = deployment.settings.server.reloadInterval
        // One task reads, so that an older configuration never replaces a newer one.
        let (causes, continuation) = AsyncStream.makeStream(of: Cause.self)
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in await UnixSignalsSequence(trapping: .sighup) { continuation.yield(.signal) }
                }
                if let interval {
                    group.addTask {
                        while (try? await Task.sleep(for: interval)) != nil { continuation.yield(.interval(interval)) }
                    }
                }
                group.addTask {
                    for await cause in causes { await answer(cause) }
                }
                try await group.waitForAll()
            }
        }
    }

    private func answer(_ cause: Cause) async {
        switch cause {
        case .signal:
            manager?.tell(.reloading)
            await reload(isRequested: true)
            manager?.tell(.ready)
        case .interval(let interval):
            guard configuration.isDue(after: interval, hasFailed: deployment.reloadProblem != nil) else { return }
            await reload(isRequested: false)
        }
    }

    /// - Parameter isRequested: Whether the operator waits for the result. Otherwise a problem is logged only if it
    ///   differs from that of the last attempt.
    private func reload(isRequested: Bool) async {
        do {
            let (settings, isChanged) = try await configuration.load()
            guard isRequested || isChanged || deployment.reloadProblem != nil else { return }
            try deployment.reload(settings)
            await deployment.expireKeys()
            deployment.noteReload(problem: nil)
            deployment.logger.notice(
                """
                configuration reloaded: file: values were read again, and env: values are those of the start. The key sets of \
                providers are fetched again at their next use
                """)
        } catch {
            // A call to Secret Manager that ends with the process is no problem.
            guard !Task.isCancelled else { return }
            let text = (error as? ExitReason)?.message ?? "\(error)"
            let lines = text.split(separator: "\n").map { String($0.drop { $0 == " " }) }
            let problem = [lines.first ?? "", lines.dropFirst().joined(separator: "; ")].filter { !$0.isEmpty }
                .joined(separator: " ")
            guard deployment.noteReload(problem: problem) || isRequested else { return }
            deployment.logger.error(
                "configuration not reloaded; the old one stays in force", metadata: ["problem": "\(problem)"])
        }
    }
}
