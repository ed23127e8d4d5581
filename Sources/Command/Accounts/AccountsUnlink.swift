internal import ArgumentParser
internal import CommandSupport
internal import JOSE
internal import Stores

struct AccountsUnlink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Takes the identity of one provider from an account.",
        discussion: "The next sign-in by it makes a new account. The last way into an account is not taken away.")

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The account's uid.")
    var uid: String

    @Argument(help: "The provider's id.")
    var provider: String

    func run() async throws {
        let desk = try await AccountsDesk.open(options)
        defer { desk.close() }
        try desk.requireLocalDirectory()
        let decision = try await desk.asking { () throws(StoreError) in
            try await desk.store.unlink(provider: provider, from: uid, at: desk.time.now())
        }
        switch decision {
        case .unlinked(let account): output.write(account)
        case .notLinked:
            throw Exit.because("the account has no identity of \(VisibleText.of(provider))", Exit.failure)
        case .lastIdentity:
            throw Exit.because(
                "nobody would get into the account again; link another identity first, or delete the account",
                Exit.failure)
        case .unknownAccount: throw AccountsDesk.unknown(uid)
        }
    }
}
