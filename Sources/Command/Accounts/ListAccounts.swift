internal import ArgumentParser

struct AccountsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists all accounts, in the order of their uids.")

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let desk = try await AccountsDesk.open(options)
        defer { desk.close() }
        desk.noteDirectory()
        var table = AccountTable()
        try await desk.eachPage { page in
            if output.json {
                for account in page { print(AccountRecord.line(account)) }
            } else {
                table.show(page)
            }
        }
    }
}

struct AccountsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows one account and its identities.")

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The account's uid.")
    var uid: String

    func run() async throws {
        let desk = try await AccountsDesk.open(options)
        defer { desk.close() }
        desk.noteDirectory()
        output.write(try await desk.account(uid))
    }
}

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
