import Curl
import Fixtures
import Foundation
import Testing
import Transport

/// The server as it runs on a platform without a disk: the configuration is in a variable, and the secrets are in the
/// Secret Manager of the stand-ins.
@Suite("Without a disk", .timeLimit(.minutes(5)))
struct CloudSecretsTests {
    /// Google's stand-in with its control listener.
    private final class Google: Sendable {
        let origin: String
        private let control: String
        private let process: RunningCommand
        private let curl: CurlTransport

        init() async throws {
            process = try RunningCommand(
                ["sandbox"]
                    + ["yahoo", "x", "providers", "google", "hostile", "control"].flatMap { ["--\($0)-port", "0"] },
                of: .lab)
            curl = try CurlTransport()
            control = try #require(
                try await process.line(with: "control")?.split(separator: " ").dropFirst().first.map(String.init))
            origin = try #require(
                try await process.line(with: "Google")?.split(separator: " ").dropFirst().first.map(String.init))
        }

        /// Sends `{"name", "value"?, "readable"?, "enabled"?}`.
        func change(_ command: String) async throws {
            let answer = try await curl.transport.send(
                OutboundRequest(
                    .post, control + "/google/secrets", header: [HeaderField("Content-Type", "application/json")],
                    body: Array(command.utf8)))
            #expect(answer.status == 200)
        }

        func end() async {
            process.signal(SIGTERM)
            _ = await process.end()
        }
    }

    private static func yaml(_ google: String, folder: String) -> String {
        """
        server:
          listen: 127.0.0.1:0
          admin_listen: 127.0.0.1:0
          drain_delay: 0s
          public_url: http://127.0.0.1:8080
        firebase:
          signer: iam
          project_id: sandbox
          endpoints: {secret_manager: "\(google)", metadata: "\(google)", iam_credentials: "\(google)"}
        store: sqlite://\(folder)/token-exchange.db
        seal_keys: [gcp-secret:token-exchange-seal-key]
        store_keys: [gcp-secret:projects/sandbox/secrets/token-exchange-store-key/versions/latest]
        clients:
          my-app:
            provider_redirect_uris: ["com.example.app:/x"]
        providers:
          twitter.com:
            flow: oauth2
            oauth2:
              client_id: our-id-at-x
              client_secret: gcp-secret:x-secret

        """
    }

    @Test("config check, doctor and serve read the secrets; a reload that cannot read one keeps what was read")
    func server() async throws {
        let installation = try Installation()
        let google = try await Google()
        let environment = ["TOKEN_EXCHANGE_CONFIG": Self.yaml(google.origin, folder: installation.folder.path)]
        let missing = try await Command.run("config", "check", environment: environment)
        #expect(missing.status == 78)
        #expect(
            missing.errors == """
                token-exchange: TOKEN_EXCHANGE_CONFIG is not a valid configuration:
                  line 21: providers.twitter.com.oauth2.client_secret: the secret x-secret does not exist in the project sandbox, \
                or has no version: gcloud secrets create x-secret --project sandbox --data-file=-, which reads the value from \
                standard input

                """)

        try await google.change(#"{"name": "x-secret", "value": "\#(Installation.secret)\n"}"#)
        let check = try await Command.run("config", "check", environment: environment)
        #expect(check.status == 0, "\(check)")
        #expect(check.output.contains("seal_keys: [[secret elided] from gcp-secret:token-exchange-seal-key]\n"))
        #expect(check.output.hasSuffix("\nTOKEN_EXCHANGE_CONFIG: no problem found\n"))
        #expect(check.hides(Installation.secret))
        let doctor = try await Command.run("doctor", environment: environment)
        #expect(
            doctor.output.contains(
                "ok: google.secret (gcp-secret:x-secret): projects/sandbox/secrets/x-secret/versions/1 can be read."),
            "\(doctor.output)")

        let server = try RunningCommand(["serve"], environment: environment)
        _ = try #require(try await server.line(with: "public listener"), "\(server.errors)")
        server.signal(SIGHUP)
        _ = try await server.line(with: "configuration reloaded")
        try await google.change(#"{"name": "x-secret", "readable": false}"#)
        server.signal(SIGHUP)
        let refusal = try await server.line(with: "the old one stays in force")
        #expect(
            refusal?.contains(
                "the secret x-secret of the project sandbox may not be read by the service account "
                    + "default@sandbox.iam.gserviceaccount.com. If the project is right and the role "
                    + "roles/secretmanager.secretAccessor is missing: "
                    + "gcloud secrets add-iam-policy-binding x-secret --project sandbox --member "
                    + "serviceAccount:default@sandbox.iam.gserviceaccount.com --role roles/secretmanager.secretAccessor"
            ) == true, "\(refusal ?? "")")
        try await google.change(#"{"name": "x-secret", "readable": true, "enabled": false}"#)
        server.signal(SIGHUP)
        let disabled = try await server.line(with: "the old one stays in force", times: 2)
        #expect(disabled?.contains("has a version latest that is disabled or destroyed") == true, "\(disabled ?? "")")
        try await google.change(#"{"name": "x-secret", "enabled": true}"#)
        server.signal(SIGHUP)
        _ = try await server.line(with: "configuration reloaded", times: 2)
        server.signal(SIGTERM)
        #expect(await server.end() == 0)
        #expect(!server.output.contains(Installation.secret))
        await google.end()
    }

    @Test("Away from Google Cloud the message says so, and --offline reads no secret")
    func noMetadataServer() async throws {
        let installation = try Installation()
        // Nothing listens at this port.
        let yaml = Self.yaml("http://127.0.0.1:9", folder: installation.folder.path)
        let environment = ["TOKEN_EXCHANGE_CONFIG": yaml]
        let check = try await Command.run("config", "check", environment: environment)
        #expect(check.status == 78)
        #expect(
            check.errors.contains(
                "line 21: providers.twitter.com.oauth2.client_secret: the secret x-secret of the project sandbox cannot be "
                    + "read, because no metadata server of Google Cloud answers"), "\(check.errors)")
        let offline = try await Command.run("config", "check", "--offline", environment: environment)
        #expect(offline.status == 0, "\(offline)")
        #expect(offline.output.contains("warning: gcp-secret:x-secret was not read, because of --offline\n"))
    }

    @Test("--config takes precedence over the variable, and config check says so")
    func precedence() async throws {
        let installation = try Installation()
        let outcome = try await installation.run(
            "config", "check", environment: ["TOKEN_EXCHANGE_CONFIG": "colour: hunter2"])
        #expect(outcome.status == 0)
        #expect(
            outcome.output.hasSuffix(
                """
                warning: the variable TOKEN_EXCHANGE_CONFIG is ignored, because --config names a file
                \(installation.configuration): no problem found

                """))
        let alone = try await Command.run("config", "check", environment: ["TOKEN_EXCHANGE_CONFIG": "colour: hunter2"])
        #expect(alone.status == 78)
        #expect(alone.errors.contains("line 1: colour: is not a key of this section"))
        #expect(!alone.errors.contains("hunter2"))
    }
}

