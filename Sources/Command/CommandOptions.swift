internal import ArgumentParser
internal import Foundation
internal import JOSE
internal import OperatingSystem
internal import Settings
internal import Standards
internal import Synchronization

/// The options of every subcommand that reads the configuration.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration file.",
            discussion: """
                Default: the variable TOKEN_EXCHANGE_CONFIG with the YAML text itself if it is set, otherwise \
                /etc/token-exchange/token-exchange.yaml if it exists, otherwise config/token-exchange.yaml.
                """,
            valueName: "file"))
    var path: String?

    @Flag(
        help: """
            Only warn if other users own, can read or can write the configuration, secrets or the database. The files are not \
            changed.
            """)
    var allowInsecurePermissions = false

    @Flag(
        help: """
            Use an SQLite file on a file system that is not known to be local. If its locks do not hold between machines, a \
            credential can be used twice.
            """)
    var allowNetworkFilesystem = false

    var source: ConfigurationSource {
        if let path { return .file(path: path) }
        if isVariableSet { return .variable(name: Self.variable) }
        let isInstalled = FileManager.default.fileExists(atPath: Self.installed)
        return .file(path: isInstalled ? Self.installed : Self.checkedOut)
    }

    /// That a configuration is there and not read; `nil` if there is none.
    var warningOfIgnoredVariable: String? {
        guard path != nil, isVariableSet else { return nil }
        return "the variable \(Self.variable) is ignored, because --config names a file"
    }

    private var isVariableSet: Bool { ProcessInfo.processInfo.environment[Self.variable] != nil }

    /// The variable with the configuration itself, for platforms without a disk.
    private static let variable = "TOKEN_EXCHANGE_CONFIG"
    static let installed = "/etc/token-exchange/token-exchange.yaml"
    private static let checkedOut = "config/token-exchange.yaml"
    /// The user of the unit of the package.
    static let serverUser = "token-exchange"

    /// Reads the configuration for a command of an operator, who may be root and not the user of the server.
    ///
    /// - Returns: The configuration, and a warning for each file of the installed configuration that root has read and the
    ///   server cannot.
    /// - Throws: As ``load(reading:secrets:)``.
    func loadForOperator() async throws -> (settings: Settings, warnings: [String]) {
        let paths = Mutex<[String]>([])
        let settings = try await load { path throws(SettingsFileError) in
            paths.withLock { if !$0.contains(path) { $0.append(path) } }
            return try SettingsFile.onDisk(path)
        }
        guard geteuid() == 0, source == .file(path: Self.installed) else { return (settings, []) }
        let warnings = paths.withLock(\.self).compactMap { path in
            FileObstacle(reading: path, as: Self.serverUser)
                .map { "the file \(path) \($0.sentence(for: Self.serverUser))" }
        }
        return (settings, warnings)
    }

    /// Reads the configuration.
    ///
    /// Disables memory dumps of this process first, because its memory then contains secrets.
    ///
    /// - Parameters:
    ///   - readFile: Reads files.
    ///   - readSecrets: Reads secrets of Secret Manager.
    /// - Throws: Exit 78, after writing every problem with its line to standard error.
    func load(
        reading readFile: @escaping SettingsLoader.ReadFile = SettingsFile.onDisk,
        secrets readSecrets: SettingsLoader.ReadSecrets = CloudSecrets.read
    ) async throws -> Settings {
        let loader = try loader(readFile)
        do throws(SettingsProblems) {
            return try await loader.load(source, readSecrets: readSecrets)
        } catch {
            throw reason(error)
        }
    }

    /// Reads the configuration without the secrets that are in Secret Manager.
    ///
    /// - Returns: The configuration, in which the keys of these secrets have no value, and the names of the secrets.
    /// - Throws: As ``load(reading:secrets:)``.
    func loadOffline() throws -> (settings: Settings, unread: [CloudSecretName]) {
        let loader = try loader(SettingsFile.onDisk)
        do throws(SettingsProblems) {
            return try loader.loadOffline(source)
        } catch {
            throw reason(error)
        }
    }

    private func loader(_ readFile: @escaping SettingsLoader.ReadFile) throws -> SettingsLoader {
        try ProcessMemory.requireHidden()
        guard
            path != nil || source != .file(path: Self.checkedOut)
                || FileManager.default.fileExists(atPath: Self.checkedOut)
        else {
            throw Exit.because(
                "there is no configuration: neither \(Self.installed) nor \(Self.checkedOut) exists, and the variable "
                    + "\(Self.variable) is not set. Name a file with --config, or make one with token-exchange init",
                Exit.configuration)
        }
        return SettingsLoader(
            environment: ProcessInfo.processInfo.environment,
            allowances: Settings.Allowances(
                insecurePermissions: allowInsecurePermissions, networkFilesystem: allowNetworkFilesystem),
            readFile: readFile)
    }

    private func reason(_ error: SettingsProblems) -> ExitReason {
        Exit.because(
            "\(source) is not a valid configuration:\n" + error.problems.map { "  \($0)" }.joined(separator: "\n"),
            Exit.configuration)
    }
}

/// The options of the subcommands that may create the store.
struct StoreOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Start a new record of used credentials.",
            discussion: """
                Creates the database if it is missing, even if its key file exists. Otherwise discards the store's record of \
                time, which is necessary if the clock was ahead for a while. Everything that was issued before is refused. \
                Use this option for one start only.
                """))
    var newStore = false
}

extension TimeSource {
    /// The machine's clock.
    ///
    /// Only the command line reads it; other components receive a time source.
    static let system = TimeSource.precise { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }
}

extension ProcessMemory {
    /// Hides the memory of this process.
    ///
    /// - Throws: Exit 1 if the kernel does not allow that.
    static func requireHidden() throws {
        guard hide() else {
            throw Exit.because("the kernel does not allow this process to disable its core dumps", Exit.failure)
        }
    }
}

extension UID: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

extension ProviderID: ExpressibleByArgument {
    init(argument: String) { self.init(argument) }
}

extension Subject: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}

/// Numbers with their nouns, for messages.
enum Counted {
    /// Returns `1 account` or `2 accounts`.
    static func of(_ count: some BinaryInteger, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

/// Makes untrusted text safe for a terminal.
enum VisibleText {
    static func of(_ identifier: some OctetIdentifier) -> String { of(identifier.text) }

    /// Escapes control and format characters as `\u{1b}`, so that a claim cannot forge lines or move the cursor.
    static func of(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }
}
