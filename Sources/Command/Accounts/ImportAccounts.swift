internal import ArgumentParser
internal import JOSE
internal import Jansson
internal import Settings
internal import Standards

struct AccountsImport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Adds accounts from a file of accounts export or firebase auth:export.",
        discussion: """
            FILE contains JSON Lines as accounts export writes them, or the JSON of firebase auth:export. A Firebase user \
            whose uid is provider:id, as in the published samples, is linked to that id, so that its next sign-in gets the \
            old uid. A Firebase user that is already linked to a configured provider is linked here too. Of a password, \
            only its existence is stored.

            That export contains only links of Google, Facebook, X and GitHub, and no second factors. Links of Yahoo, LINE \
            and other providers are missing. With --ask-firebase, links and second factors come from Firebase itself. \
            Without it, a user with only an address in the file is left out, because no sign-in could open such an account, \
            and second factors are not detected, so that custom tokens bypass them.

            An identity of a provider that is not configured is refused, unless --map names the provider that is meant.

            Existing accounts are not changed, so an import can be repeated. Accounts that cannot be added are listed with \
            the reason, and the exit code is then 1.

              firebase auth:export users.json
              token-exchange accounts import users.json --ask-firebase --dry-run
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "JSON Lines, or the JSON of firebase auth:export.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "The name of a provider in the file, and its id in the configuration. May be repeated.",
            discussion: "twitter=twitter.com and yahoo=yahoo.com are built in.", valueName: "name=provider"))
    var map: [String] = []

    @Flag(help: "Also get links and second factors of Firebase users from Identity Toolkit.")
    var askFirebase = false

    @Flag(help: "Only print the result, without adding accounts.")
    var dryRun = false

    func validate() throws {
        _ = try ProviderNames(map, configured: [])
    }

    func run() async throws {
        let session = try await OperatorSession.open(options)
        defer { session.close() }
        guard !session.isFirebaseDirectory else {
            throw Exit.because(
                "firebase.directory is firebase, so accounts are Firebase's users. Import them with firebase auth:import or "
                    + "importUsers of the Firebase Admin SDK, and link their identities with accounts link", Exit.usage)
        }
        let names = try ProviderNames(map, configured: session.settings.providers.ids)
        try names.check(map)
        let importer = AccountImporter(session: session, names: names, isDryRun: dryRun)
        let content = try ImportFile.read(file)
        let summary =
            askFirebase
            ? try await FirebaseUsers.with(session) { try await importer.imported(content, users: $0) }
            : try await importer.imported(content, users: nil)
        summary.write(to: output, isDryRun: dryRun)
        guard summary.conflicts.isEmpty else { throw Exit.failure }
    }
}

/// Maps names of providers in a file to ids of the configuration.
struct ProviderNames: Equatable {
    /// Prefixes of uids in the published Firebase samples that differ from the provider's id.
    private static let samples = ["twitter": ProviderID("twitter.com"), "yahoo": ProviderID("yahoo.com")]

    private let names: [String: ProviderID]
    /// The ids of the configured providers.
    let configured: [ProviderID]

    /// Creates the mapping from pairs `name=provider` of the command line.
    init(_ pairs: [String], configured: [ProviderID]) throws {
        var names = Self.samples.filter { name, _ in !configured.contains(ProviderID(name)) }
        for pair in pairs {
            let sides = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else {
                throw ValidationError("--map has the form NAME=PROVIDER, such as twitter=twitter.com.")
            }
            names[sides[0]] = ProviderID(sides[1])
        }
        (self.names, self.configured) = (names, configured)
    }

    /// - Throws: Exit 64 if a provider of the command line is not configured.
    func check(_ pairs: [String]) throws {
        for pair in pairs {
            let provider = ProviderID(String(pair.drop { $0 != "=" }.dropFirst()))
            guard configured.contains(provider) else {
                throw Exit.because(
                    "--map \(VisibleText.of(pair)): is not configured; use one of \(configured.map(\.text).joined(separator: ", "))",
                    Exit.usage)
            }
        }
    }

    /// Returns the configured provider that a name of the file means; `nil` if it is not configured.
    func provider(of name: String) -> ProviderID? {
        let provider = names[name] ?? ProviderID(name)
        return configured.contains(provider) ? provider : nil
    }

    /// The fault of an identity whose provider is not configured.
    func unknown(_ name: String) -> ImportFault { .unknownProvider(name, configured: configured) }
}

/// The result of an import.
struct ImportSummary {
    struct Conflict {
        let uid: String
        let reason: String
    }

    var added = 0
    /// Accounts that exist with the same identities.
    var skipped = 0
    /// Firebase users without data to import.
    var leftOut = 0
    /// Firebase users among ``leftOut`` whose uid names a provider that is not configured.
    var unknownProviders: [Conflict] = []
    var conflicts: [Conflict] = []

    func write(to output: OutputOptions, isDryRun: Bool) {
        if output.json {
            return output.write(
                "",
                [
                    "added": .integer(Int64(added)), "skipped": .integer(Int64(skipped)),
                    "left_out": .integer(Int64(leftOut)), "unknown_providers": .array(unknownProviders.map(Self.json)),
                    "conflicts": .array(conflicts.map(Self.json)), "dry_run": .bool(isDryRun),
                ])
        }
        for user in unknownProviders {
            print("left out: \(VisibleText.of(user.uid)): \(user.reason)")
        }
        for conflict in conflicts {
            print("conflict: \(VisibleText.of(conflict.uid)): \(conflict.reason)")
        }
        print(
            "\(isDryRun ? "would be added" : "added"): \(added), skipped (already there): \(skipped), "
                + "left out (nothing to link): \(leftOut), conflicts: \(conflicts.count)")
    }

    private static func json(_ entry: Conflict) -> JSON {
        .object(["uid": .string(entry.uid), "reason": .string(entry.reason)])
    }
}
