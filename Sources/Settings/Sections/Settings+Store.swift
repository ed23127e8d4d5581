extension Settings {
    /// `store`: where accounts are, and what was spent.
    package enum Store: Sendable, Equatable {
        /// An absolute path.
        case sqlite(path: String)
    }
}

extension Settings.Store {
    static func read(_ entry: Entry?) -> Self? {
        guard let entry else { return .sqlite(path: "/var/lib/token-exchange/token-exchange.db") }
        guard let text = entry.text() else { return nil }
        guard !text.hasPrefix("postgresql:"), !text.hasPrefix("postgres:") else {
            return entry.refusing("PostgreSQL is not supported by this version: write sqlite:///path")
        }
        let path = text.dropFirst("sqlite://".count)
        // SQLite would read ? and # as the end of a URI's path, and %xx as one byte.
        guard text.hasPrefix("sqlite:///"), !path.hasSuffix("/"), !path.contains(where: { "?#%".contains($0) }) else {
            return entry.refusing(
                "write sqlite:// and the absolute path of a file: sqlite:///var/lib/token-exchange/token-exchange.db")
        }
        return .sqlite(path: String(path))
    }
}

extension Settings.Store: CustomStringConvertible {
    package var description: String {
        switch self {
        case .sqlite(let path): "sqlite://\(path)"
        }
    }
}
