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

    func run() async throws {
        let (settings, ofFiles) = try options.loadForOperator()
        // This parses keys and reads secrets. It does not open the store, use the network or write files.
        _ = try ServiceAccounts.load(settings)
        _ = try GoogleIdentity.credentials(settings.firebase)
        let ofProject = try GoogleIdentity.projectWarning(settings.firebase).map { "firebase: \($0)" }
        let certificate = try ListenerCertificate.load(settings)
        for line in settings.summary {
            print(line)
        }
        for warning in settings.warnings.map(\.description) + ofFiles + [ofProject].compactMap(\.self) {
            print("warning: \(warning)")
        }
        if let warning = certificate?.warning(at: TimeSource.system.now()) {
            print("warning: server.tls: \(warning)")
        }
        print("\(options.file): no problem found")
    }
}
