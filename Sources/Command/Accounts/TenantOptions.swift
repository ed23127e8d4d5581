internal import ArgumentParser
internal import JOSE
internal import Settings

/// The option that names the tenant of an account.
struct TenantOptions: ParsableArguments {
    /// The name of users outside any tenant.
    private static let outside = "-"

    @Option(
        help: ArgumentHelp(
            "The Identity Platform tenant of the user.",
            discussion: """
                accounts needs it with firebase.directory: firebase if clients have different tenants. A hyphen stands for \
                users outside any tenant.
                """, valueName: "tenant-id"))
    var tenant: String?

    /// Returns the tenant whose accounts a command shows and changes; `nil` means users outside any tenant.
    ///
    /// - Throws: Exit 64 if the option is missing, or names no tenant of a client.
    func accountTenant(_ settings: Settings) throws -> String? {
        guard settings.firebase.directory == .firebase else {
            guard tenant == nil else {
                throw Exit.because(
                    "--tenant: firebase.directory is local, so that all tenants share the accounts. Leave this option out",
                    Exit.usage)
            }
            return nil
        }
        if tenant != nil { return try named(settings) ?? nil }
        let all = Self.tenants(settings)
        guard all.count == 1, let only = all.first else {
            throw Exit.because(
                "the clients have several tenants; name one with --tenant: \(Self.list(all))", Exit.usage)
        }
        return only
    }

    /// Returns the tenant that the option names.
    ///
    /// - Returns: The tenant, which is `nil` for users outside any tenant; `.none` if the option is missing.
    /// - Throws: Exit 64 if the option names no tenant of a client.
    func named(_ settings: Settings) throws -> String?? {
        guard let tenant else { return .none }
        let all = Self.tenants(settings)
        guard let found = all.first(where: { Self.name($0).exactlyEquals(tenant) }) else {
            throw Exit.because(
                "--tenant: \(VisibleText.of(tenant)) is not a tenant of a client; use one of \(Self.list(all))",
                Exit.usage)
        }
        return .some(found)
    }

    /// The tenants of the clients, each once, sorted by name.
    private static func tenants(_ settings: Settings) -> [String?] {
        var tenants: [String?] = []
        for client in settings.clients {
            let isKnown = tenants.contains { name($0).exactlyEquals(name(client.tenantID)) }
            if !isKnown { tenants.append(client.tenantID) }
        }
        return tenants.sorted { name($0) < name($1) }
    }

    private static func name(_ tenant: String?) -> String { tenant ?? outside }

    private static func list(_ tenants: [String?]) -> String { tenants.map(name).joined(separator: ", ") }
}
