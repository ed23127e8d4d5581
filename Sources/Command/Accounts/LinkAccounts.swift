internal import ArgumentParser
internal import CommandSupport
internal import Firebase
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

struct AccountsMerge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Moves all identities of one account to another, and removes the emptied one.",
        discussion: """
            The uid of the removed account is never given again, and its Firebase user is deleted first, if the service \
            account may delete users. Data that applications keep under the uid is theirs to move.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var firebase: FirebaseUserOptions

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
        // What the store would refuse is refused before a Firebase user is deleted.
        let leaving = try await desk.account(from)
        if let refusal = leaving.refusalToMerge(into: try await desk.account(into)) { throw failure(refusal) }
        if !firebase.keepFirebaseUser {
            let firebaseUser = try await FirebaseUsers.asking(desk) { users in
                try await checkMovable(users, besides: Set(desk.settings.providers.ids.map { ProviderID($0) }))
                return try await users.remove(from)
            }
            Exit.say("Firebase user of \(VisibleText.of(from)): \(firebaseUser)")
        }
        let decision = try await desk.asking { () throws(StoreError) in
            try await desk.store.merge(from, into: into, at: desk.time.now())
        }
        guard case .merged(let account) = decision else { throw failure(decision) }
        output.write(account)
    }

    /// Refuses to remove a user whom Firebase lets in by something that would be lost with the account.
    private func checkMovable(_ users: FirebaseUsers, besides providers: Set<ProviderID>) async throws {
        for user in try await users.records(of: [from]) ?? [] {
            guard !user.hasSecondFactor else { throw failure(.refused(.secondFactorEnrolled)) }
            guard user.waysIn.isSubset(of: providers) else { throw failure(.otherWayIn) }
        }
    }

    private func failure(_ decision: MergeDecision) -> ExitCode {
        switch decision {
        case .merged: Exit.because("it was merged", Exit.failure)
        case .providerTaken:
            Exit.because(
                "both accounts have an identity of one provider; unlink one of them first. Nothing was changed",
                Exit.failure)
        case .otherWayIn:
            Exit.because(
                "\(VisibleText.of(from)) can be entered by something that cannot be moved, such as a password",
                Exit.failure)
        case .unknownAccount: Exit.because("one of the two is no account", Exit.failure)
        case .refused(let refusal): Exit.because(refusal.sentence, Exit.failure)
        }
    }
}
