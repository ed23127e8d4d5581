internal import ArgumentParser

struct AccountsEnable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Lets a disabled account in again.",
        discussion: "It signs in as before.")

    @OptionGroup var change: DisablingOptions

    func run() async throws {
        try await change.apply(isDisabled: false)
    }
}
