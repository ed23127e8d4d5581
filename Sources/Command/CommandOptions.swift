internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import JOSE
internal import OperatingSystem
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

    @Flag(
        help: """
            Use files that other users can read or write, or that belong to them: the configuration, secrets, the database. \
            Names the risk; repairs nothing.
            """)
    var allowInsecurePermissions = false

    @Flag(
        help: """
            Use an SQLite file on a file system that is not known to be local. If its locks do not hold between machines, a \
            credential can be used twice.
            """)
    var allowNetworkFilesystem = false

    var file: String {
        if let path { return path }
        let installed = "/etc/token-exchange/token-exchange.yaml"
        return FileManager.default.fileExists(atPath: installed) ? installed : "config/token-exchange.yaml"
    }

    /// Reads the configuration, after this process was made unable to dump its memory, which holds secrets from then
    /// on.
    ///
    /// - Throws: Exit 78, after every problem was written to standard error, each with its line.
    func load() throws -> Settings {
        guard ProcessMemory.hide() else {
            throw Exit.because("the kernel refuses to keep core dumps of this process off", Exit.failure)
        }
        let loader = SettingsLoader(
            environment: ProcessInfo.processInfo.environment,
            allowances: Settings.Allowances(
                insecurePermissions: allowInsecurePermissions, networkFilesystem: allowNetworkFilesystem))
        do {
            return try loader.load(path: file)
        } catch {
            throw Exit.because(
                "\(file) is not a configuration that can be used:\n"
                    + error.problems.map { "  \($0)" }.joined(separator: "\n"), Exit.configuration)
        }
    }
}

/// What an operator says about the store, for the subcommands that may make it.
struct StoreOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Begin to record anew what is used.",
            discussion: """
                Makes the database if it is missing, even if its key file is there. Otherwise it forgets until when the \
                store has watched, which helps after the clock was ahead for a while. What was issued before is refused. Use \
                it for one start.
                """))
    var newStore = false
}

extension TimeSource {
    /// The machine's clock.
    ///
    /// Nothing below the command line reads it.
    static let system = TimeSource.precise { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) }
}

/// Text of a stranger's, fit for a terminal.
enum VisibleText {
    /// Control and format characters as `\u{1b}`: a claim shall not draw a line of its own, or move the cursor.
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
