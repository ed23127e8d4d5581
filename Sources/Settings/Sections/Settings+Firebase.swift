extension Settings {
    /// The section `firebase`: the project, the signer and the directory of accounts.
    package struct Firebase: Sendable, Equatable {
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

        package let signing: Signing
        /// Whole seconds, at most an hour.
        package let tokenLifetime: Duration
        /// The project; `nil` means that of the service account that signs.
        package let projectID: String?
        package let tenantID: String?
        /// Whether Firebase ID tokens are checked at Identity Toolkit.
        package let checksRevocation: Bool
        package let directory: Directory
        /// Whether name, picture and verified e-mail address are written to the user; only with Firebase's directory.
        package let syncsProfile: Bool
        /// The project's web API key, for redeeming custom tokens.
        ///
        /// Not `nil` if a client redeems.
        package let apiKey: SecretValue?
        package let endpoints: FirebaseEndpoints
    }

    /// The file of a service account, or of credentials without a key.
    ///
    /// Its JSON and its key are not validated here.
    package struct CredentialsFile: Sendable, Equatable {
        package let path: String
        package let json: SecretValue
    }
}

extension Settings.Firebase {
    static let keys = [
        "service_account", "signer", "signer_socket", "iam_service_account", "google_credentials", "token_lifetime",
        "project_id",
        "tenant_id",
        "check_revoked", "directory", "sync_profile", "api_key", "emulator_host", "endpoints",
    ]
    /// Google accepts a custom token for at most an hour.
    static let tokenLifetimes: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)

    static func read(_ section: Section, server: Settings.Server?) -> Self? {
        let signing = readSigning(section, server: server)
        let lifetime =
            section["token_lifetime"].map { $0.duration(in: tokenLifetimes, inWholeSeconds: true) } ?? .seconds(300)
        let projectID = section["project_id"].map { $0.googleName() }
        let tenantID = section["tenant_id"].map { $0.googleName() }
        let checksRevocation = section["check_revoked"]?.bool() ?? false
        let directory = section["directory"].map { $0.choice(Directory.self) } ?? .local
        let apiKey = section["api_key"].map { $0.secret() }
        let endpoints = Settings.FirebaseEndpoints.read(
            section.section("endpoints", keys: Settings.FirebaseEndpoints.keys), signing)
        if projectID == nil {
            refuseMissingProject(section, signing, looksUpUsers: checksRevocation || directory == .firebase)
        }
        let syncsProfile = readSyncsProfile(section, directory)
        // A refused value is not a missing one, so later checks must not report it as missing.
        guard let signing, let lifetime, let directory, projectID != .some(nil), apiKey != .some(nil) else {
            return nil
        }
        return Self(
            signing: signing, tokenLifetime: lifetime, projectID: projectID ?? nil, tenantID: tenantID ?? nil,
            checksRevocation: checksRevocation, directory: directory, syncsProfile: syncsProfile,
            apiKey: apiKey ?? nil, endpoints: endpoints)
    }

    private static func refuseMissingProject(_ section: Section, _ signing: Signing?, looksUpUsers: Bool) {
        switch signing {
        case .iam, .process:
            let signer = section["signer"]?.writtenText ?? ""
            section.refuse(
                "project_id",
                "is missing: with signer: \(signer) write the id that the Firebase console shows"
            )
        case .emulator where looksUpUsers:
            section.refuse(
                "project_id", "is missing: write it, because the emulator does not supply it and users are looked up")
        case .emulator, .serviceAccounts, nil: break
        }
    }

    private static func readSyncsProfile(_ section: Section, _ directory: Directory?) -> Bool {
        guard let entry = section["sync_profile"], let syncs = entry.bool() else { return false }
        if syncs, directory == .local, !section.isRefused("directory") {
            entry.refuse("works only with Firebase's users: write directory: firebase")
        }
        return syncs
    }
}

extension Entry {
    /// Reads the id of a project or a tenant.
    func googleName() -> String? {
        guard let text = text() else { return nil }
        let isName = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-.:".utf8.contains(byte)
        }
        guard isName, text.utf8.count <= 64 else {
            return refusing(
                "is not an id of Google: write the id that the Firebase console shows")
        }
        return text
    }
}

extension Settings {
    /// The section `firebase.endpoints`: the URLs of Google's services.
    package struct FirebaseEndpoints: Sendable, Equatable {
        /// An origin, to which paths such as `/v1/accounts:lookup` are appended.
        ///
        /// For the emulator it includes the path at which the emulator serves this API.
        package let identityToolkit: String
        /// The whole URL that issues access tokens (RFC 7523).
        package let oauthToken: String
        /// The whole URL of the keys of Firebase ID tokens: X.509 certificates or a JWK set.
        package let idTokenKeys: String
        /// The whole URL of App Check's JWK set.
        package let appCheckKeys: String
        /// The URL of the keys of service accounts, to which a slash and the e-mail address are appended: X.509
        /// certificates, or JWK sets, which have no dates.
        package let serviceAccountKeys: String
        /// The origin of signBlob.
        package let iamCredentials: String
        /// The origin of the metadata server, which knows this machine's identity.
        package let metadata: String
    }
}

extension Settings.FirebaseEndpoints {
    static let keys = [
        "identity_toolkit", "oauth_token", "id_token_keys", "app_check_keys", "service_account_keys", "iam_credentials",
        "metadata",
    ]
    /// Google documents this URL without TLS; only the machine itself can reach it.
    private static let metadataServer = "http://metadata.google.internal"

    static func read(_ section: Section, _ signing: Settings.Firebase.Signing?) -> Self {
        Self(
            identityToolkit: section["identity_toolkit"]?.origin() ?? identityToolkit(signing),
            oauthToken: section["oauth_token"]?.endpointURL() ?? "https://oauth2.googleapis.com/token",
            idTokenKeys: section["id_token_keys"]?.endpointURL()
                ?? "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
            appCheckKeys: section["app_check_keys"]?.endpointURL() ?? "https://firebaseappcheck.googleapis.com/v1/jwks",
            serviceAccountKeys: section["service_account_keys"]?.endpointURL()
                ?? "https://www.googleapis.com/robot/v1/metadata/x509",
            iamCredentials: section["iam_credentials"]?.origin() ?? "https://iamcredentials.googleapis.com",
            metadata: metadata(section["metadata"]))
    }

    private static func identityToolkit(_ signing: Settings.Firebase.Signing?) -> String {
        if case .emulator(let host) = signing {
            "http://\(host)/identitytoolkit.googleapis.com"
        } else {
            "https://identitytoolkit.googleapis.com"
        }
    }

    private static func metadata(_ entry: Entry?) -> String {
        guard let entry, entry.writtenText != metadataServer else { return metadataServer }
        return entry.origin() ?? metadataServer
    }
}
