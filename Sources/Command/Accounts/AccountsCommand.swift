internal import ArgumentParser

struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Looks after accounts and the identities that are linked to them: for operators.",
        discussion: """
            Works on the store of the configuration, beside a server that runs. With firebase.directory: firebase accounts \
            are Firebase's: nothing is changed from here then, and what is shown is the store's part alone.

            Leaves with 0, with 1 where it was not done, 64 for wrong use, and 78 for a wrong configuration.
            """,
        subcommands: [
            AccountsList.self, AccountsShow.self, AccountsLink.self, AccountsUnlink.self, AccountsMerge.self,
            AccountsDelete.self, AccountsDisable.self, AccountsEnable.self, AccountsExport.self, AccountsImport.self,
            AccountsSweep.self,
        ])
}
