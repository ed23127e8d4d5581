internal import ArgumentParser
internal import Firebase
internal import JOSE
internal import Settings
internal import Standards
internal import Stores

struct AccountsLink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Links an identity to an account without any verification, for operators.",
        discussion: """
            The next sign-in with that identity signs in to that account. An anonymous account becomes permanent. An \
            identity of another account is not moved; unlink it there first.

            With --replace the account loses its identity of the same provider in the same step, also if it has no other, and \
            keeps its address. Use it if the provider's ids of users have changed, as with a new client id or team.

              token-exchange accounts link abc123 twitter.com 783214
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var tenant: TenantOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: .uid)
    var uid: UID

    @Argument(help: "The provider's id in the configuration, such as twitter.com.")
    var provider: ProviderID

    @Argument(help: "The user's id at the provider: the subject of its tokens, exactly as there.")
    var subject: Subject

    @Flag(help: "Put the identity in the place of the one of the same provider.")
    var replace = false

    func run() async throws {
        let session = try await OperatorSession.open(options, tenant: tenant)
        defer { session.close() }
        if replace, session.isFirebaseDirectory {
            throw Exit.because(
                "--replace: firebase.directory is firebase, so the identity is Firebase's. Remove it with the Firebase Admin "
                    + "SDK, updateUser(uid, {providersToUnlink: [...]}), and then leave this option out", Exit.usage)
        }
        guard session.settings.providers.ids.contains(provider) else {
            throw Exit.because(
                "\(VisibleText.of(provider)) is not a provider of the configuration; use one of "
                    + session.settings.providers.ids.map(\.text).joined(separator: ", "), Exit.usage)
        }
        let identity = IncomingIdentity(
            identity: ExternalIdentity(provider: provider, subject: subject), details: IdentityDetails(), email: nil)
        let decision: LinkDecision
        if replace {
            for old in try await session.account(uid, in: session.store).identities.map(\.identity)
            where old.provider == provider && old.subject != subject {
                Exit.say("identity until now: \(VisibleText.of(provider)) \(VisibleText.of(old.subject))")
            }
            decision = try await session.answer(
                of: await session.store.replace(identity, of: uid, at: session.time.now()))
        } else {
            decision = try await session.withDirectory { directory in
                try await session.answer(of: await directory.link(identity, to: uid, at: session.time.now()))
            }
        }
        switch decision {
        case .linked(let account): output.write(account)
        case .identityTaken(let other):
            throw Exit.because(
                "that identity is linked to the account \(VisibleText.of(other.uid)): unlink it there first. If that account "
                    + "has no other sign-in method, merge it into this one with accounts merge \(VisibleText.of(other.uid)) "
                    + "\(VisibleText.of(uid)), or delete it", Exit.failure)
        case .providerTaken:
            throw Exit.because(
                "the account has another identity of \(VisibleText.of(provider)): put this one in its place with --replace, or "
                    + "unlink that one first", Exit.failure)
        case .unknownAccount: throw OperatorSession.unknown(uid)
        case .refused(let refusal): throw Exit.because(refusal.sentence, Exit.failure)
        }
    }
}

struct AccountsUnlink: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Removes the identity of one provider from an account.",
        discussion:
            "The next sign-in with it creates a new account. The last sign-in method of an account is not removed.")

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var tenant: TenantOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: .uid)
    var uid: UID

    @Argument(help: "The provider's id.")
    var provider: ProviderID

    func run() async throws {
        let session = try await OperatorSession.open(options, tenant: tenant)
        defer { session.close() }
        let decision = try await session.withDirectory { directory in
            try await session.answer(of: await directory.unlink(provider: provider, from: uid, at: session.time.now()))
        }
        switch decision {
        case .unlinked(let account): output.write(account)
        case .notLinked:
            throw Exit.because(
                "the account has no identity of \(VisibleText.of(provider))\(hint(session))", Exit.failure)
        case .lastIdentity:
            throw Exit.because(
                "this is the last sign-in method of the account; link an identity of another provider first, put another one of "
                    + "this provider in its place with accounts link --replace, or delete the account", Exit.failure)
        case .refused(let refusal): throw Exit.because(refusal.sentence, Exit.failure)
        case .unknownAccount: throw OperatorSession.unknown(uid)
        }
    }

    /// The advice, which for a provider that only Firebase manages, such as `password`, is another one.
    private func hint(_ session: OperatorSession) -> String {
        guard session.isFirebaseDirectory,
            !session.settings.providers.ids.contains(provider)
        else { return ": accounts show lists those that it has" }
        return " that this server manages, because it is not a provider of the configuration. Unlink it with the "
            + "Firebase Admin SDK: updateUser(uid, {providersToUnlink: [...]})"
    }
}

struct AccountsMerge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Moves all identities of one account to another, and deletes the first one.",
        discussion: """
            The uid of the deleted account is never assigned again. Its Firebase user is deleted first, if the service \
            account may delete users. Applications have to move their own data from one uid to the other.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var tenant: TenantOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var firebase: FirebaseUserOptions

    @Argument(help: "The uid of the account that is deleted.")
    var from: UID

    @Argument(help: "The uid of the account that remains.")
    var into: UID

    func validate() throws {
        guard from != into else {
            throw ValidationError("FROM and INTO are the same account. Name two accounts.")
        }
    }

    func run() async throws {
        let session = try await OperatorSession.open(options, tenant: tenant)
        defer { session.close() }
        try firebase.check(session)
        // The identities would sign in to the other account without the second factor.
        guard try await session.factors(of: from).confirmed.isEmpty else {
            throw Exit.because(
                "\(VisibleText.of(from)) has a second factor, which would be lost; merge the other way, or remove it with "
                    + "accounts factors --remove-all", Exit.failure)
        }
        let account = session.isFirebaseDirectory ? try await mergeAtFirebase(session) : try await merge(session)
        output.write(account)
    }

    private func mergeAtFirebase(_ session: OperatorSession) async throws -> StoredAccount {
        let decision = try await session.withDirectory { directory in
            try await session.answer(of: await directory.merge(from, into: into, at: session.time.now()))
        }
        guard case .merged(let account) = decision else { throw failure(decision) }
        Exit.say("Firebase user of \(VisibleText.of(from)): deleted")
        return account
    }

    private func merge(_ session: OperatorSession) async throws -> StoredAccount {
        // Check the store's rules before a Firebase user is deleted.
        let leaving = try await session.account(from, in: session.store)
        if let refusal = leaving.refusalToMerge(into: try await session.account(into, in: session.store)) {
            throw failure(refusal)
        }
        if !firebase.keepFirebaseUser {
            let firebaseUser = try await FirebaseUsers.with(session) { users in
                try await checkMovable(users, besides: Set(session.settings.providers.ids))
                return try await users.remove(from)
            }
            Exit.say("Firebase user of \(VisibleText.of(from)): \(firebaseUser)")
        }
        let decision = try await session.answer(of: await session.store.merge(from, into: into, at: session.time.now()))
        guard case .merged(let account) = decision else { throw failure(decision) }
        return account
    }

    /// Refuses to delete a Firebase user with a second factor, or with a sign-in method that cannot be moved.
    private func checkMovable(_ users: FirebaseUsers, besides providers: Set<ProviderID>) async throws {
        for user in try await users.records(of: [from]) ?? [] {
            guard !user.hasSecondFactor else { throw failure(.refused(.secondFactorEnrolled)) }
            guard user.signInMethods.isSubset(of: providers) else { throw failure(.otherSignInMethod) }
        }
    }

    private func failure(_ decision: MergeDecision) -> ExitReason {
        switch decision {
        case .merged: Exit.because("it was merged", Exit.failure)
        case .providerTaken:
            Exit.because(
                "both accounts have an identity of one provider, as accounts show shows; unlink one of them first. If it is the last "
                    + "sign-in method, delete \(VisibleText.of(from)), and use accounts link --replace with its identity if it is "
                    + "the one to keep. Nothing was changed", Exit.failure)
        case .otherSignInMethod:
            Exit.because(
                "\(VisibleText.of(from)) has a sign-in method that cannot be moved, such as a password; merge the other way",
                Exit.failure)
        case .hasFactor:
            Exit.because(
                "\(VisibleText.of(from)) has a second factor, which would be lost; merge the other way, or remove it with accounts "
                    + "factors --remove-all", Exit.failure)
        case .unknownAccount:
            Exit.because("one of the two accounts does not exist: accounts list shows the uids", Exit.failure)
        case .refused(let refusal): Exit.because(refusal.sentence, Exit.failure)
        }
    }
}
