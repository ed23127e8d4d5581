/// One thing that is wrong with the configuration, or worth a warning.
///
/// It never holds what stands in the file, only names: keys, variables, paths, clients and providers.
package struct SettingsProblem: Sendable, Equatable {
    /// Counted from 1; `nil` where nothing in the file is to blame: a section that is missing, or the environment.
    package let line: Int?
    /// The dotted path, such as `providers.yahoo.com.client_id` or `seal_keys[0]`; empty where the file as a whole is meant.
    package let key: String
    /// What is wrong and what to write instead, without a full stop.
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

/// Everything that is wrong with a configuration, in the order of its lines; what has no line comes first.
package struct SettingsProblems: Error, Sendable, Equatable {
    package let problems: [SettingsProblem]

    package init(_ problems: [SettingsProblem]) {
        self.problems = problems.sorted { ($0.line ?? 0, $0.key, $0.message) < ($1.line ?? 0, $1.key, $1.message) }
    }
}

extension SettingsProblems: CustomStringConvertible {
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
