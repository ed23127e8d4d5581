import Settings
import Support
import Synchronization
import Testing

/// Tests of `gcp-secret:`, and of a configuration in a variable.
@Suite("Secrets in Secret Manager")
struct CloudSecretTests {
    private static let variable = ConfigurationSource.variable(name: "TOKEN_EXCHANGE_CONFIG")

    /// What the tests store: the payload by the reference without its prefix.
    private static let stored: [String: String] = [
        "seal": Sample.sealKey + "\n", "store": Sample.storeKey, "yahoo": Sample.yahooSecret + "\r\n",
        "account": Sample.keyFile, "proxy": "http://proxy-user:proxy-hunter2@proxy.example:3128", "id": "dj0yJmk9",
        "database": "postgresql://tokens:c81e728dpassword@db/tokens?sslmode=require",
    ]

    private static func loader(_ yaml: String) -> SettingsLoader {
        Sample.loader(environment: Sample.environment.merging(["TOKEN_EXCHANGE_CONFIG": yaml]) { $1 })
    }

    private static func name(_ text: String) throws -> CloudSecretName { try #require(CloudSecretName(text)) }

    /// Loads a configuration, and returns the names that were asked for, in the order of the calls.
    private static func load(
        _ yaml: String, failing failures: [String: String] = [:], bytes: [String: [UInt8]] = [:]
    ) async throws -> (settings: Settings, calls: [Set<CloudSecretName>]) {
        let calls = Mutex<[Set<CloudSecretName>]>([])
        let settings = try await loader(yaml).load(variable) { names, _ in
            calls.withLock { $0.append(names) }
            return names.reduce(into: [:]) { readings, name in
                let payload = bytes[name.secret] ?? stored[name.secret].map { Array($0.utf8) } ?? []
                readings[name] =
                    failures[name.secret].map { .failed($0) }
                    ?? .payload(SettingsFile(bytes: payload), version: "projects/p/secrets/\(name.secret)/versions/7")
            }
        }
        return (settings, calls.withLock(\.self))
    }

    private static func expectProblems(
        _ yaml: String, bytes: [String: [UInt8]] = [:], _ expected: [SettingsProblem],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        await #expect(throws: SettingsProblems(expected), sourceLocation: sourceLocation) {
            _ = try await load(yaml, bytes: bytes)
        }
    }

    /// The sample with a reference at every kind of place.
    private static let everywhere = Sample.yaml
        .replacing("seal_keys: [env:SEAL_KEY]", with: "seal_keys: [gcp-secret:seal/versions/2]")
        .replacing("store_keys: [env:STORE_KEY]", with: "store_keys: [\"gcp-secret:store\"]")
        .replacing(
            "store: sqlite:///data/accounts.db", with: "store: gcp-secret:projects/other/secrets/database/versions/3"
        )
        .replacing("client_secret: env:YAHOO_SECRET", with: "client_secret: gcp-secret:yahoo")
        .replacing("client_id: dj0yJmk9", with: "client_id: gcp-secret:id")
        .replacing("service_account: /keys/account.json", with: "service_account: [gcp-secret:account]")
        .replacing("  max_in_flight: 100", with: "  max_in_flight: 100\n  outbound_proxy: gcp-secret:proxy")

    @Test("Wherever a variable or a file may stand, a secret may stand, and each is read once and in one call")
    func everywhere() async throws {
        let (settings, calls) = try await Self.load(Self.everywhere)
        #expect(
            calls == [
                try Set(
                    [
                        "seal/versions/2", "store", "projects/other/secrets/database/versions/3", "yahoo", "id",
                        "account",
                        "proxy",
                    ].map(Self.name))
            ])
        #expect(settings.sealKeys.count == 1 && settings.storeKeys.count == 1)
        #expect(settings.providers.openIDConnect.first?.authentication.secret?.secretText == Sample.yahooSecret)
        #expect(settings.server.outboundProxy?.password?.secretText == "proxy-hunter2")
        guard case .serviceAccounts(let files) = settings.firebase.signing else { return #expect(Bool(false)) }
        #expect(files.map(\.content.secretText) == [Sample.keyFile])
        #expect(files.map(\.origin) == ["the secret account"])
        #expect(settings.secretVersions[try Self.name("yahoo")] == "projects/p/secrets/yahoo/versions/7")
    }

