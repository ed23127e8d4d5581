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
