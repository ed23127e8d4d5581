import Fixtures
import Foundation
import Settings
import Testing

@testable import token_exchange

@Suite("init", .timeLimit(.minutes(5)))
struct InitializeTests {
    /// The options of a complete configuration, of which a test changes one.
    private static func options(_ installation: borrowing Installation) -> [String: String] {
        [
            "--config": installation.folder.path + "/new.yaml", "--public-url": "https://auth.example.com",
            "--provider": "twitter.com", "--set twitter.com.oauth2.client_id": "our-id-at-x",
            "--set twitter.com.oauth2.client_secret": "env:X_SECRET",
            "--service-account": installation.serviceAccount,
            "--store": "sqlite://\(installation.folder.path)/token-exchange.db",
        ]
    }

    private static func run(_ options: [String: String], _ further: String...) async throws -> Command.Outcome {
        let words = options.sorted { $0.key < $1.key }.flatMap { option, value in
            option.hasPrefix("--set ") ? ["--set", option.dropFirst("--set ".count) + "=" + value] : [option, value]
        }
        return try await Command.run(["init"] + words + further, environment: Installation.environment)
    }

    @Test("Options make a configuration that config check accepts, and print no secret and no key")
    func complete() async throws {
        let installation = try Installation()
        let folder = installation.folder.path
        let file = folder + "/new.yaml"
        let outcome = try await Self.run(Self.options(installation))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.output == """
                \(folder)/seal-key: written
                \(folder)/store-key: written
                \(file): written
                Firebase project: project

                X, https://developer.x.com/en/portal/dashboard
                  Register exactly this redirect URI: https://auth.example.com/callback/twitter.com

                Next:
                  token-exchange config check --config \(file)
                  token-exchange doctor --config \(file)
                  token-exchange serve --config \(file)

                """)
        let keys = try ["seal-key", "store-key"].map { name in
            try String(contentsOf: installation.folder.appending(path: name), encoding: .utf8)
        }
        #expect(Set(keys).count == 2)
        #expect(outcome.hides(keys[0], keys[1], Installation.secret, try Fixtures.pem("rsa-2048")))
        for name in ["new.yaml", "seal-key", "store-key"] { #expect(try installation.mode(of: name) == 0o600) }
        let check = try await Command.run("config", "check", "--config", file, environment: Installation.environment)
        #expect(check.status == 0, "\(check.errors)")
        #expect(!check.output.contains("warning: "))
        for line in [
            "server.public_url: https://auth.example.com", "server.listen: 127.0.0.1:8080",
            "seal_keys: [[secret elided] from file:\(folder)/seal-key]",
            "clients.my-app.redirect_uris: [http://127.0.0.1/callback]",
            "providers.twitter.com.oauth2.client_secret: [secret elided] from env:X_SECRET",
        ] { #expect(check.output.contains(line + "\n"), "\(line)") }
    }

    @Test("With a public URL on loopback the server listens at its address")
    func loopback() async throws {
        let installation = try Installation()
        let options = Self.options(installation).merging(["--public-url": "http://127.0.0.1:8380"]) { $1 }
        #expect(try await Self.run(options).status == 0)
        let text = try String(contentsOf: installation.folder.appending(path: "new.yaml"), encoding: .utf8)
        #expect(text.contains("  listen: \"127.0.0.1:8380\"\n"))
    }

    @Test("An existing configuration is replaced only with --force, and existing keys are kept")
    func existing() async throws {
        let installation = try Installation()
        let options = Self.options(installation)
        #expect(try await Self.run(options).status == 0)
        let key = try Data(contentsOf: installation.folder.appending(path: "store-key"))
        let changed = options.merging(["--public-url": "https://other.example.com"]) { $1 }
        let refused = try await Self.run(changed)
        #expect(refused.status == 1)
        #expect(
            refused.errors
                == "token-exchange: \(installation.folder.path)/new.yaml exists: name another file with --config, or replace it "
                + "with --force\n")
        let outcome = try await Self.run(changed, "--force")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("\(installation.folder.path)/new.yaml: written\nFirebase project: "))
        #expect(try Data(contentsOf: installation.folder.appending(path: "store-key")) == key)
        #expect(try installation.mode(of: "new.yaml") == 0o600)
    }

    @Test("A key beside an existing database stays in use")
    func databaseKeys() async throws {
        let installation = try Installation()
        try Data(repeating: 7, count: 32).write(to: installation.folder.appending(path: "token-exchange.db.store-key"))
        #expect(try await Self.run(Self.options(installation)).status == 0)
        let text = try String(contentsOf: installation.folder.appending(path: "new.yaml"), encoding: .utf8)
        #expect(text.contains("seal_keys: ") && !text.contains("store_keys"))
    }

    @Test("Without a terminal every missing option is named")
    func missing() async throws {
        let installation = try Installation()
        let nothing = try await Command.run(
            "init", "--config", installation.folder.path + "/new.yaml", environment: Installation.environment)
        #expect(nothing.status == 64)
        #expect(
            nothing.errors
                == "token-exchange: there is no terminal to ask at, and these options are missing: --public-url, --provider, "
                + "--service-account\n")
        let registration = try await Command.run(
            "init", "--config", installation.folder.path + "/new.yaml", "--provider", "apple.com", "--public-url",
            "https://auth.example.com", environment: Installation.environment)
        #expect(registration.status == 64)
        #expect(
            registration.errors.hasSuffix(
                ": --set apple.com.client_id=…, --set apple.com.client_secret.apple.key=…, "
                    + "--set apple.com.client_secret.apple.key_id=…, --set apple.com.client_secret.apple.team_id=…, "
                    + "--service-account\n"), "\(registration.errors)")
        #expect(!FileManager.default.fileExists(atPath: installation.folder.path + "/new.yaml"))
        #expect(!FileManager.default.fileExists(atPath: installation.folder.path + "/seal-key"))
    }

    @Test(
        "An option is refused by the rule of config check, and nothing is written",
        arguments: [
            (
                "--public-url", "http://auth.example.com",
                "--public-url: server.public_url: write https:// at its beginning; http:// is only for loopback"
            ),
            (
                "--public-url", "http://127.0.0.1:9090",
                "--public-url: server.admin_listen: is the address of the public listener: choose another port"
            ),
            ("--provider", "yahoo", "--provider: there is no template yahoo: the templates are apple.com, "),
            (
                "--set twitter.com.oauth2.client_secret", "env:NOT_SET",
                "--set twitter.com.oauth2.client_secret=…: providers.twitter.com.oauth2.client_secret: the variable NOT_SET is not "
                    + "set for this process (sudo, systemd and Docker pass none on): set it there, or write another value"
            ),
            (
                "--set twitter.com.oauth2.client_secret", Installation.secret,
                "--set twitter.com.oauth2.client_secret=…: write the absolute path of a file, or env:NAME"
            ),
            (
                "--set twitter.com.client_id", "id",
                "--set: write KEY=VALUE with one of the keys twitter.com.oauth2.client_id, twitter.com.oauth2.client_secret"
            ),
            (
                "--redirect-uri", "my-app:/oauth",
                "--redirect-uri: clients.my-app.redirect_uris[0]: has a scheme without a dot, which any application can claim"
            ),
            ("--application", "my app", "--application: clients.my app: is not a client id: "),
            ("--service-account", "/nowhere.json", "firebase.service_account: the file /nowhere.json does not exist"),
            ("--store", "mysql://host/db", "--store: store: write sqlite:///path; or, "),
        ])
    func refused(option: String, answer: String, message: String) async throws {
        let installation = try Installation()
        let outcome = try await Self.run(Self.options(installation).merging([option: answer]) { $1 })
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.hides(Installation.secret))
        #expect(!FileManager.default.fileExists(atPath: installation.folder.path + "/new.yaml"))
    }

    @Test("A service account whose key cannot sign is refused, although its file can be read")
    func badKey() async throws {
        let installation = try Installation()
        try installation.write(serviceAccount: Installation.account(key: ""))
        let outcome = try await Self.run(Self.options(installation))
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--service-account: \(installation.serviceAccount): "), "\(outcome.errors)")
    }

    @Test(
        "The values of every template make a section that config check accepts",
        arguments: Settings.Providers.templates)
    func templates(template: Settings.Providers.Template) throws {
        let installation = try Installation()
        let folder = installation.folder.path
        var draft = ConfigurationDraft(
            path: folder + "/new.yaml", application: "my-app", store: "sqlite://\(folder)/db")
        draft.publicURL = "https://auth.example.com"
        draft.redirectURIs = ["com.example.app:/oauth"]
        draft.serviceAccount = installation.serviceAccount
        draft.providers = [template]
        draft.newFiles = [folder + "/secret": "b3f1c7a9\n", folder + "/key": try Fixtures.pem("p256")]
        let ids = ["key_id": "ABC123DEFG", "team_id": "TEAM123456"]
        for field in template.fields {
            let text =
                switch field.example {
                case let example where example.hasPrefix("env:"): "file:\(folder)/secret"
                case let example where example.hasPrefix("file:"): "file:\(folder)/key"
                case let example where example.contains("…"): ids[field.path.last ?? ""] ?? "our-id"
                case let example: example
                }
            draft.set(field, of: template, to: text)
        }
        #expect(template.fields.count >= 2)
        #expect(try draft.read().providers.ids == [template.id])
    }
}
