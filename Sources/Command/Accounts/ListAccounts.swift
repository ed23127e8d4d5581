internal import ArgumentParser
internal import Standards

struct AccountsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists all accounts, in the order of their uids.",
        discussion: """
            With firebase.directory: firebase, all users of Firebase are listed, in Firebase's order. After them follow \
            anonymous accounts whose application has not signed in at Firebase yet.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var tenant: TenantOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let session = try await OperatorSession.open(options, tenant: tenant)
        defer { session.close() }
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
    @OptionGroup var tenant: TenantOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: .uid)
    var uid: UID

    func run() async throws {
        let session = try await OperatorSession.open(options, tenant: tenant)
        defer { session.close() }
        output.write(try await session.withDirectory { try await session.account(uid, in: $0) })
    }
}

extension ArgumentHelp {
    /// The help for the uid of an account, which the argument parser also prints if it takes the uid as an option.
    static var uid: ArgumentHelp {
        "The account's uid, 1 to 128 characters. If it begins with a hyphen, write all options first, and -- before it."
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
    @OptionGroup var tenant: TenantOptions

    @Flag(help: "Accepted for consistency; the output is always JSON Lines.")
    var json = false

    func run() async throws {
        let session = try await OperatorSession.open(options, tenant: tenant)
        defer { session.close() }
        try await session.eachPage { page in
            for account in page { print(AccountRecord.line(account)) }
        }
    }
}
