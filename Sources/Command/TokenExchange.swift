internal import ArgumentParser
internal import Settings

@main
struct TokenExchange: Program {
    static let configuration = CommandConfiguration(
        commandName: "token-exchange",
        abstract: "Signs users in to Firebase on platforms where the Firebase SDK cannot.",
        discussion: """
            Accepts a credential of Yahoo, X or any OpenID provider, verifies that it was issued to this deployment, and \
            returns a Firebase custom token.

            Exit codes: 0 done, 1 failed, 2 something to do (doctor, migrate --check), 64 wrong command line, 78 wrong \
            configuration.
            """,
        version: "token-exchange \(programVersion)",
        subcommands: [
            Initialize.self, Serve.self, Signer.self, Health.self, Sweep.self, Doctor.self, Mint.self, Inspect.self,
            Config.self, Keys.self, ProvidersCommand.self, AccountsCommand.self,
            Backup.self, Restore.self, Migrate.self,
        ])
}