@Suite("keys create", .timeLimit(.minutes(5)))
struct KeysTests {
    private static var key: Regex<Substring> { /[A-Za-z0-9_-]{43}/ }

    @Test("Both keys are lines for a file of variables; what to write is on standard error, without a key")
    func both() async throws {
        let outcome = try await Command.run("keys", "create")
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 3 && lines[2].isEmpty)
        let keys = zip(["SEAL_KEY=", "STORE_KEY="], lines).compactMap {
            $1.hasPrefix($0) ? $1.dropFirst($0.count) : nil
        }
        #expect(keys.allSatisfy { $0.wholeMatch(of: Self.key) != nil })
        #expect(Set(keys).count == 2)
        #expect(outcome.errors.hasSuffix("\n  seal_keys: [env:SEAL_KEY]\n  store_keys: [env:STORE_KEY]\n"))
        #expect(!keys.contains { outcome.errors.contains($0) })
    }

    @Test("One key is only the key, another one each time, and the server accepts it", arguments: ["seal", "store"])
    func one(purpose: String) async throws {
        let first = try await Command.run("keys", "create", "--only", purpose)
        let second = try await Command.run("keys", "create", "--only", purpose)
        #expect(first.status == 0 && first.errors.isEmpty && first.output != second.output)
        #expect(first.output.dropLast().wholeMatch(of: Self.key) != nil && first.output.hasSuffix("\n"))
        let installation = try Installation()
        try installation.write(installation.yaml + "\(purpose)_keys: [env:KEY]\n")
        let check = try await installation.run("config", "check", environment: ["KEY": first.output])
        #expect(check.status == 0, "\(check)")
    }

    @Test("With --gcp-secret the commands read keys from a pipe, and neither stream has a key")
    func secretManager() async throws {
        let outcome = try await Command.run("keys", "create", "--gcp-secret", "--project", "my-project")
        #expect(outcome.status == 0)
        #expect(
            outcome.output == """
                token-exchange keys create --only seal | gcloud secrets create token-exchange-seal-key --project my-project \
                --replication-policy automatic --data-file=-
                token-exchange keys create --only store | gcloud secrets create token-exchange-store-key --project my-project \
                --replication-policy automatic --data-file=-

                """)
        #expect(outcome.errors.contains("--role roles/secretmanager.secretAccessor\n"))
        #expect(
            outcome.errors.hasSuffix(
                "\n  seal_keys: [gcp-secret:token-exchange-seal-key]\n  store_keys: [gcp-secret:token-exchange-store-key]\n"
            ))
        #expect(!outcome.errors.contains(Self.key))
    }

    @Test(
        "A project that is no id, or that nothing uses, is refused, because it would become a part of a command",
        arguments: [
            ["--gcp-secret", "--project", "a; rm -rf /"], ["--gcp-secret", "--project", "$(id)"],
            ["--gcp-secret", "--project", ""], ["--project", "my-project"], ["--only", "both"],
        ])
    func refused(arguments: [String]) async throws {
        let outcome = try await Command.run(["keys", "create"] + arguments)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
    }
}
