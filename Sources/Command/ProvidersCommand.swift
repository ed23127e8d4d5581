internal import ArgumentParser
internal import Providers
internal import Settings
internal import Standards

struct ProvidersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "Lists the providers that this program knows, and shows what it knows.",
        subcommands: [ListProviders.self, ShowProvider.self], defaultSubcommand: ListProviders.self)
}

struct ListProviders: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the ids of the known providers.",
        discussion:
            "Every other provider of OpenID Connect or OAuth 2.0 needs only configuration; the guide says which keys.")

    func run() {
        for template in Settings.Providers.templates {
            print("\(template.id.text.padded(to: 14))  \(template.name.padded(to: 10))  \(template.protocols)")
        }
    }
}

struct ShowProvider: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows where to register at a provider, what to write, and which values the program contains.")

    @Argument(help: "The id of a provider, such as github.com.")
    var id: String

    @Option(
        name: .customLong("public-url"),
        help: ArgumentHelp("The public URL of the server, server.public_url of its configuration.", valueName: "url"))
    var publicURL = "https://auth.example.com"

    func run() throws {
        guard let template = Settings.Providers.template(id) else {
            throw Exit.because(Settings.Providers.absence(of: id), Exit.usage)
        }
        print("Register an application of \(template.name) at \(template.console)")
        print("with this redirect URI:\n\n    \(publicURL)/callback/\(id)\n")
        print("Write in the configuration:\n\n    providers:\n      \(id):")
        for line in template.example + template.alternative { print("        \(line)") }
        print("\nThe program contains these values, which the configuration can replace:\n")
        for line in template.values { print("    \(line)") }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
