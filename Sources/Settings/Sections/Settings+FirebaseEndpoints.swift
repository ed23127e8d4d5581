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
