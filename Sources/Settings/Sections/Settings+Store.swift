extension Settings {
    /// The key `store`: the database for accounts and spent credentials.
    package enum Store: Sendable, Equatable {
        /// An absolute path.
        case sqlite(path: String)
        /// A URI for libpq (PostgreSQL manual, "Connection Strings"), including the password if there is one.
        case postgres(connection: SecretValue, pooling: Pooling)
    }
}

extension Settings.Store {
    /// The key `store_pooling`: what a pooler between this program and PostgreSQL pools.
    package enum Pooling: String, Sendable, CaseIterable {
        /// Sessions, or there is no pooler.
        case session
        /// Transactions: the next one may run in another session.
        case transaction
    }
}

extension Settings.Store {
    private static let schemes = "write sqlite:///path or postgresql://user@host/database"

    static func read(in file: Section) -> Self? {
        let pooling = file["store_pooling"]?.choice(Pooling.self)
        let store = read(file["store"], pooling ?? .session)
        if pooling == .transaction, case .sqlite = store, !file.isRefused("store") {
            file["store_pooling"]?.refuse("applies only to PostgreSQL")
        }
        return store
    }

    private static func read(_ entry: Entry?, _ pooling: Pooling) -> Self? {
        guard let entry else { return .sqlite(path: "/var/lib/token-exchange/token-exchange.db") }
        guard let written = entry.text(), let value = entry.follow(written) else { return nil }
        let text = value.secretText
        if text.hasPrefix("sqlite:") { return sqlite(text, entry) }
        guard PostgresURI.schemes.contains(where: text.hasPrefix) else { return entry.refusing(schemes) }
        let uri: PostgresURI
        do {
            uri = try PostgresURI.parse(text)
        } catch {
            return entry.refusing(error.message)
        }
        guard !uri.passwords.contains(where: Placeholder.matches) else {
            return entry.refusing("has a placeholder instead of a password: write the real one")
        }
        if value.source == .clear, !uri.passwords.isEmpty { entry.judgeClearSecret() }
        if uri.mayTravelInClear(environment: entry.reader.loader.environment) {
            entry.warn("sends passwords and accounts without encryption: append ?sslmode=verify-full (or require)")
        }
        return .postgres(connection: value, pooling: pooling)
    }

    private static func sqlite(_ text: String, _ entry: Entry) -> Self? {
        let path = text.dropFirst("sqlite://".count)
        // SQLite would treat ? and # as the end of a URI's path, and %xx as one byte.
        guard text.hasPrefix("sqlite:///"), !path.hasSuffix("/"), !path.contains(where: { "?#%".contains($0) }) else {
            return entry.refusing(
                "write sqlite:// and the absolute path of a file: sqlite:///var/lib/token-exchange/token-exchange.db")
        }
        return .sqlite(path: String(path))
    }
}

extension Settings.Store: CustomStringConvertible {
    /// The location, without user name and password.
    package var description: String {
        switch self {
        case .sqlite(let path): "sqlite://\(path)"
        case .postgres(let connection, _):
            (try? PostgresURI.parse(connection.secretText)).map(\.place) ?? "postgresql://"
        }
    }
}
