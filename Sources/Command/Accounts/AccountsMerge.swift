internal import ArgumentParser
internal import JOSE
internal import Stores

struct AccountsMerge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Moves all identities of one account to another, and removes the emptied one.",
        discussion: """
            The uid of the removed account is nobody's for good. Data that applications keep under it is theirs to move.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The uid of the account that goes.")
    var from: String

    @Argument(help: "The uid of the account that stays.")
    var into: String

    func validate() throws {
        guard !from.utf8.elementsEqual(into.utf8) else { throw ValidationError("FROM and INTO are one account.") }
    }

    func run() async throws {
        let desk = try await AccountsDesk.open(options)
        defer { desk.close() }
        try desk.requireLocalDirectory()
        let decision = try await desk.asking { () throws(StoreError) in
            try await desk.store.merge(from, into: into, at: desk.time.now())
        }
        switch decision {
        case .merged(let account): output.write(account)
        case .providerTaken:
            throw Exit.because(
                "both accounts have an identity of one provider; unlink one of them first. Nothing was changed",
                Exit.failure)
        case .otherWayIn:
            throw Exit.because(
                "\(VisibleText.of(from)) can be entered by something that cannot be moved, such as a password",
                Exit.failure)
        case .unknownAccount: throw Exit.because("one of the two is no account", Exit.failure)
        case .refused(let refusal): throw Exit.because(refusal.sentence, Exit.failure)
        }
    }
}
