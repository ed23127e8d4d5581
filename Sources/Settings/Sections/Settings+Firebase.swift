internal import OperatingSystem

extension Settings {
    /// The section `firebase`: the project, the signer and the directory of accounts.
    package struct Firebase: SettingsSection {
        /// The signer of custom tokens.
        package enum Signing: Sendable, Equatable {
            /// Keys of service accounts, of which the first signs. Never empty.
            case serviceAccounts([CredentialsFile])
            /// The Authentication emulator at `host:port` on loopback: tokens are unsigned.
            case emulator(host: String)
            /// Google signs, by signBlob, for the identity of the machine or of the credentials.
            ///
            /// Without an address, the credentials or the metadata server supply it. In this case
            /// ``Settings/Firebase/projectID`` is not `nil`.
            case iam(serviceAccount: String?, credentials: CredentialsFile?)
            /// The process `token-exchange signer` at a Unix socket. ``Settings/Firebase/projectID`` is not `nil`.
            case process(socket: String)
        }

        /// The place where uids and links are kept.
        package enum Directory: String, Sendable, CaseIterable {
            /// The store.
            case local
            /// Identity Toolkit.
            case firebase
        }

        package var signing = Signing.serviceAccounts([])
        /// Whole seconds, at most an hour.
        package var tokenLifetime = Duration.seconds(300)
        /// The project; `nil` means that of the service account that signs.
        package var projectID: String?
        package var tenantID: String?
        /// Whether Firebase ID tokens are checked at Identity Toolkit.
        package var checksRevocation = false
        package var directory = Directory.local
        /// Whether name, picture and verified e-mail address are written to the user; only with Firebase's directory.
        package var syncsProfile = false
        /// The project's web API key, for redeeming custom tokens.
        ///
        /// Not `nil` if a client redeems.
        package var apiKey: SecretValue?
        package var endpoints = FirebaseEndpoints()

        static let keys: [Key<Self>] = signingKeys + furtherKeys
        private static let furtherKeys: [Key<Self>] = [
            .key("token_lifetime", \.tokenLifetime, .tokenLifetime),
            .optional("project_id", \.projectID, .value { $0.googleName() }, unset: "from the service account"),
            .optional("tenant_id", \.tenantID, .value { $0.googleName() }),
            .key("check_revoked", \.checksRevocation, .flag),
            .key("directory", \.directory, .choice),
            .key("sync_profile", \.syncsProfile, .flag),
            .optional("api_key", \.apiKey, .secret),
            .section("endpoints", \.endpoints),
        ]
    }

    /// A file whose content is not validated here: of a service account, of credentials without a key, of a certificate or
    /// of its private key.
    ///
    /// The first two may be in a variable or in Secret Manager instead.
    package struct CredentialsFile: Sendable, Equatable {
        /// The path, or the reference with `env:` or `gcp-secret:`.
        package let path: String
        package let content: SecretValue
        /// The file, the variable or the secret, as a message names it.
        package var origin: String {
            switch content.source {
            case .environment(let variable): "the variable \(variable)"
            case .cloudSecret(let name): "the secret \(name.secret)"
            case .file, .clear: PathText.of(path)
            }
        }

        init(path: String = "", _ text: String = "") {
            self.path = path
            content = SecretValue(secretText: text, source: .file(path: path))
        }

        init(variable: String, _ text: String) {
            path = "env:\(variable)"
            content = SecretValue(secretText: text, source: .environment(variable: variable))
        }

        init(_ name: CloudSecretName, _ text: String) {
            path = name.description
            content = SecretValue(secretText: text, source: .cloudSecret(name))
        }
    }
}

extension Settings.Firebase {
    mutating func check(_ section: Section) {
        let signing = readSigning(section)
        if let signing { self.signing = signing }
        if case .emulator(let host) = signing,
            section.section("endpoints", Settings.FirebaseEndpoints.self)["identity_toolkit"] == nil
        {
            endpoints.identityToolkit = "http://\(host)/identitytoolkit.googleapis.com"
        }
        if section["project_id"] == nil { refuseMissingProject(section, signing) }
        if syncsProfile, directory == .local, !section.isRefused("directory") {
            section.refuse("sync_profile", "works only with Firebase's users: write directory: firebase")
        }
    }