    @Test("config check prints references and no secret")
    func summary() async throws {
        let settings = try await Self.load(Self.everywhere).settings
        for line in [
            "firebase.service_account: [gcp-secret:account]",
            "seal_keys: [[secret elided] from gcp-secret:seal/versions/2]",
            "providers.yahoo.com.client_secret: [secret elided] from gcp-secret:yahoo",
            "server.outbound_proxy: http://proxy.example:3128 with [secret elided] from gcp-secret:proxy",
        ] { #expect(settings.summary.contains(line), "\(line)") }
        for secret in ["hunter2", "c81e728dpassword", Sample.yahooSecret, Sample.sealKey, "MIIEvQ"] {
            #expect(!"\(settings) \(settings.sealKeys) \(settings.firebase)".contains(secret))
        }
    }

    @Test("A private key in PEM may be in Secret Manager, and damage is named without its content")
    func privateKey() async throws {
        let (yaml, line) = try Sample.changing(
            "client_secret: env:YAHOO_SECRET",
            to: "client_secret: {apple: {key: gcp-secret:apple, key_id: ABCDEFGHIJ, team_id: KLMNOPQRST}}")
        try await Self.expectProblems(
            yaml, bytes: ["apple": Array("hunter2".utf8)],
            [
                SettingsProblem(
                    line: line, key: "providers.yahoo.com.client_secret.apple.key",
                    message:
                        "the secret apple is not a private key in PEM, because it has no line -----BEGIN ...-----: name the right file"
                )
            ])
    }

    @Test("A configuration without references calls nothing")
    func none() async throws {
        let (settings, calls) = try await Self.load(Sample.yaml)
        #expect(calls.isEmpty && settings.secretVersions.isEmpty)
    }

    @Test("Every secret that cannot be read is reported at its line, together with every other problem")
    func failures() async throws {
        let (first, line) = try Sample.changing("seal_keys: [env:SEAL_KEY]", to: "seal_keys: [gcp-secret:seal]")
        let yaml = first.replacing("client_secret: env:YAHOO_SECRET", with: "client_secret: gcp-secret:yahoo")
            .replacing("level: info", with: "level: loud")
        do {
            _ = try await Self.load(yaml, failing: ["seal": "does not exist", "yahoo": "may not be read"])
            Issue.record("nothing was refused")
        } catch let error as SettingsProblems {
            #expect(
                error.problems.map(\.key) == ["seal_keys[0]", "providers.yahoo.com.client_secret", "logging.level"])
            #expect(error.problems.first?.description == "line \(line): seal_keys[0]: the secret seal does not exist")
        }
    }

    @Test("A payload that is empty, not UTF-8, a placeholder or no key is refused with the name of the secret")
    func payloads() async throws {
        let (yaml, line) = try Sample.changing("seal_keys: [env:SEAL_KEY]", to: "seal_keys: [gcp-secret:seal]")
        for (bytes, message): ([UInt8], String) in [
            ([], "the secret seal is empty: write the value there"),
            ([0x0A], "the secret seal is empty: write the value there"),
            ([0x61, 0xFF], "the secret seal \(SettingsFileError.otherEncoding.message)"),
            (
                Array("changeme".utf8),
                "is a placeholder, or cannot be told from one: write the real secret, env:NAME for that of a variable, or make another one"
            ),
            (
                Array((Sample.sealKey + "\n\n").utf8),
                "the secret seal ends in more than one line break, of which one is left out: remove the others"
            ),
            (
                Array("hunter2hunter2".utf8),
                "is 14 characters that are not base64, and must be 32 bytes in base64url (43 characters, or 44 with =), as "
                    + "token-exchange keys create and openssl rand -base64 32 make them"
            ),
        ] {
            try await Self.expectProblems(
                yaml, bytes: ["seal": bytes], [SettingsProblem(line: line, key: "seal_keys[0]", message: message)])
        }
    }

    @Test("What the calls to Google depend on is reported before any call")
    func problemsOfCalls() async throws {
        let yaml = Self.everywhere.replacing("max_in_flight: 100", with: "max_in_flight: none")
        do {
            _ = try await Self.loader(yaml).load(Self.variable) { _, _ in
                Issue.record("a secret was read")
                return [:]
            }
        } catch {
            #expect(error.problems.map(\.key) == ["server.max_in_flight"])
        }
    }

    @Test(
        "A reference is the name of a secret, with or without a version, or its whole name",
        arguments: [
            ("seal-key_1", "gcp-secret:seal-key_1"), ("a/versions/latest", "gcp-secret:a"),
            ("a/versions/7", "gcp-secret:a/versions/7"),
            (
                "projects/example.com:p/secrets/a/versions/latest",
                "gcp-secret:projects/example.com:p/secrets/a/versions/latest"
            ),
        ])
    func names(text: String, written: String) {
        #expect(CloudSecretName(text)?.description == written)
    }

