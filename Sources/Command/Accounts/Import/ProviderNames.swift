internal import ArgumentParser
internal import CommandSupport

/// Which provider of the configuration a name in a file means.
struct ProviderNames: Equatable {
    /// What the published samples of Firebase wrote before the colon, where that is not the provider's id.
    private static let samples = ["twitter": "twitter.com", "yahoo": "yahoo.com"]

    private let names: [String: String]

    /// - `pairs`: `theirs=ours` each, from the command line.
    init(_ pairs: [String]) throws {
        var names = Self.samples
        for pair in pairs {
            let sides = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else {
                throw ValidationError("--map is NAME=PROVIDER, such as twitter=twitter.com.")
            }
            names[sides[0]] = sides[1]
        }
        self.names = names
    }

    /// - Throws: Exit 64 where one of the command line's is not configured.
    func check(_ pairs: [String], among configured: [String]) throws {
        for pair in pairs {
            let provider = String(pair.drop { $0 != "=" }.dropFirst())
            guard configured.contains(provider) else {
                throw Exit.because(
                    "--map \(VisibleText.of(pair)): the configuration knows \(configured.joined(separator: ", "))",
                    Exit.usage)
            }
        }
    }

    func provider(of name: String) -> String { names[name] ?? name }
}
