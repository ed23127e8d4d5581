internal import ArgumentParser
internal import Foundation
internal import Settings

/// Where the configuration is, for every subcommand that reads it.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration file.",
            discussion: "By default /etc/token-exchange/token-exchange.yaml, or else config/token-exchange.yaml.",
            valueName: "file"))
    var path: String?

    @Flag(help: "Take secrets from files that other users can read. Names the risk; repairs nothing.")
    var allowInsecurePermissions = false

    var file: String {
        if let path { return path }
        let installed = "/etc/token-exchange/token-exchange.yaml"
        return FileManager.default.fileExists(atPath: installed) ? installed : "config/token-exchange.yaml"
    }

    /// - Throws: Exit 78, after every problem was written to standard error, each with its line.
    func load() throws -> Settings {
        let loader = SettingsLoader(
            environment: ProcessInfo.processInfo.environment, allowInsecurePermissions: allowInsecurePermissions)
        do {
            return try loader.load(path: file)
        } catch {
            throw Exit.because(
                "\(file) is not a configuration that can be used:\n"
                    + error.problems.map { "  \($0)" }.joined(separator: "\n"), Exit.configuration)
        }
    }
}
