internal import OpenSSL
internal import OperatingSystem

extension Settings {
    /// The key `store`: the database for accounts and spent credentials.
    package enum Store: Sendable, Equatable {
        /// An absolute path.
        case sqlite(path: String)
        /// A URI for libpq (PostgreSQL manual, "Connection Strings"), including the password if there is one.
        case postgres(connection: SecretValue, pooling: Pooling)
        /// A database of Firestore in native mode.
        ///
        /// `emulator` is the host and port of the emulator; `nil` for Google's service.
        case firestore(project: String, database: String, emulator: String? = nil)
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
        let isFirestore = if case .firestore = store { true } else { false }
        if !isFirestore, !file.isRefused("store") {
            file["store_emulator_host"]?.refuse("applies only to Firestore: leave it out")
        }
        switch store {
        case .sqlite where pooling == .transaction && !file.isRefused("store"),
            .firestore where pooling == .transaction && !file.isRefused("store"):
            file.refuse("store_pooling", "applies only to PostgreSQL")
        case .sqlite: break
        case .postgres(let connection, _):
            store = .postgres(connection: connection, pooling: pooling ?? .session)
            Self.requireKeys(file, with: "PostgreSQL")
        case .firestore(let project, let database, _):
            store = .firestore(project: project, database: database, emulator: firestoreEmulator(file))
            Self.requireKeys(file, with: "Firestore")
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

    /// Requires the keys that are in a file beside the database only with SQLite.
    private static func requireKeys(_ file: Section, with store: String) {
        for name in ["seal_keys", "store_keys"] where file[name] == nil || file[name]?.isEmptyList == true {
            file.refuse(
                name,
                "is missing: with \(store) write [env:NAME], with a key of its own that is the same at every server")
        }
    }

    /// The address of the emulator of Firestore, which only the key selects.
    ///
    /// A variable that was left over would let a server record used credentials where they are lost.
    private func firestoreEmulator(_ file: Section) -> String? {
        let variable = "FIRESTORE_EMULATOR_HOST"
        if let entry = file["store_emulator_host"] {
            guard let text = entry.text() else { return nil }
            guard let address = ListenAddress.parse(text), address.isLoopback, address.port != 0 else {
                return entry.refusing("write a loopback address and a port, such as 127.0.0.1:8080")
            }
            return text
        }
        if file.reader.loader.environment[variable].map({ !$0.isEmpty }) ?? false {
            file.warn(
                "store", "the variable \(variable) is ignored: only the key store_emulator_host selects the emulator")
        }
        guard !file.isRefused("store_emulator_host"), !file.isRefused("firebase") else { return nil }
        switch firebase.signing {
        case .emulator:
            file.refuse(
                "store_emulator_host",
                "is missing: write it beside firebase.emulator_host, such as 127.0.0.1:8080, because no service account is "
                    + "read with which Firestore itself could be called")
        case .process:
            file.refuse(
                "store",
                "cannot be Firestore with signer: process, whose access tokens are only for Firebase "
                    + "Authentication: write signer: iam, or leave out signer and name firebase.service_account")
        case .serviceAccounts, .iam: break
        }
        return nil
    }
}

extension Entry {
    func store() -> Settings.Store? {
        guard let written = path(), let value = follow(written) else { return nil }
        let text = value.secretText
        if text.hasPrefix("sqlite:") { return sqlite(text) }
        if text.hasPrefix("firestore:") { return firestore(text) }
        guard PostgresURI.schemes.contains(where: text.hasPrefix) else {
            return refusing(
                PostgresURI.isOtherForm(text)
                    ? "is an address of PostgreSQL in the form of a command or of another driver: write it as "
                        + "postgresql://user:password@host/database, without other words and quotation marks"
                    : "write sqlite:///path; or, with seal_keys and store_keys, postgresql://user@host/database or "
                        + "firestore://project/database")
        }
        let uri: PostgresURI
        do {
            uri = try PostgresURI.parse(text)
        } catch {
            return refusing(error.message)
        }
        guard !uri.passwords.contains(where: Placeholder.isTemplate) else {
            return refusing("has a placeholder instead of a password: write the real one")
        }
        guard !uri.hosts.contains(where: { "${}".contains($0) }) else {
            return refusing("has a placeholder instead of a host: write the real one")
        }
        let mayUseTLS = uri.mode(reader.loader.environment) != "disable"
        for (name, path) in uri.files(environment: reader.loader.environment) {
            do throws(SettingsFileError) {
                let file = try reader.loader.readFile(path)
                if mayUseTLS, let objection = uri.objection(to: file, of: name, at: path) {
                    return refusing("the file \(PathText.of(path)) of \(name) \(objection)")
                }
            } catch {
                let isExpanded = path.hasPrefix("~") || path.contains("$")
                return refusing(
                    "the file \(PathText.of(path)) of \(name) \(error.message)"
                        + (isExpanded ? ": ~ and variables such as $HOME are not replaced here" : ""))
            }
        }
        if mayUseTLS, let objection = objectionToPair(of: uri) { return refusing(objection) }
        if value.source == .clear, !uri.passwords.isEmpty { judgeClearSecret() }
        if uri.options["sslmode"] == nil, uri.options["ssl"] == nil, let mode = reader.loader.environment["PGSSLMODE"],
            let objection = PostgresKeyword.objection(to: mode, of: "sslmode")
        {
            return refusing("the variable PGSSLMODE \(objection)")
        }
        guard !uri.ignoresSystemAuthorities(environment: reader.loader.environment) else {
            let place = uri.options["sslrootcert"] == nil ? "uses PGSSLROOTCERT=system" : "has sslrootcert=system"
            return refusing(
                "\(place) without sslmode=verify-full, so that libpq before version 16 verifies nothing: write "
                    + "sslmode=verify-full, without the option ssl")
        }
        if uri.mayTravelInClear(environment: reader.loader.environment) {
            warn(
                "allows libpq to send passwords and accounts without encryption: add the options sslmode=verify-full and "
                    + "sslrootcert=FILE, with the file of the authority's certificate, or sslmode=require")
        }
        return .postgres(connection: value, pooling: .session)
    }

    /// Says why libpq would not use the client's certificate and its key together.
    private func objectionToPair(of uri: PostgresURI) -> String? {
        guard let certificate = uri.options["sslcert"], !certificate.isEmpty else { return nil }
        guard let key = uri.options["sslkey"], !key.isEmpty else {
            let environment = reader.loader.environment
            guard uri.options["service"] == nil, (environment["PGSSLKEY"] ?? "").isEmpty,
                let home = environment["HOME"], !home.isEmpty
            else { return nil }
            let path = home + "/.postgresql/postgresql.key"
            do throws(SettingsFileError) {
                _ = try reader.loader.readFile(path)
                return nil
            } catch {
                return error == .missing
                    ? "has sslcert without sslkey, and the file \(PathText.of(path)), which libpq then reads, does not exist: add "
                        + "sslkey=FILE with the private key of the certificate"
                    : nil
            }
        }
        let texts = [certificate, key].compactMap { try? reader.loader.readFile($0).text() }
        guard texts.count == 2, let chain = CertificateChain(pem: texts[0]), chain.isFirst(ofKey: texts[1]) == false
        else { return nil }
        return "the file \(PathText.of(key)) of sslkey is not the key of the first certificate in the file "
            + "\(PathText.of(certificate)) of sslcert: name the two files of one certificate"
    }

    private func sqlite(_ text: String) -> Settings.Store? {
        let path = text.dropFirst("sqlite://".count)
        guard !text.contains(":memory:") else {
            return refusing("is in memory, where it would forget which credentials were used: write the path of a file")
        }
        guard !text.contains("?") else {
            return refusing("has options after ?, which do not exist for SQLite: leave ? and what follows out")
        }
        // SQLite would treat ? and # as the end of a URI's path, and %xx as one byte.
        guard text.hasPrefix("sqlite:///"), !path.hasSuffix("/"), !path.contains(where: { "?#%".contains($0) }) else {
            return refusing(
                "write sqlite:// and the absolute path of a file, without #, % and ?: "
                    + "sqlite:///var/lib/token-exchange/token-exchange.db")
        }
        return .sqlite(path: String(path))
    }

    private func firestore(_ text: String) -> Settings.Store? {
        guard text.hasPrefix("firestore://") else {
            return refusing("write two slashes after the scheme: firestore://project/database")
        }
        let parts = text.dropFirst("firestore://".count).split(separator: "/", omittingEmptySubsequences: false)
        guard let project = parts.first, !project.isEmpty else {
            return refusing("names no project: write firestore://project/database, with the id of the project")
        }
        guard project.utf8.count <= 64, String(project).consists(of: .lettersAndDigits, or: "-.:") else {
            return refusing(
                "names no project of Google: write its id, of letters, digits and hyphens, as in firestore://my-project/(default)"
            )
        }
        guard parts.count > 1, !parts[1].isEmpty else {
            return refusing(
                "names no database: write firestore://\(project)/token-exchange with the id of a database of its own, or "
                    + "firestore://\(project)/(default)")
        }
        let database = String(parts[1])
        let isID =
            (4...63).contains(database.utf8.count) && database.utf8.first.map { (0x61...0x7A).contains($0) } ?? false
            && database.consists(of: .lettersAndDigits, or: "-") && database == database.lowercased()
        guard parts.count == 2, database == "(default)" || isID else {
            return refusing(
                "names no database of Firestore: write its id, of 4 to 63 lower-case letters, digits and hyphens, or "
                    + "(default) with parentheses, as in firestore://\(project)/(default)")
        }
        return .firestore(project: String(project), database: database)
    }
}

extension Settings.Store: CustomStringConvertible {
    /// The location, without user name and password.
    package var description: String {
        switch self {
        case .sqlite(let path): "sqlite://\(path)"
        case .postgres(let connection, _):
            (try? PostgresURI.parse(connection.secretText)).map(\.place) ?? "postgresql://"
        case .firestore(let project, let database, let emulator):
            "firestore://\(project)/\(database)" + (emulator.map { " (emulator at \($0))" } ?? "")
        }
    }
}
