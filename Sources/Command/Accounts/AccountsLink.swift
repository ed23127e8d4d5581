internal import ArgumentParser
internal import CommandSupport
internal import JOSE
internal import OAuth
internal import Settings
internal import Stores

struct AccountsLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Links an identity to an account without any verification: for operators.",
        discussion: """
            The next sign-in by that identity is a sign-in to that account. An anonymous account is permanent from then \
            on. An identity of another account is not taken from it; unlink it there first.

              token-exchange accounts link abc123 twitter.com 783214
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The account's uid.")
    var uid: String

    @Argument(help: "The provider's id in the configuration, such as twitter.com.")
    var provider: String

    @Argument(help: "Who the person is at the provider: the subject of its tokens, letter for letter.")
    var subject: String

    func validate() throws {
        guard !subject.isEmpty else { throw ValidationError("SUBJECT is empty.") }
    }

    func run() async throws {
        let desk = try await AccountsDesk.open(options)
        defer { desk.close() }
        try desk.requireLocalDirectory()
        guard desk.settings.providers.ids.contains(where: { ProviderID($0) == ProviderID(provider) }) else {
            throw Exit.because(
                "\(VisibleText.of(provider)) is no provider of the configuration, which knows "
                    + desk.settings.providers.ids.joined(separator: ", "), Exit.usage)
        }
        let arrival = IncomingIdentity(
            identity: ExternalIdentity(provider: provider, subject: subject), details: IdentityDetails(), email: nil)
        let decision = try await desk.asking { () throws(StoreError) in
            try await desk.store.link(arrival, to: uid, at: desk.time.now())
        }
        switch decision {
        case .linked(let account): output.write(account)
        case .identityTaken(let other):
            throw Exit.because(
                "that identity is linked to the account \(VisibleText.of(other.uid)); unlink it there first",
                Exit.failure
            )
        case .providerTaken:
            throw Exit.because(
                "the account has another identity of \(VisibleText.of(provider)); unlink that first", Exit.failure)
        case .unknownAccount: throw AccountsDesk.unknown(uid)
        case .refused(let refusal): throw Exit.because(refusal.sentence, Exit.failure)
        }
    }
}
