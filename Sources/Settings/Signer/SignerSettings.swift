/// The configuration of `token-exchange signer`, a file of its own.
package struct SignerSettings: Sendable, Equatable {
    /// An absolute path.
    package let socket: String
    /// Its `private_key` may be a URI of PKCS#11 (RFC 7512) instead of PEM.
    package let serviceAccount: Settings.CredentialsFile
    /// The library of the token; `nil` for the one of the system.
    package let pkcs11Module: String?
    /// Names or numbers of users; at least one.
    package let allowedUsers: [String]
    /// Whole seconds, at most an hour.
    package let tokenLifetime: Duration
    package let claims: [String]
    /// `nil` is a token without a tenant.
    package let tenants: [String?]
    /// `nil` allows every uid.
    package let uidPrefixes: [String]?
    package let hooks: [String]
    package let accessTokens: Bool
    package let rate: Rate
    package let warnings: [SettingsProblem]

    static let keys = [
        "socket", "service_account", "pkcs11_module", "allowed_users", "token_lifetime", "claims", "tenants",
        "uid_prefixes", "hooks",
        "access_tokens", "rate",
    ]
    /// The claims of a server whose configuration has no section `claims`.
    private static let standardClaims = ["idp", "idp_uid"]
    /// The word for a token without a tenant in the list of tenants.
    private static let withoutTenant = "none"
}

extension SettingsLoader {
    /// Reads the configuration of the signer.
    ///
    /// - Parameter path: The file.
    /// - Returns: The configuration.
    /// - Throws: ``SettingsProblems`` with everything that is wrong.
    package func loadSigner(path: String) throws(SettingsProblems) -> SignerSettings {
        try load(path: path, as: SignerSettings.read)
    }
}

extension SignerSettings {
    /// Reads all keys before it returns `nil`, so that one run reports every problem.
    static func read(_ root: Entry) -> Self? {
        let file = Section(root, keys: keys)
        let socket = file.required("socket", "write the path of the Unix socket")?.socketPath()
        let account = file.required("service_account", "write the path of the service account's JSON file")?
            .serviceAccountFile()
        let module = file["pkcs11_module"].map { $0.absolutePath() }
        let users = file.required("allowed_users", "write the user of the server, as in [token-exchange]")?
            .oneOrMore { $0.text() }
        let lifetime =
            file["token_lifetime"].map { $0.duration(in: Settings.Firebase.tokenLifetimes, inWholeSeconds: true) }
            ?? .seconds(300)
        let claims = file["claims"].map { $0.list { $0.text() } } ?? Self.standardClaims
        let tenants = file["tenants"].map { $0.oneOrMore { $0.tenant() } } ?? [Tenant(id: nil)]
        let prefixes = file["uid_prefixes"].map { $0.oneOrMore { $0.text() } }
        let hooks = file["hooks"].map { $0.list { $0.endpointURL() } } ?? []
        let accessTokens = file["access_tokens"].map { $0.bool() } ?? true
        let rate = file["rate"].map { $0.rate() } ?? Rate(count: 3000, unit: .minute)
        guard let socket, let account, let users, let lifetime, let claims, let tenants, let hooks, let accessTokens,
            let rate, prefixes != .some(nil), module != .some(nil)
        else { return nil }
        if accessTokens {
            let message = "restricts only custom tokens, because access_tokens is true"
            if prefixes != nil { file.warn("uid_prefixes", message) }
            if tenants != [Tenant(id: nil)] { file.warn("tenants", message) }
        }
        return Self(
            socket: socket, serviceAccount: account, pkcs11Module: module ?? nil, allowedUsers: users,
            tokenLifetime: lifetime, claims: claims,
            tenants: tenants.map(\.id), uidPrefixes: prefixes ?? nil, hooks: hooks, accessTokens: accessTokens,
            rate: rate, warnings: root.reader.warnings)
    }

    /// One line for each key, without secrets.
    package var summary: [String] {
        var summary = Summary()
        summary.add("socket", socket)
        summary.add("service_account", serviceAccount.path)
        summary.add("pkcs11_module", pkcs11Module)
        summary.add("allowed_users", allowedUsers.inList)
        summary.add("token_lifetime", DurationText.write(tokenLifetime))
        summary.add("claims", claims.inList)
        summary.add("tenants", tenants.map { $0 ?? Self.withoutTenant }.inList)
        summary.add("uid_prefixes", uidPrefixes?.inList ?? "any")
        summary.add("hooks", hooks.inList)
        summary.add("access_tokens", String(accessTokens))
        summary.add("rate", "\(rate)")
        return summary.lines
    }

    /// An element of the list of tenants.
    fileprivate struct Tenant: Equatable {
        let id: String?
    }
}

extension Entry {
    /// Reads the path of a Unix socket.
    func socketPath() -> String? {
        guard let path = text() else { return nil }
        // unix(7): sun_path has 108 bytes with the zero byte at its end.
        guard path.hasPrefix("/"), !path.hasSuffix("/"), path.utf8.count < 108 else {
            return refusing("write an absolute path of at most 107 bytes, such as /run/token-exchange-signer/socket")
        }
        return path
    }

    fileprivate func absolutePath() -> String? {
        guard let path = text() else { return nil }
        guard path.hasPrefix("/") else { return refusing("write an absolute path") }
        return path
    }

    fileprivate func tenant() -> SignerSettings.Tenant? {
        if writtenText == "none" { return SignerSettings.Tenant(id: nil) }
        return googleName().map { SignerSettings.Tenant(id: $0) }
    }

    fileprivate func rate() -> Rate? {
        guard let rate = writtenText.flatMap(Rate.parse) else {
            return refusing("write a rate such as 3000/min (s, min or h)")
        }
        return rate
    }
}
