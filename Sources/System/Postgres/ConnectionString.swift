/// Where a PostgreSQL is and who we are there: a URI or a list of keywords, as libpq takes them.
///
/// It may hold a password, so it prints as `[connection string elided]`.
package struct ConnectionString: Sendable {
    let text: String

    /// - Parameter text: several hosts may be named (PostgreSQL manual, "Connection Strings").
    package init(_ text: String) {
        self.text = text
    }
}

extension ConnectionString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[connection string elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
