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
