internal import ArgumentParser
internal import Stores

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
