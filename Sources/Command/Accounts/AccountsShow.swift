internal import ArgumentParser

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
