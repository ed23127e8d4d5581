internal import ArgumentParser
internal import Jansson
internal import Stores

struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Lists and changes accounts and their linked identities, for operators.",
        discussion: """
            Uses the store of the configuration, also while a server is running. With firebase.directory: firebase, accounts \
            are Firebase's users, and these commands show and change them through Identity Toolkit; only import is refused. \
            The service account then needs the role Firebase Authentication Admin.

            Exit codes: 0 done, 1 not done, 64 wrong command line, 78 wrong configuration.
            """,
        subcommands: [
            AccountsList.self, AccountsShow.self, AccountsLink.self, AccountsUnlink.self, AccountsMerge.self,
            AccountsDelete.self, AccountsDisable.self, AccountsEnable.self, AccountsFactors.self, AccountsExport.self,
            AccountsImport.self, AccountsSweep.self,
        ])
}

/// The output format of a subcommand.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write JSON, one object per line, instead of text.")
    var json = false

    func write(_ account: StoredAccount) {
        if json { print(AccountRecord.line(account)) } else { AccountTable.show(account) }
    }

    func write(_ sentence: String, _ members: [String: JSON]) {
        print(json ? String(decoding: JSON.object(members).serialized(), as: UTF8.self) : sentence)
    }
}
