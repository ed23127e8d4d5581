internal import ArgumentParser
internal import JOSE
internal import Jansson
internal import Stores

struct AccountsDisable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Shuts an account out: it signs in no more.",
        discussion: "A token that was minted before is good for as long as it lasts.")

    @OptionGroup var change: DisablingOptions

    func run() async throws {
        try await change.apply(isDisabled: true)
    }
}

struct AccountsEnable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Lets a disabled account in again.",
        discussion: "It signs in as before.")

    @OptionGroup var change: DisablingOptions

    func run() async throws {
        try await change.apply(isDisabled: false)
    }
}

/// What disabling and enabling ask for alike.
struct DisablingOptions: ParsableArguments {
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The account's uid.")
    var uid: String

    func apply(isDisabled: Bool) async throws {
        let desk = try await AccountsDesk.open(options)
        defer { desk.close() }
        try desk.requireLocalDirectory()
        let wasThere = try await desk.asking { () throws(StoreError) in
            try await desk.store.setDisabled(isDisabled, uid: uid)
        }
        guard wasThere else { throw AccountsDesk.unknown(uid) }
        output.write(try await desk.account(uid))
    }
}

struct AccountsDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Removes an account and its identities.",
        discussion: """
            The uid is never given again; the next sign-in by one of the identities makes a new account. The Firebase user \
            of that uid is deleted first, if the service account may delete users; otherwise delete it in the Firebase \
            console, or its tokens stay good for as long as they last.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var firebase: FirebaseUserOptions

    @Argument(help: "The account's uid.")
    var uid: String

    @Flag(help: "Yes, for good.")
    var yes = false

    func validate() throws {
        guard yes else { throw ValidationError("Deletion cannot be undone: say --yes.") }
    }

    func run() async throws {
        let desk = try await AccountsDesk.open(options)
        defer { desk.close() }
        try desk.requireLocalDirectory()
        // A uid that was mistyped would be retired for good.
        _ = try await desk.account(uid)
        let firebaseUser =
            firebase.keepFirebaseUser ? "kept" : try await FirebaseUsers.asking(desk) { try await $0.remove(uid) }
        let wasThere = try await desk.asking { () throws(StoreError) in
            try await desk.store.retire(uid: uid, at: desk.time.now())
        }
        guard wasThere else { throw AccountsDesk.unknown(uid) }
        output.write(
            "deleted \(VisibleText.of(uid)); Firebase user: \(firebaseUser)",
            ["deleted": .string(uid), "firebase_user": .string(firebaseUser)])
    }
}

struct AccountsSweep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Removes the anonymous accounts that have come to their end.",
        discussion: """
            The server does so by itself. Never one that was linked or adopted, or has another way in, here or at Firebase, \
            which is asked if the service account may ask. Their Firebase users are deleted if it may delete users.
            """)

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Only say how many it would be.")
    var dryRun = false

    func run() async throws {
        let desk = try await AccountsDesk.open(options)
        defer { desk.close() }
        let now = desk.time.now()
        guard !dryRun else {
            let count = try await desk.asking { () throws(StoreError) in
                try await desk.store.countStaleAnonymous(at: now)
            }
            return output.write(
                "\(count) anonymous accounts would be removed", ["would_remove": .integer(Int64(count))])
        }
        try desk.requireLocalDirectory()
        let count = try await FirebaseUsers.asking(desk) { users in
            try await desk.asking { () throws(StoreError) in
                try await AnonymousSweep(desk.store, users.anonymous).run(at: now)
            }
        }
        output.write(
            "\(count.removed) anonymous accounts removed",
            ["removed": .integer(Int64(count.removed)), "firebase_users_kept": .integer(Int64(count.left))])
    }
}
