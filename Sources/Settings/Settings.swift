/// The validated configuration, with all defaults filled in.
///
/// Each section of the file is a struct of its own. An optional is `nil` if the provider or the service account
/// supplies the default.
package struct Settings: Sendable, Equatable {
    package let server: Server
    package let firebase: Firebase
    /// The keys for state that browsers and applications carry.
    ///
    /// The first one seals, all of them open.
    ///
    /// If the list is empty, the key is in a file beside the SQLite database, created at the first start.
    package let sealKeys: [SealKeySecret]
    /// The keys for pending data in the store, used in the same way.
    ///
    /// No key is in ``sealKeys`` too.
    package let storeKeys: [SealKeySecret]
    package let store: Store
    /// Developer claims of every custom token, by name.
    package let claims: [String: Template]
    /// The clients in the order of the file, at least one.
    package let clients: [Client]
    package let providers: Providers
    package let accounts: Accounts
    package let hooks: Hooks
    package let limits: Limits
    package let audit: Audit
    package let logging: Logging
    package let tracing: Tracing
    /// Risks that the operator accepted on the command line.
    package let allowances: Allowances
    /// Accepted settings that the operator should change.
    package let warnings: [SettingsProblem]

    static let keys = [
        "server", "firebase", "seal_keys", "store_keys", "store", "store_pooling", "claims", "clients", "providers",
        "accounts", "hooks", "limits", "audit", "logging", "tracing",
    ]
}

extension Settings {
    /// Reads all sections before it returns `nil`, so that one run reports every problem.
    static func read(_ root: Entry) -> Settings? {
        let file = Section(root, keys: keys)
        let server = Server.read(file.section("server", keys: Server.keys))
        let firebaseSection = file.section("firebase", keys: Firebase.keys)
        let firebase = Firebase.read(firebaseSection, server: server)
        let store = Store.read(in: file)
        let sealKeys = readKeys(file, "seal_keys", store: store)
        let storeKeys = readKeys(file, "store_keys", store: store, besides: sealKeys)
        let claims = readClaims(file["claims"])
        let providers = Providers.read(file)
        let clients = Client.readAll(file, providers: providers, firebase: firebaseSection, defaults: firebase)
        if !claims.values.contains(where: { $0.segments.contains(.placeholder(.clientID)) }) {
            Client.warnOfDomains(clients, in: file)
        }
        let accounts = Accounts.read(file.section("accounts", keys: Accounts.keys), providers: providers)
        let hooks = Hooks.read(file.section("hooks", keys: Hooks.keys))
        let limits = Limits.read(file.section("limits", keys: Limits.keys))
        let audit = Audit.read(file.section("audit", keys: Audit.keys))
        let logging = Logging.read(file.section("logging", keys: Logging.keys))
        let tracing = Tracing.read(file.section("tracing", keys: Tracing.keys))
        guard let server, let firebase, let store, let accounts else { return nil }
        return Settings(
            server: server, firebase: firebase, sealKeys: sealKeys, storeKeys: storeKeys, store: store, claims: claims,
            clients: clients, providers: providers, accounts: accounts, hooks: hooks, limits: limits, audit: audit,
            logging: logging, tracing: tracing,
            allowances: root.reader.loader.allowances, warnings: root.reader.warnings)
    }

    /// Reads one of the two lists of keys.
    ///
    /// With SQLite the list may be missing, because a key file is created beside the database. With PostgreSQL it is
    /// required, because all servers must share the same keys. `others` are keys for another purpose: if one key served
    /// both purposes, its leak would compromise both.
    private static func readKeys(
        _ file: Section, _ name: String, store: Store?, besides others: [SealKeySecret] = []
    ) -> [SealKeySecret] {
        if case .postgres = store, file[name] == nil || file[name]?.isEmptyList == true {
            file.refuse(name, "is missing: with PostgreSQL write [env:NAME], with the same key at every server")
        }
        return file[name]?.list { entry in
            guard let key = entry.sealKey() else { return nil }
            guard !others.contains(where: { $0.secretBytes == key.secretBytes }) else {
                return entry.refusing("is also in seal_keys: create another random key for the store")
            }
            return key
        } ?? []
    }
}

extension Settings {
    /// Risks that an operator accepts by naming them on the command line.
    ///
    /// They are not keys of the file, so that a copied configuration does not contain them.
    package struct Allowances: Sendable, Equatable {
        /// Files that other users can read or write are a warning instead of a problem.
        package let insecurePermissions: Bool
        /// The SQLite file may be on any file system.
        package let networkFilesystem: Bool

        package static let none = Self()
        package static let insecurePermissionsFlag = "--allow-insecure-permissions"
        package static let networkFilesystemFlag = "--allow-network-filesystem"

        package init(insecurePermissions: Bool = false, networkFilesystem: Bool = false) {
            self.insecurePermissions = insecurePermissions
            self.networkFilesystem = networkFilesystem
        }
    }
}
