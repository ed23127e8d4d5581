internal import ArgumentParser
internal import Settings

struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Looks after the configuration file.", subcommands: [ConfigCheck.self])
}

struct ConfigCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract:
            "Checks the configuration with the secrets and keys that it names, and prints what it found, secrets elided.",
        discussion: "Leaves with 0, or with 78 and every problem at once, each with its line.")

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let settings = try options.load()
        // Keys are parsed and secrets read; nothing is opened, contacted or written.
        _ = try ServiceAccounts.load(settings)
        for line in settings.summary {
            print(line)
        }
        for warning in settings.warnings {
            print("warning: \(warning)")
        }
        print("\(options.file): no problem found")
    }
}
