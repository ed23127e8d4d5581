internal import ArgumentParser
internal import Firebase
internal import JOSE
internal import Jansson
internal import Settings
internal import Standards
internal import Stores

struct AccountsDisable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Disables an account, so that it cannot sign in.",
        discussion: "Tokens that were minted before remain valid until they expire.")

    @OptionGroup var change: DisablingOptions

    func run() async throws {
        try await change.apply(isDisabled: true)
    }
}

struct AccountsEnable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Enables a disabled account, so that it can sign in again.")

    @OptionGroup var change: DisablingOptions

    func run() async throws {
        try await change.apply(isDisabled: false)
    }
}

/// The arguments and the action that `disable` and `enable` share.
struct DisablingOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var tenant: TenantOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: .uid)
    var uid: UID

    func apply(isDisabled: Bool) async throws {
        let session = try await OperatorSession.open(options, tenant: tenant)
        defer { session.close() }
        let account = try await session.withDirectory { directory in
            let wasThere = try await session.answer(of: await directory.setDisabled(isDisabled, uid: uid))
            guard wasThere else { throw OperatorSession.unknown(uid) }
            return try await session.account(uid, in: directory)
        }
        output.write(account)
    }
}

struct AccountsDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes an account and its identities.",
        discussion: """
            The uid is never assigned again; the next sign-in with one of the identities creates a new account. The Firebase \
            user of that uid is deleted first, if the service account may delete users. Otherwise delete it in the Firebase \
            console: until then its sessions continue.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var tenant: TenantOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var firebase: FirebaseUserOptions

    @Argument(help: .uid)
    var uid: UID

    @Flag(help: "Confirm the permanent deletion.")
    var yes = false

    func validate() throws {
        guard yes else { throw ValidationError("Deletion cannot be undone. Confirm it with --yes.") }
    }

    func run() async throws {
        let session = try await OperatorSession.open(options, tenant: tenant)
        defer { session.close() }
        try firebase.check(session)
        let firebaseUser =
            session.isFirebaseDirectory ? try await deleteAtFirebase(session) : try await delete(session)
        let advice =
            firebaseUser == "kept" && !firebase.keepFirebaseUser
            ? ", because the service account may not delete users: delete it in the Firebase console" : ""
        output.write(
            "deleted \(VisibleText.of(uid)); Firebase user: \(firebaseUser)\(advice)",
            ["deleted": .string(uid.text), "firebase_user": .string(firebaseUser)])
    }

    /// Deletes the account, which is a Firebase user, and returns what happened to that user.
    private func deleteAtFirebase(_ session: OperatorSession) async throws -> String {
        try await FirebaseUsers.with(session) { users in
            guard let directory = users.directory else { throw OperatorSession.unknown(uid) }
            // Without this check, a mistyped uid would be retired permanently.
            _ = try await session.account(uid, in: directory)
            return try await session.reportingErrors { () throws(StoreError) in
                let hadUser = try await directory.hasUser(uid)
                _ = try await directory.retire(uid: uid, at: session.time.now())
                try await session.store.removeFactors(of: session.factorHolder(uid))
                return hadUser ? "deleted" : "none"
            }
        }
    }

    /// Deletes the Firebase user, unless it is to be kept, and then the account in the store.
    private func delete(_ session: OperatorSession) async throws -> String {
        // Without this check, a mistyped uid would be retired permanently.
        _ = try await session.account(uid, in: session.store)
        let firebaseUser =
            firebase.keepFirebaseUser ? "kept" : try await FirebaseUsers.with(session) { try await $0.remove(uid) }
        let wasThere = try await session.answer(of: await session.store.retire(uid: uid, at: session.time.now()))
        guard wasThere else { throw OperatorSession.unknown(uid) }
        return firebaseUser
    }
}

struct AccountsSweep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Deletes the anonymous accounts whose retention has ended.",
        discussion: """
            The server also does this automatically. Accounts that were linked or adopted, or have another sign-in method \
            here or at Firebase, are kept. Firebase is asked, and Firebase users are deleted, if the service account may do so.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Only print how many accounts would be deleted, and how many anonymous accounts of each age there are.")
    var dryRun = false

    func run() async throws {
        let session = try await OperatorSession.open(options)
        defer { session.close() }
        let now = session.time.now()
        guard !dryRun else {
            return try await showAges(session, at: now)
        }
        let count = try await FirebaseUsers.with(session) { users in
            try await session.answer(of: await AnonymousSweep(session.store, users.anonymous).run(at: now))
        }
        output.write(
            "\(Counted.of(count.removed, "anonymous account")) removed",
            ["removed": .integer(Int64(count.removed)), "firebase_users_kept": .integer(Int64(count.left))])
    }

    private func showAges(_ session: OperatorSession, at now: NumericDate) async throws {
        let bounds = AnonymousAgeText.bounds(with: session.settings.accounts.anonymousRetention)
        let (count, ages) = try await session.reportingErrors { () throws(StoreError) in
            (
                try await session.store.countStaleAnonymous(at: now),
                try await session.store.anonymousAges(bounds, at: now)
            )
        }
        let lines =
            ["\(Counted.of(count, "anonymous account")) would be removed", "anonymous accounts by age:"]
            + ages.map { "  \(AnonymousAgeText.line($0))" }
        output.write(
            lines.joined(separator: "\n"),
            ["would_remove": .integer(Int64(count)), "anonymous_by_age": .array(ages.map(AnonymousAgeText.json))])
    }
}
