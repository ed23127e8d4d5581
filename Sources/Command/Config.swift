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
        let (settings, ofFiles) = try await loaded()
        // This parses keys. It does not open the store or write files, and uses the network only for Secret Manager.
        _ = try ServiceAccounts.load(settings)
        _ = try GoogleIdentity.credentials(settings.firebase)
        let ofProject = try GoogleIdentity.projectWarning(settings.firebase).map { "firebase: \($0)" }
        let certificate = try ListenerCertificate.load(settings)
        for line in settings.summary {
            print(line)
        }
        let others = [ofProject, options.warningOfIgnoredVariable].compactMap(\.self)
        for warning in settings.warnings.map(\.description) + ofFiles + others {
            print("warning: \(warning)")
        }
        if let warning = certificate?.warning(at: TimeSource.system.now()) {
            print("warning: server.tls: \(warning)")
        }
        print("\(options.source): no problem found")
    }

    private func loaded() async throws -> (settings: Settings, warnings: [String]) {
        guard offline else { return try await options.loadForOperator() }
        let (settings, unread) = try options.loadOffline()
        return (settings, unread.map { "\($0) was not read, because of --offline" })
    }
}
