internal import ArgumentParser
internal import JOSE
internal import Jansson
internal import Stores

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
