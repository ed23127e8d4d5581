import Settings

/// The configuration file.
enum ConfigurationTarget {
    private static let environment = ["CLIENT_SECRET": "a secret of the environment", "X_SECRET": "another of them"]

    static func check(_ input: [UInt8]) {
        guard let yaml = String(validating: input, as: UTF8.self) else { return }
        let loader = SettingsLoader(environment: environment) { _ throws(SettingsFileError) in throw .missing }
        do throws(SettingsProblems) {
            let settings = try loader.parse(yaml: yaml)
            demand(!settings.clients.isEmpty, "there is a client")
            check(settings.warnings, in: yaml)
            // The limits of a number hold for each of its spellings.
            demand((1...1_000_000).contains(settings.server.maximumInFlight), "a number is within its bounds")
        } catch {
            demand(!error.problems.isEmpty, "a refused file has a problem")
            check(error.problems, in: yaml)
        }
    }

    private static func check(_ problems: [SettingsProblem], in yaml: String) {
        // YAML 1.2 §5.4: a carriage return ends a line as well; with YAML 1.1 so do these three.
        let breaks: Set<Unicode.Scalar> = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]
        let lines = yaml.unicodeScalars.count(where: breaks.contains) + 2
        for problem in problems {
            demand(problem.line.map { (0...lines).contains($0) } ?? true, "the line of a problem is in the file")
            demand(!problem.message.isEmpty, "a problem has a message")
            for secret in environment.values {
                demand(!problem.description.contains(secret), "no message contains a secret")
            }
        }
    }
}
