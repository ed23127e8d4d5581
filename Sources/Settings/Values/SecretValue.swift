/// A secret that does not print itself: not by interpolation, `print`, `dump` or a debugger's summary.
package struct SecretValue: Sendable {
    /// Where a secret was found.
    package enum Source: Sendable, Equatable {
        case environment(variable: String)
        case file(path: String)
        /// In the configuration file itself.
        case clear
    }

    /// The secret itself.
    ///
    /// Whoever reads it answers for where it goes.
    package let secretText: String
    package let source: Source
}

extension SecretValue: Equatable {
    /// Compares in a time that depends on the lengths alone.
    package static func == (one: Self, other: Self) -> Bool {
        let (ours, theirs) = (Array(one.secretText.utf8), Array(other.secretText.utf8))
        guard ours.count == theirs.count, one.source == other.source else { return false }
        return zip(ours, theirs).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension SecretValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[secret elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
