internal import ArgumentParser
internal import JOSE
internal import Jansson
internal import Stores

struct AccountsSweep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Removes the anonymous accounts that have come to their end.",
        discussion: """
            The server does so by itself. Never one that was linked or adopted, or has another way in.
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
        var count = 0
        while true {
            let uids = try await desk.asking { () throws(StoreError) in
                try await desk.store.sweepAnonymous(at: now, atMost: 500)
            }
            count += uids.count
            guard uids.count == 500 else { break }
        }
        output.write("\(count) anonymous accounts removed", ["removed": .integer(Int64(count))])
    }
}
