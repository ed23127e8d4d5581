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
