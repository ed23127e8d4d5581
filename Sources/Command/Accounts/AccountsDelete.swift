internal import ArgumentParser
internal import JOSE
internal import Jansson
internal import Stores

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
