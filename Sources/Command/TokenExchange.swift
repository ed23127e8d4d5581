internal import ArgumentParser
internal import CommandSupport

@main
struct TokenExchange: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token-exchange",
        abstract: "Signs people in to Firebase where Firebase's own SDK cannot.",
        discussion: """
            A credential of Yahoo, X or any OpenID provider goes in; it is verified that it was issued to this deployment; \
            a Firebase custom token comes out.

            Exit codes: 0 done, 1 failed, 64 wrong use of the command line, 78 wrong configuration.
            """,
        version: "token-exchange \(programVersion)",
        subcommands: [
            Serve.self, Mint.self, Inspect.self, Config.self, AccountsCommand.self, Migrate.self,
        ])
}