    private func refuseMissingProject(_ section: Section, _ signing: Signing?) {
        switch signing {
        case .iam, .process:
            let signer = section["signer"]?.writtenText ?? ""
            section.refuse(
                "project_id", "is missing: with signer: \(signer) write the id that the Firebase console shows")
        case .emulator where checksRevocation || directory == .firebase:
            section.refuse(
                "project_id", "is missing: write it, because the emulator does not supply it and users are looked up")
        case .emulator, .serviceAccounts, nil: break
        }
    }
}

extension Entry {
    /// Reads the id of a project or a tenant.
    func googleName() -> String? {
        guard let text = text() else { return nil }
        guard text.consists(of: .lettersAndDigits, or: "-.:"), text.utf8.count <= 64 else {
            return refusing("is not an id of Google: write the id that the Firebase console shows")
        }
        return text
    }
}

extension Entry {
    /// Reads the origin of the metadata server, which may be Google's own, with `http`.
    fileprivate func metadataOrigin(ofGoogle origin: String) -> String? {
        if writtenText == origin { return origin }
        return writtenText == "\(origin)/" ? refusing("has a slash at its end: leave it out") : self.origin()
    }
}

extension Rule<Duration> {
    /// Google accepts a custom token for at most an hour.
    static var tokenLifetime: Self { .duration(in: .seconds(1) ... .seconds(3600), inWholeSeconds: true) }
}

extension Settings {
    /// The section `firebase.endpoints`: the URLs of Google's services.
    package struct FirebaseEndpoints: SettingsSection {
        /// An origin, to which paths such as `/v1/accounts:lookup` are appended.
        ///
        /// For the emulator it includes the path at which the emulator serves this API.
        package var identityToolkit = "https://identitytoolkit.googleapis.com"
        /// The whole URL that issues access tokens (RFC 7523).
        package var oauthToken = "https://oauth2.googleapis.com/token"
        /// The whole URL of the keys of Firebase ID tokens: X.509 certificates or a JWK set.
        package var idTokenKeys =
            "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"
        /// The URL of the keys of service accounts, to which a slash and the e-mail address are appended: X.509
        /// certificates, or JWK sets, which have no dates.
        package var serviceAccountKeys = "https://www.googleapis.com/robot/v1/metadata/x509"
        /// The whole URL of App Check's JWK set.
        package var appCheckKeys = "https://firebaseappcheck.googleapis.com/v1/jwks"
        /// The origin of signBlob.
        package var iamCredentials = "https://iamcredentials.googleapis.com"
        /// The origin of the metadata server, which knows this machine's identity.
        ///
        /// Google documents this URL without TLS; only the machine itself can reach it.
        package var metadata = metadataServer
        /// The origin of Secret Manager.
        package var secretManager = "https://secretmanager.googleapis.com"

        static let keys: [Key<Self>] = [
            .key("identity_toolkit", \.identityToolkit, .value { $0.origin() }),
            .key("oauth_token", \.oauthToken, .value { $0.endpointURL() }),
            .key("id_token_keys", \.idTokenKeys, .value { $0.endpointURL() }),
            .key("service_account_keys", \.serviceAccountKeys, .value { $0.endpointURL() }),
            .key("app_check_keys", \.appCheckKeys, .value { $0.endpointURL() }),
            .key("iam_credentials", \.iamCredentials, .value { $0.origin() }),
            .key("metadata", \.metadata, .value { $0.metadataOrigin(ofGoogle: metadataServer) }),
            .key("secret_manager", \.secretManager, .value { $0.origin() }),
        ]
        private static let metadataServer = "http://metadata.google.internal"
    }
}
