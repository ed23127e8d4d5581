package import Providers

/// The validated configuration, with all defaults filled in.
///
/// Each section of the file is a struct of its own. An optional is `nil` if the provider or the service account
/// supplies the default.
package struct Settings: Sendable, Equatable {
    package var server = Server()
    package var firebase = Firebase()
    /// The keys for state that browsers and applications carry.
    ///
    /// The first one seals, all of them open.
    ///
    /// If the list is empty, the key is in a file beside the SQLite database, created at the first start.
    package var sealKeys: [SealKeySecret] = []
    /// The keys for pending data in the store, used in the same way.
    ///
    /// No key is in ``sealKeys`` too.
    package var storeKeys: [SealKeySecret] = []
    package var store = Store.sqlite(path: "/var/lib/token-exchange/token-exchange.db")
    /// Developer claims of every custom token, by name.
    package var claims: [String: IdentityTemplate] = [
        "idp": [.placeholder(.provider)], "idp_uid": [.placeholder(.subject)],
    ]
    /// The clients in the order of the file, at least one.
    package var clients: [Client] = []
    package var providers = Providers()
    package var accounts = Accounts()
    package var hooks = Hooks()
    package var limits = Limits()
    package var audit = Audit()
    package var logging = Logging()
    package var tracing = Tracing()
    /// Risks that the operator accepted on the command line.
    package var allowances = Allowances.none
    /// The versions of secrets that were read from Secret Manager, by the references of the configuration.
    package var secretVersions: [CloudSecretName: String] = [:]
    /// Accepted settings that the operator should change.
    package var warnings: [SettingsProblem] = []
}

extension Settings: SettingsSection {
    static let keys: [Key<Self>] = [
        .section("server", \.server),
        .section("firebase", \.firebase),
        .key("seal_keys", \.sealKeys, .sealKeys),
        .key("store_keys", \.storeKeys, .sealKeys).readByCheck,
        .key("store", \.store, .value { $0.store() }),
        .shared("store_emulator_host") { if case .firestore(_, _, let emulator) = $0.store { emulator } else { nil } },
        .shared("store_pooling") { if case .postgres(_, let pooling) = $0.store { pooling.rawValue } else { nil } },
        .named("claims", ["*"]) { settings, path in
            settings.claims.sorted { $0.key < $1.key }.map { "\(path).\($0.key): \($0.value)" }
        },
        .named("clients", Client.keys.flatMap { $0.paths.map { "*.\($0)" } }) { settings, path in
            settings.clients.flatMap { $0.lines(below: "\(path).\($0.id)") }
        },
        .named("providers", Providers.paths) { settings, path in settings.providers.lines(below: path) },
        .section("accounts", \.accounts),
        .section("hooks", \.hooks),
        .section("limits", \.limits),
        .section("audit", \.audit),
        .section("logging", \.logging),
        .section("tracing", \.tracing),
    ]

    mutating func check(_ file: Section) {
        readStore(file)
        claims = Self.readClaims(file["claims"]) ?? claims
        providers = Providers.read(file)
        server.checkEmulator(file)
        clients = Client.readAll(file, in: self)
        accounts.check(file.section("accounts", Accounts.self), providers: providers)
        (allowances, warnings) = (file.reader.loader.allowances, file.reader.warnings)
    }

    /// Every key of the configuration as a dotted path, with `*` for a name that the operator chooses.
    package static var declaredKeys: [String] { keys.flatMap(\.paths) }

    /// One line for each key, without secrets: `server.listen: 127.0.0.1:8080`.
    package var summary: [String] { lines() }

    /// The dotted names of the keys that another ``summary`` has with other values, sorted.
    ///
    /// The files of the certificate are left out, because a reload replaces them.
    package func keys(differingFrom other: [String]) -> [String] {
        Set(Set(summary).symmetricDifference(other).map { String($0.prefix { $0 != ":" }) })
            .subtracting(["server.tls.certificate", "server.tls.key"]).sorted()
    }
}

extension Settings: CustomStringConvertible {
    package var description: String { summary.joined(separator: "\n") }
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
