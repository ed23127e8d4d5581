/// The configuration: what the file says, checked, with every default in its place.
///
/// Each section of the file is a struct of its own. An optional is `nil` if the default is that of the provider or
/// of the service account.
package struct Settings: Sendable, Equatable {
    package let server: Server
    package let firebase: Firebase
    /// The keys of what travels through browsers and applications; the first seals, all open.
    ///
    /// Empty: the key stands in a file beside the SQLite database, and is made there at first.
    package let sealKeys: [SealKeySecret]
    /// The keys of what waits in the store; in the same way, and never one of ``sealKeys``.
    package let storeKeys: [SealKeySecret]
    package let store: Store
    /// Developer claims of every custom token, by name.
    package let claims: [String: Template]
    /// In the order of the file; one at least.
    package let clients: [Client]
    package let providers: Providers
    package let accounts: Accounts
    package let limits: Limits
    package let audit: Audit
    package let logging: Logging
    /// Risks that the operator accepted on the command line.
    package let allowances: Allowances
    /// What was accepted, but should not stay as it is.
    package let warnings: [SettingsProblem]

    static let keys = [
        "server", "firebase", "seal_keys", "store_keys", "store", "claims", "clients", "providers", "accounts",
        "limits", "audit", "logging",
    ]
}

extension Settings {
    /// Reads all sections before it gives up, so that every problem is found in one go.
    static func read(_ root: Entry) -> Settings? {
        let file = Section(root, keys: keys)
        let server = Server.read(file.section("server", keys: Server.keys))
        let firebase = Firebase.read(file.section("firebase", keys: Firebase.keys), server: server)
        let store = Store.read(file["store"])
        let sealKeys = readKeys(file, "seal_keys", store: store)
        let storeKeys = readKeys(file, "store_keys", store: store, besides: sealKeys)
        let claims = readClaims(file["claims"])
        let providers = Providers.read(file)
        let clients = Client.readAll(file, providers: providers, firebase: firebase)
        let accounts = Accounts.read(file.section("accounts", keys: Accounts.keys), providers: providers)
        let limits = Limits.read(file.section("limits", keys: Limits.keys))
        let audit = Audit.read(file.section("audit", keys: Audit.keys))
        let logging = Logging.read(file.section("logging", keys: Logging.keys))
        guard let server, let firebase, let store, let accounts else { return nil }
        return Settings(
            server: server, firebase: firebase, sealKeys: sealKeys, storeKeys: storeKeys, store: store, claims: claims,
            clients: clients, providers: providers, accounts: accounts, limits: limits, audit: audit, logging: logging,
            allowances: root.reader.loader.allowances, warnings: root.reader.warnings)
    }

    /// Beside a file there is a place for a key that is made at first; several servers have to share one.
    ///
    /// - `others`: keys of another use. One key for two uses would have the power of both if it leaks.
    private static func readKeys(
        _ file: Section, _ name: String, store: Store?, besides others: [SealKeySecret] = []
    ) -> [SealKeySecret] {
        if case .postgres = store, file[name] == nil || file[name]?.isEmptyList == true {
            file.refuse(name, "is missing: with PostgreSQL write [env:NAME], the same for every server")
        }
        return file[name]?.list { entry in
            guard let key = entry.sealKey() else { return nil }
            guard !others.contains(where: { $0.secretBytes == key.secretBytes }) else {
                return entry.refusing("is one of seal_keys: make another random key for the store")
            }
            return key
        } ?? []
    }
}

extension Settings {
    /// Risks that an operator accepts by naming them on the command line.
    ///
    /// They are no keys of the file, so that a copied configuration does not carry them along.
    package struct Allowances: Sendable, Equatable {
        /// Files that other users can read or write are a warning instead of a problem.
        package let insecurePermissions: Bool
        /// The SQLite file may lie on any file system.
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
