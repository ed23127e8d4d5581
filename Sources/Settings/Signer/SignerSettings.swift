/// The configuration of `token-exchange signer`, a file of its own.
package struct SignerSettings: SettingsSection {
    /// An absolute path.
    package var socket = ""
    /// Its `private_key` may be a URI of PKCS#11 (RFC 7512) instead of PEM.
    package var serviceAccount = Settings.CredentialsFile()
    /// The library of the token; `nil` for the one of the system.
    package var pkcs11Module: String?
    /// Names or numbers of users; at least one.
    package var allowedUsers: [String] = []
    /// Whole seconds, at most an hour.
    package var tokenLifetime = Duration.seconds(300)
    /// By default those of a server whose configuration has no section `claims`.
    package var claims = ["idp", "idp_uid"]
    /// `nil` is a token without a tenant.
    package var tenants: [String?] = [nil]
    /// `nil` allows every uid.
    package var uidPrefixes: [String]?
    package var hooks: [String] = []
    package var accessTokens = true
    package var rate = Rate(count: 3000, unit: .minute)
    package var warnings: [SettingsProblem] = []

    static let keys: [Key<Self>] = [
        .key("socket", \.socket, .value { $0.socketPath() }, required: "write the path of the Unix socket"),
        .key(
            "service_account", \.serviceAccount,
            Rule({ $0.serviceAccountFile() }, write: { $0.path }),
            required: "write the path of the service account's JSON file, or env:NAME"),
        .optional("pkcs11_module", \.pkcs11Module, .value { $0.absolutePath() }),
        .key(
            "allowed_users", \.allowedUsers, .oneOrMore { $0.text() },
            required: "write the user of the server, as in [token-exchange]"),
        .key("token_lifetime", \.tokenLifetime, .tokenLifetime),
        .key("claims", \.claims, .list { $0.text() }),
        .key("tenants", \.tenants, .tenants),
        .optional("uid_prefixes", \.uidPrefixes, .oneOrMore { $0.text() }, unset: "any"),
        .key("hooks", \.hooks, .list { $0.endpointURL() }),
        .key("access_tokens", \.accessTokens, .flag),
        .key("rate", \.rate, .value { $0.rate("write a rate such as 3000/min (s, min or h)") }),
    ]

    mutating func check(_ section: Section) {
        if accessTokens {
            let message = "restricts only custom tokens, because access_tokens is true"
            if uidPrefixes != nil { section.warn("uid_prefixes", message) }
            if tenants != [nil] { section.warn("tenants", message) }
        }
        warnings = section.reader.warnings
    }

    /// One line for each key, without secrets.
    package var summary: [String] { lines() }
}

extension SettingsLoader {
    /// Reads the configuration of the signer.
    ///
    /// - Throws: ``SettingsProblems`` with everything that is wrong.
    package func loadSigner(path: String) throws(SettingsProblems) -> SignerSettings {
        try load(path: path) { (file: Entry) -> SignerSettings? in
            guard file.peek("clients") == nil, file.peek("providers") == nil else {
                return file.refusing(
                    "is the configuration of a server: name that of the signer, with socket, service_account and allowed_users"
                )
            }
            return SignerSettings.read(Section(file, keys: SignerSettings.names))
        }
    }
}

extension Rule<[String?]> {
    /// The word for a token without a tenant in the list of tenants.
    private static let withoutTenant = "none"

    fileprivate static var tenants: Self {
        Self(
            { $0.oneOrMore { $0.writtenText == withoutTenant ? .some(nil) : $0.googleName().map(Optional.some) } },
            write: { $0.map { $0 ?? withoutTenant }.inList })
    }
}

extension Entry {
    /// Reads the path of a Unix socket.
    func socketPath() -> String? {
        guard let path = path() else { return nil }
        // unix(7): sun_path has 108 bytes with the zero byte at its end.
        guard path.hasPrefix("/"), !path.hasSuffix("/"), path.utf8.count < 108 else {
            return refusing("write an absolute path of at most 107 bytes, such as /run/token-exchange-signer/socket")
        }
        return path
    }

    fileprivate func absolutePath() -> String? {
        path().flatMap { absolute($0, "write an absolute path") }
    }
}
