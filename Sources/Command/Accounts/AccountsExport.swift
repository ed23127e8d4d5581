internal import ArgumentParser

struct AccountsExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes all accounts as JSON Lines to standard output, for accounts import.",
        discussion: """
            Holds names and e-mail addresses of people: keep it from others. It holds no secret.

              token-exchange accounts export > accounts.jsonl
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "JSON Lines is what it always writes.")
    var json = false

    func run() async throws {
        let desk = try await AccountsDesk.open(options)
        defer { desk.close() }
        desk.noteDirectory()
        try await desk.eachPage { page in
            for account in page { print(AccountRecord.line(account)) }
        }
    }
}
