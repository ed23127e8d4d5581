internal import ArgumentParser
internal import CommandSupport
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
