/// One error or warning about the configuration.
///
/// It never contains values of the file, only names: keys, variables, paths, clients and providers.
package struct SettingsProblem: Sendable, Equatable {
    /// The line, counted from 1; `nil` if the cause is not a line: a missing section, or the environment.
    package let line: Int?
    /// The dotted path, such as `providers.yahoo.com.client_id` or `seal_keys[0]`; empty for the file as a whole.
    package let key: String
    /// The problem and what to write instead, without a full stop.
    package let message: String

    package init(line: Int?, key: String, message: String) {
        self.line = line
        self.key = key
        self.message = message
    }
}

extension SettingsProblem: CustomStringConvertible {
    package var description: String {
        [line.map { "line \($0)" }, key.isEmpty ? nil : key, message].compactMap(\.self).joined(separator: ": ")
    }
}

/// All problems of a configuration, sorted by line; problems without a line come first.
package struct SettingsProblems: Error, Sendable, Equatable {
    package let problems: [SettingsProblem]

    package init(_ problems: [SettingsProblem]) {
        self.problems = problems.sorted { ($0.line ?? 0, $0.key, $0.message) < ($1.line ?? 0, $1.key, $1.message) }
    }
}

extension SettingsProblems: CustomStringConvertible {
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
