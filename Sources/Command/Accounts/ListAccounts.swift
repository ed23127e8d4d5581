internal import ArgumentParser

struct AccountsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists all accounts, in the order of their uids.")

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let session = try await OperatorSession.open(options)
        defer { session.close() }
        session.noteDirectory()
        var table = AccountTable()
        try await session.eachPage { page in
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
        let session = try await OperatorSession.open(options)
        defer { session.close() }
        session.noteDirectory()
        output.write(try await session.account(uid))
    }
}

struct AccountsExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes all accounts as JSON Lines to standard output, for accounts import.",
        discussion: """
            The output contains names and e-mail addresses of users, so keep it private. It contains no secrets.

              token-exchange accounts export > accounts.jsonl
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Accepted for consistency; the output is always JSON Lines.")
    var json = false

    func run() async throws {
        let session = try await OperatorSession.open(options)
        defer { session.close() }
        session.noteDirectory()
        try await session.eachPage { page in
            for account in page { print(AccountRecord.line(account)) }
        }
    }
}