    @Test(
        "Another text is refused, also one that could be a key",
        arguments: [
            "", "a b", "a/b", "a/versions", "a/versions/", "projects/p/secrets/a", "projects/../secrets/a/versions/1",
            "projects//secrets/a/versions/1", "projects/p/locations/l/secrets/a/versions/1", "a/versions/1?x", "../a",
            "a\u{e9}", Sample.sealKey.replacing("_", with: "0"), String(repeating: "a", count: 256),
        ])
    func badNames(text: String) async throws {
        #expect(CloudSecretName(text) == nil)
        let (yaml, line) = try Sample.changing("seal_keys: [env:SEAL_KEY]", to: "seal_keys: [\"gcp-secret:\(text)\"]")
        try await Self.expectProblems(
            yaml,
            [
                SettingsProblem(
                    line: line, key: "seal_keys[0]",
                    message:
                        "write gcp-secret:NAME, or gcp-secret:projects/PROJECT/secrets/NAME/versions/VERSION"
                )
            ])
    }

    @Test("Without a network the secrets are named and left out, and everything else is checked")
    func offline() throws {
        let (settings, unread) = try Self.loader(Self.everywhere).loadOffline(Self.variable)
        #expect(
            unread.map(\.description) == [
                "gcp-secret:account", "gcp-secret:id", "gcp-secret:projects/other/secrets/database/versions/3",
                "gcp-secret:proxy", "gcp-secret:seal/versions/2", "gcp-secret:store", "gcp-secret:yahoo",
            ])
        #expect(settings.sealKeys.isEmpty && settings.server.outboundProxy == nil)
        #expect(throws: SettingsProblems.self) {
            try Self.loader(Self.everywhere + "colour: red\n").loadOffline(Self.variable)
        }
    }

    @Test("The configuration of the signer cannot refer to Secret Manager")
    func signer() throws {
        let yaml = "socket: /run/s/socket\nservice_account: gcp-secret:account\nallowed_users: [token-exchange]\n"
        let loader = SettingsLoader(environment: [:]) { _ throws(SettingsFileError) in
            SettingsFile(bytes: Array(yaml.utf8))
        }
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: 2, key: "service_account",
                    message: "gcp-secret: is not available in this file: write env:NAME or file:/path")
            ])
        ) { try loader.loadSigner(path: "/signer.yaml") }
    }

    @Test("A variable has the YAML itself, with or without a byte order mark, and its lines are those of a file")
    func yaml() async throws {
        let parsed = try Sample.loader().parse(yaml: Sample.yaml)
        #expect(try await Self.load(Sample.yaml).settings == parsed)
        #expect(try await Self.load("\u{FEFF}" + Sample.yaml).settings == parsed)
        let (yaml, line) = try Sample.changing("level: info", to: "level: loud")
        do {
            _ = try await Self.load(yaml)
            Issue.record("nothing was refused")
        } catch let error as SettingsProblems {
            #expect(error.problems.map(\.line) == [line])
        }
        #expect(Self.variable.description == "TOKEN_EXCHANGE_CONFIG")
    }

    @Test("A secret in plain text in the variable is a warning of its own")
    func plainText() async throws {
        let (yaml, line) = try Sample.changing("client_secret: env:YAHOO_SECRET", to: "client_secret: b3f1c7a9yahoo")
        #expect(
            try await Self.load(yaml).settings.warnings == [
                SettingsProblem(
                    line: line, key: "providers.yahoo.com.client_secret",
                    message: "is in plain text in a variable: write gcp-secret:NAME, or env:NAME of another variable")
            ])
    }

    @Test(
        "A variable with something else than a configuration is refused with its own words, and never shown",
        arguments: [
            ("", "is empty: write the configuration as YAML into the variable, or unset it"),
            (" \n", "is empty: write the configuration as YAML into the variable, or unset it"),
            (
                "/etc/hunter2.yaml",
                "contains the path of a file: write the content of the file there, or --config and the path"
            ),
            (
                #"server:\n  public_url: https://hunter2.example"#,
                #"has the two characters \n instead of line breaks: write a line break for each"#
            ),
            (
                "aHVudGVyMg==",
                "is one line without a colon, and must be YAML with keys: write the content of a configuration file there. If it is "
                    + "base64, decode it"
            ),
        ])
    func otherContent(text: String, message: String) async throws {
        try await Self.expectProblems(text, [SettingsProblem(line: nil, key: "", message: message)])
    }
}
