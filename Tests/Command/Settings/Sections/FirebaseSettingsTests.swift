import Settings
import Support
import Testing

/// Tests of `firebase`: the directory of accounts, and the endpoints of Google.
@Suite("Firebase's directory")
struct FirebaseSettingsTests {
    private static let line = "token_lifetime: 5m"

    private func firebase(_ lines: String) throws -> Settings {
        try Sample.loader().parse(yaml: Sample.changing(Self.line, to: lines).yaml)
    }

    @Test("Firebase's directory is read, with the settings for profiles and revocation")
    func directory() throws {
        let settings = try firebase("directory: firebase\nsync_profile: true\ncheck_revoked: true")
        #expect(settings.firebase.directory == .firebase)
        #expect(settings.firebase.syncsProfile)
        #expect(settings.firebase.checksRevocation)
        #expect(try firebase("directory: local\nsync_profile: false").firebase.directory == .local)
    }

    @Test(
        "A setting without an effect, or with an invalid value, is refused",
        arguments: [
            Change(line, "directory: both", "firebase.directory", "write local or firebase"),
            Change(line, "check_revoked: always", "firebase.check_revoked", "write true or false, without quotes"),
            Change(
                line, "sync_profile: true", "firebase.sync_profile",
                "works only with Firebase's users: write directory: firebase"),
            Change(
                line, "api_key: env:UNSET", "firebase.api_key",
                "the variable UNSET is not set for this process (sudo, systemd and Docker pass none on): set it there, or write another value"
            ),
            Change(
                line, "api_key: env:PLACEHOLDER", "firebase.api_key",
                "is a placeholder, or cannot be told from one: write the real secret, env:NAME for that of a variable, or make another one"
            ),
        ])
    func refused(change: Change) throws {
        try change.expectRefusal()
    }

    @Test("The API key is elided in every text")
    func apiKey() throws {
        let settings = try firebase("api_key: env:YAHOO_SECRET")
        #expect(settings.firebase.apiKey?.secretText == Sample.yahooSecret)
        #expect(settings.summary.contains("firebase.api_key: [secret elided] from env:YAHOO_SECRET"))
        #expect(!"\(settings) \(settings.firebase)".contains(Sample.yahooSecret))
    }

    @Test("Every endpoint may be a local server on loopback")
    func endpoints() throws {
        let settings = try firebase(
            """
            endpoints:
              identity_toolkit: http://127.0.0.1:1
              oauth_token: http://127.0.0.1:2/token
              id_token_keys: http://127.0.0.1:3/keys?a=b
              app_check_keys: http://127.0.0.1:4/jwks
              iam_credentials: http://127.0.0.1:5
              metadata: http://127.0.0.1:6
              secret_manager: http://127.0.0.1:7
            """)
        let endpoints = settings.firebase.endpoints
        #expect(endpoints.identityToolkit == "http://127.0.0.1:1")
        #expect(endpoints.oauthToken == "http://127.0.0.1:2/token")
        #expect(endpoints.idTokenKeys == "http://127.0.0.1:3/keys?a=b")
        #expect(endpoints.appCheckKeys == "http://127.0.0.1:4/jwks")
        #expect(endpoints.iamCredentials == "http://127.0.0.1:5")
        #expect(endpoints.metadata == "http://127.0.0.1:6")
        #expect(endpoints.secretManager == "http://127.0.0.1:7")
    }

    @Test("The metadata server may have the URL that Google documents")
    func metadata() throws {
        let settings = try firebase("endpoints: {metadata: http://metadata.google.internal}")
        #expect(settings.firebase.endpoints.metadata == "http://metadata.google.internal")
    }

    @Test(
        "An http endpoint beyond loopback, or one with a path, is refused",
        arguments: [
            ("identity_toolkit", "http://identitytoolkit.googleapis.com", clear),
            ("identity_toolkit", "https://identitytoolkit.googleapis.com/v1", only("identitytoolkit")),
            ("oauth_token", "http://oauth2.googleapis.com/token", clear),
            ("id_token_keys", "http://www.googleapis.com/keys", clear),
            ("secret_manager", "http://secretmanager.googleapis.com", clear),
            ("secret_manager", "https://secretmanager.googleapis.com/v1", only("secretmanager")),
            ("app_check_keys", "ftp://firebaseappcheck.googleapis.com", clear),
            ("iam_credentials", "http://iamcredentials.googleapis.com", clear),
            ("iam_credentials", "https://iamcredentials.googleapis.com/", only("iamcredentials")),
            ("metadata", "http://metadata.google.internal.evil.example", clear),
            ("metadata", "http://169.254.169.254", clear),
            ("metadata", "http://metadata.google.internal/", "has a slash at its end: leave it out"),
        ])
    func badEndpoint(name: String, url: String, message: String) throws {
        try Change(
            Self.line, "endpoints:\n  \(name): \(url)", "firebase.endpoints.\(name)", message, offset: 1
        ).expectRefusal()
    }

    private static let clear = "write https:// at its beginning; http:// is only for loopback"
    private static func only(_ service: String) -> String {
        "must be only scheme, host and port, in lower case and without the default port: write "
            + "https://\(service).googleapis.com"
    }

    @Test("The word off as an emulator is refused only with the advice to leave it out")
    func noEmulator() throws {
        try Change(
            Self.line, "emulator_host: off", "firebase.emulator_host",
            "is not a text in YAML: if the value is this very word, write it in quotes; otherwise write another value, or "
                + "leave it out"
        ).expectRefusal()
    }

    @Test(
        "By default the emulator is also Identity Toolkit, and it needs the project id if users are looked up"
    )
    func emulator() throws {
        let yaml = Sample.yaml.replacing("https://auth.example.com", with: "http://127.0.0.1:8080")
            .replacing("service_account: /keys/account.json", with: "emulator_host: 127.0.0.1:9099")
        #expect(
            try Sample.loader().parse(yaml: yaml).firebase.endpoints.identityToolkit
                == "http://127.0.0.1:9099/identitytoolkit.googleapis.com")
        let elsewhere = yaml.replacing("  \(Self.line)", with: "  endpoints: {identity_toolkit: \"http://[::1]:7\"}")
        #expect(try Sample.loader().parse(yaml: elsewhere).firebase.endpoints.identityToolkit == "http://[::1]:7")
        let anonymous = yaml.replacing("  project_id: my-project\n", with: "")
        #expect(throws: Never.self) { try Sample.loader().parse(yaml: anonymous) }
        for line in ["directory: firebase", "check_revoked: true"] {
            #expect(
                throws: SettingsProblems([
                    SettingsProblem(
                        line: 8, key: "firebase.project_id",
                        message: "is missing: write it, because the emulator does not supply it and users are looked up"
                    )
                ])
            ) { try Sample.loader().parse(yaml: anonymous.replacing("  \(Self.line)", with: "  \(line)")) }
        }
        let checked = anonymous.replacing("name: My App", with: "app_check: required")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: 19, key: "clients.my-app.app_check",
                    message: "needs firebase.project_id: write it there, because the emulator does not supply it")
            ])
        ) { try Sample.loader().parse(yaml: checked) }
    }
}
