internal import ArgumentParser
internal import Jansson
internal import Stores

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
