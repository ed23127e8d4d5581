internal import ArgumentParser
internal import Jansson
internal import Stores

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

/// How a subcommand writes what it found or did.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write JSON, one object a line, instead of text.")
    var json = false

    func write(_ account: StoredAccount) {
        if json { print(AccountRecord.line(account)) } else { AccountTable.show(account) }
    }

    func write(_ sentence: String, _ members: [String: JSON]) {
        print(json ? String(decoding: JSON.object(members).serialized(), as: UTF8.self) : sentence)
    }
}
