internal import ArgumentParser
internal import JOSE
internal import Settings

struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Checks the configuration file.", subcommands: [ConfigCheck.self])
}

struct ConfigCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract:
            "Checks the configuration and the secrets and keys that it names, and prints the settings without secrets.",
        discussion: "Exit codes: 0 if it is valid; 78 otherwise, with the problems that it found, and their lines.")

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Do not read the secrets of Secret Manager (gcp-secret:), which needs the network.")
    var offline = false

    func run() async throws {
        let (settings, warnings) = try await options.check(offline: offline)
        for line in settings.summary {
            print(line)
        }
        for warning in warnings {
            print("warning: \(warning)")
        }
        print("\(options.source): no problem found")
    }
}

extension ConfigurationOptions {
    /// Reads the configuration, and parses the keys and certificates that it names.
    ///
    /// It does not open the store or write files, and uses the network only for Secret Manager.
    ///
    /// - Parameter offline: Whether the secrets of Secret Manager are left out.
    /// - Returns: The configuration, and what the operator should change.
    /// - Throws: Exit 78.
    func check(offline: Bool) async throws -> (settings: Settings, warnings: [String]) {
        let (settings, ofFiles) = try await loaded(offline: offline)
        _ = try ServiceAccounts.load(settings)
        _ = try GoogleIdentity.credentials(settings.firebase)
        let ofProject = try GoogleIdentity.projectWarning(settings.firebase).map { "firebase: \($0)" }
        let ofCertificate = try ListenerCertificate.load(settings)?.warning(at: TimeSource.system.now())
            .map { "server.tls: \($0)" }
        let others = [ofProject, warningOfIgnoredVariable, ofCertificate].compactMap(\.self)
        return (settings, settings.warnings.map(\.description) + ofFiles + others)
    }

    private func loaded(offline: Bool) async throws -> (settings: Settings, warnings: [String]) {
        guard offline else { return try await loadForOperator() }
        let (settings, unread) = try loadOffline()
        return (settings, unread.map { "\($0) was not read, because of --offline" })
    }
}
