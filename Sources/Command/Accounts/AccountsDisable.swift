internal import ArgumentParser

struct AccountsDisable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Shuts an account out: it signs in no more.",
        discussion: "A token that was minted before is good for as long as it lasts.")

    @OptionGroup var change: DisablingOptions

    func run() async throws {
        try await change.apply(isDisabled: true)
    }
}
