extension Settings {
    /// `firebase`: whose tokens are minted, and who keeps the accounts.
    package struct Firebase: Sendable, Equatable {
        /// What signs: keys of service accounts, Google for this machine, or nothing at all.
        package enum Signing: Sendable, Equatable {
            /// The first signs. Never empty.
            case serviceAccounts([ServiceAccountFile])
            /// The Authentication emulator at `host:port` on loopback: tokens are unsigned.
            case emulator(host: String)
            /// The machine's own identity, by signBlob; `nil`: the metadata server knows the e-mail address.
            ///
            /// ``Settings/Firebase/projectID`` is there.
            case iam(serviceAccount: String?)
        }

        /// Who keeps uids and links.
        package enum Directory: String, Sendable, CaseIterable {
            /// The store.
            case local
            /// Identity Toolkit.
            case firebase
        }

        package let signing: Signing
        /// At most an hour, in whole seconds.
        package let tokenLifetime: Duration
        /// `nil`: that of the service account that signs.
        package let projectID: String?
        package let tenantID: String?
        /// Whether Firebase ID tokens are held against Identity Toolkit.
        package let checksRevocation: Bool
        package let directory: Directory
        /// Whether name, picture and verified e-mail address are written to the user; only with Firebase's directory.
        package let syncsProfile: Bool
        /// Of the project, to redeem custom tokens; there where a client redeems.
        package let apiKey: SecretValue?
        package let endpoints: FirebaseEndpoints
    }

    /// A service account's file, of which is not checked that it is JSON and that its key is good.
    package struct ServiceAccountFile: Sendable, Equatable {
        package let path: String
        package let json: SecretValue
    }
}

extension Settings.Firebase {
    static let keys = [
        "service_account", "signer", "iam_service_account", "token_lifetime", "project_id", "tenant_id",
        "check_revoked", "directory", "sync_profile", "api_key", "emulator_host", "endpoints",
    ]
    /// Google takes a custom token for an hour at most.
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
        // What was refused is not missing: nobody else shall say so.
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
        case .iam:
            section.refuse("project_id", "is missing: with signer: iam write the id that the Firebase console shows")
        case .emulator where looksUpUsers:
            section.refuse("project_id", "is missing: the emulator does not tell whose users are looked up")
        case .emulator, .serviceAccounts, nil: break
        }
    }

    private static func readSyncsProfile(_ section: Section, _ directory: Directory?) -> Bool {
        guard let entry = section["sync_profile"], let syncs = entry.bool() else { return false }
        if syncs, directory == .local { entry.refuse("writes to Firebase's users: write directory: firebase") }
        return syncs
    }
}

extension Entry {
    /// A project's or a tenant's id.
    func googleName() -> String? {
        guard let text = text() else { return nil }
        let isName = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-.:".utf8.contains(byte)
        }
        guard isName, text.utf8.count <= 64 else { return refusing("write the id that the Firebase console shows") }
        return text
    }
}

extension Settings {
    /// `firebase.endpoints`: where Google is.
    package struct FirebaseEndpoints: Sendable, Equatable {
        /// An origin, to which paths such as `/v1/accounts:lookup` are appended; with the emulator, one and the path under
        /// which it stands in for Google.
        package let identityToolkit: String
        /// The whole URL that hands out access tokens (RFC 7523).
        package let oauthToken: String
        /// The whole URL of the keys of Firebase ID tokens: X.509 certificates or a JWK set.
        package let idTokenKeys: String
        /// The whole URL of App Check's JWK set.
        package let appCheckKeys: String
        /// The origin of signBlob.
        package let iamCredentials: String
        /// The origin that knows this machine's identity.
        package let metadata: String
    }
}

extension Settings.FirebaseEndpoints {
    static let keys = [
        "identity_toolkit", "oauth_token", "id_token_keys", "app_check_keys", "iam_credentials", "metadata",
    ]
    /// Google documents it without TLS: it answers on the machine's own link alone.
    private static let metadataServer = "http://metadata.google.internal"

    static func read(_ section: Section, _ signing: Settings.Firebase.Signing?) -> Self {
        Self(
            identityToolkit: section["identity_toolkit"]?.origin() ?? identityToolkit(signing),
            oauthToken: section["oauth_token"]?.endpointURL() ?? "https://oauth2.googleapis.com/token",
            idTokenKeys: section["id_token_keys"]?.endpointURL()
                ?? "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
            appCheckKeys: section["app_check_keys"]?.endpointURL() ?? "https://firebaseappcheck.googleapis.com/v1/jwks",
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
