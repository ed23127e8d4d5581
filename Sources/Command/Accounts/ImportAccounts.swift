internal import ArgumentParser
internal import CommandSupport
internal import Jansson
internal import Settings

struct AccountsImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds accounts from a file: of accounts export, or of Firebase.",
        discussion: """
            FILE is JSON Lines as accounts export writes them, or the JSON of firebase auth:export. Of Firebase's users \
            those named provider:id, as the published samples name them, are linked to that id, so that its next sign-in \
            gets the old uid; so are those that are linked to a configured provider already. Of a password it is kept that \
            there is one, and nothing else.
            That export holds links of Google, Facebook, X and GitHub only, and no second factors: a user who signs in \
            natively with Yahoo, LINE or another provider has none in it. With --ask-firebase links and second factors come \
            from Firebase itself. Without it, a user of whom the file says nothing but an address is left out, since no \
            sign-in could ever open such an account; and a second factor is not seen, which a custom token passes by.

            Nothing that is there is changed, so an import may be repeated. Accounts that cannot be added are named with \
            the reason, and the exit code is 1.

              firebase auth:export users.json
              token-exchange accounts import users.json --ask-firebase --dry-run
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "JSON Lines, or the JSON of firebase auth:export.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "What a provider is called in Firebase's file, and in the configuration. May be repeated.",
            discussion: "twitter=twitter.com and yahoo=yahoo.com need not be named.", valueName: "name=provider"))
    var map: [String] = []

    @Flag(help: "Take links and second factors of Firebase's users from Identity Toolkit as well.")
    var askFirebase = false

    @Flag(help: "Only say what would come of it.")
    var dryRun = false

    func validate() throws {
        _ = try ProviderNames(map)
    }

    func run() async throws {
        let desk = try await AccountsDesk.open(options)
        defer { desk.close() }
        try desk.requireLocalDirectory()
        let names = try ProviderNames(map)
        try names.check(map, among: desk.settings.providers.ids)
        let importer = AccountImporter(desk: desk, names: names, isDryRun: dryRun)
        let content = try ImportFile.read(file)
        let summary =
            askFirebase
            ? try await FirebaseUsers.asking(desk) { try await importer.imported(content, asking: $0) }
            : try await importer.imported(content, asking: nil)
        summary.write(to: output, isDryRun: dryRun)
        guard summary.conflicts.isEmpty else { throw Exit.failure }
    }
}

/// Which provider of the configuration a name in a file means.
struct ProviderNames: Equatable {
    /// What the published samples of Firebase wrote before the colon, where that is not the provider's id.
    private static let samples = ["twitter": "twitter.com", "yahoo": "yahoo.com"]

    private let names: [String: String]

    /// - `pairs`: `theirs=ours` each, from the command line.
    init(_ pairs: [String]) throws {
        var names = Self.samples
        for pair in pairs {
            let sides = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else {
                throw ValidationError("--map is NAME=PROVIDER, such as twitter=twitter.com.")
            }
            names[sides[0]] = sides[1]
        }
        self.names = names
    }

    /// - Throws: Exit 64 where one of the command line's is not configured.
    func check(_ pairs: [String], among configured: [String]) throws {
        for pair in pairs {
            let provider = String(pair.drop { $0 != "=" }.dropFirst())
            guard configured.contains(provider) else {
                throw Exit.because(
                    "--map \(VisibleText.of(pair)): the configuration knows \(configured.joined(separator: ", "))",
                    Exit.usage)
            }
        }
    }

    func provider(of name: String) -> String { names[name] ?? name }
}

/// What an import came to.
struct ImportSummary {
    struct Conflict {
        let uid: String
        let reason: String
    }

    var added = 0
    /// Already there, with the same identities.
    var skipped = 0
    /// Users of Firebase without anything to keep.
    var leftOut = 0
    var conflicts: [Conflict] = []

    func write(to output: OutputOptions, isDryRun: Bool) {
        if output.json {
            let conflicts = conflicts.map { JSON.object(["uid": .string($0.uid), "reason": .string($0.reason)]) }
            return output.write(
                "",
                [
                    "added": .integer(Int64(added)), "skipped": .integer(Int64(skipped)),
                    "left_out": .integer(Int64(leftOut)), "conflicts": .array(conflicts), "dry_run": .bool(isDryRun),
                ])
        }
        for conflict in conflicts {
            print("conflict: \(VisibleText.of(conflict.uid)): \(conflict.reason)")
        }
        print(
            "\(isDryRun ? "would be added" : "added"): \(added), skipped (already there): \(skipped), "
                + "left out (nothing to link): \(leftOut), conflicts: \(conflicts.count)")
    }
}
