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

extension Settings {
    /// Reads `store_pooling`, and requires the keys that the servers of a store share.
    mutating func readStore(_ file: Section) {
        let pooling = file["store_pooling"]?.choice(Store.Pooling.self)
        switch store {
        case .sqlite where pooling == .transaction && !file.isRefused("store"):
            file.refuse("store_pooling", "applies only to PostgreSQL")
        case .sqlite: break
        case .postgres(let connection, _):
            store = .postgres(connection: connection, pooling: pooling ?? .session)
            // With SQLite a key file is created beside the database.
            for name in ["seal_keys", "store_keys"] where file[name] == nil || file[name]?.isEmptyList == true {
                file.refuse(name, "is missing: with PostgreSQL write [env:NAME], with the same key at every server")
            }
        }
        // If one key served both purposes, its leak would compromise both.
        let storeKeys =
            file["store_keys"]?.list { entry in
                guard let key = entry.sealKey() else { return nil }
                guard !sealKeys.contains(where: { $0.secretBytes == key.secretBytes }) else {
                    return entry.refusing("is also in seal_keys: create another random key for the store")
                }
                return key
            } as [SealKeySecret]?
        self.storeKeys = storeKeys ?? []
    }
}

extension Entry {
    func store() -> Settings.Store? {
        guard let written = text(), let value = follow(written) else { return nil }
        let text = value.secretText
        if text.hasPrefix("sqlite:") { return sqlite(text) }
        guard PostgresURI.schemes.contains(where: text.hasPrefix) else {
            return refusing("write sqlite:///path or postgresql://user@host/database")
        }
        let uri: PostgresURI
        do {
            uri = try PostgresURI.parse(text)
        } catch {
            return refusing(error.message)
        }
        guard !uri.passwords.contains(where: Placeholder.matches) else {
            return refusing("has a placeholder instead of a password: write the real one")
        }
        if value.source == .clear, !uri.passwords.isEmpty { judgeClearSecret() }
        if uri.options["sslmode"] == nil, uri.options["ssl"] == nil, let mode = reader.loader.environment["PGSSLMODE"],
            let objection = PostgresKeyword.objection(to: mode, of: "sslmode")
        {
            return refusing("the variable PGSSLMODE \(objection)")
        }
        if uri.mayTravelInClear(environment: reader.loader.environment) {
            warn("sends passwords and accounts without encryption: append ?sslmode=verify-full (or require)")
        }
        return .postgres(connection: value, pooling: .session)
    }

    private func sqlite(_ text: String) -> Settings.Store? {
        let path = text.dropFirst("sqlite://".count)
        // SQLite would treat ? and # as the end of a URI's path, and %xx as one byte.
        guard text.hasPrefix("sqlite:///"), !path.hasSuffix("/"), !path.contains(where: { "?#%".contains($0) }) else {
            return refusing(
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
