import Fixtures
import Foundation
import Testing

@Suite("config check", .timeLimit(.minutes(5)))
struct ConfigCheckTests {
    @Test("A valid configuration leads to exit code 0, and is printed without its secrets")
    func good() async throws {
        let installation = try Installation()
        let outcome = try await installation.run("config", "check")
        #expect(outcome.status == 0)
        #expect(
            outcome.output.contains("providers.twitter.com.oauth2.client_secret: [secret elided] from env:X_SECRET\n"))
        #expect(outcome.output.hasSuffix("token-exchange.yaml: no problem found\n"))
        #expect(!outcome.output.contains("warning: "))
        #expect(outcome.errors.isEmpty)
        #expect(outcome.hides(Installation.secret, try Fixtures.pem("rsa-2048")))
        #expect(!FileManager.default.fileExists(atPath: installation.folder.path + "/token-exchange.db"))
    }

    @Test("All problems are reported together, each with its line, and the exit code is 78")
    func allProblems() async throws {
        let installation = try Installation()
        try installation.write(
            installation.yaml
                .replacing(
                    "  public_url: http://127.0.0.1:8080", with: "  public_url: http://auth.example.com\n  colour: red"
                )
                .replacing("env:X_SECRET", with: "env:NOT_SET") + "limits:\n  exchange_per_address: often\n")
        let outcome = try await installation.run("config", "check")
        #expect(outcome.status == 78)
        #expect(outcome.output.isEmpty)
        let problems = outcome.errors.split(separator: "\n").dropFirst()
        #expect(
            problems.compactMap { $0.split(separator: ": ").prefix(2).joined(separator: ": ") } == [
                "  line 5: server.public_url", "  line 6: server.colour",
                "  line 18: providers.twitter.com.oauth2.client_secret", "  line 20: limits.exchange_per_address",
            ], "\(outcome.errors)")
    }

    @Test("A service account of another project is refused with both projects, and with what decides between them")
    func otherProject() async throws {
        let installation = try Installation()
        try installation.write(
            installation.yaml.replacing("firebase:\n", with: "firebase:\n  project_id: \"123456789012\"\n"))
        let outcome = try await installation.run("config", "check")
        #expect(outcome.status == 78)
        #expect(
            outcome.errors.contains(
                "not to 123456789012: if the Firebase console shows another project ID than 123456789012 for the project of "
                    + "the users, write that as firebase.project_id"), "\(outcome.errors)")
    }

    @Test("The outbound proxy is printed without its user name and password, by config check, doctor and the log")
    func outboundProxy() async throws {
        let installation = try Installation()
        // Nothing listens at this port of the proxy.
        let proxy = "http://proxy-user:proxy-hunter2@127.0.0.1:9"
        try installation.write(
            installation.yaml.replacing("  drain_delay: 0s", with: "  drain_delay: 0s\n  outbound_proxy: env:PROXY"))
        let check = try await installation.run("config", "check", environment: ["PROXY": proxy])
        #expect(check.status == 0)
        #expect(
            check.output.contains("server.outbound_proxy: http://127.0.0.1:9 with [secret elided] from env:PROXY\n"))
        let doctor = try await installation.run("doctor", environment: ["PROXY": proxy])
        #expect(
            doctor.output.contains(
                "info: server.outbound_proxy: Calls by https go through the proxy 127.0.0.1:9, except those to this machine."
            ))
        #expect(
            doctor.output.contains(
                """
                error: google.access_token: There is no access token: the proxy 127.0.0.1:9 of server.outbound_proxy \
                cannot be reached (Connection refused).
                    127.0.0.1:9 is this machine, or in a container the container itself: start the proxy there, or write into \
                server.outbound_proxy the name at which this process reaches it. It has to accept HTTP without TLS.
                """), "\(doctor.output)")
        try installation.write(
            installation.yaml.replacing("  drain_delay: 0s", with: "  drain_delay: 0s\n  outbound_proxy: \(proxy)x"))
        let refused = try await installation.run("config", "check")
        #expect(refused.status == 78)
        #expect(refused.errors.contains("server.outbound_proxy: has an invalid port"))
        for outcome in [check, doctor, refused] {
            for secret in ["proxy-user", "hunter2"] {
                #expect(!outcome.output.contains(secret) && !outcome.errors.contains(secret))
            }
        }
    }

    @Test("A missing file, or one that is not YAML, leads to exit code 78 and one line")
    func noFile() async throws {
        let installation = try Installation()
        try installation.write("server: [")
        let broken = try await installation.run("config", "check")
        #expect(broken.status == 78)
        #expect(broken.errors.split(separator: "\n").count == 2)
        let missing = try await Command.run("config", "check", "--config", installation.folder.path + "/nothing.yaml")
        #expect(missing.status == 78)
        #expect(missing.errors.contains("nothing.yaml does not exist"))
    }

    @Test(
        "KY-01: a service account that is missing, or whose key cannot sign, leads to exit code 78",
        arguments: BadKey.allCases)
    func badKey(_ bad: BadKey) async throws {
        let installation = try Installation()
        let (content, message) = try bad.contentAndMessage()
        if let content {
            try installation.write(serviceAccount: content)
        } else {
            try FileManager.default.removeItem(atPath: installation.serviceAccount)
        }
        for subcommand in [["config", "check"], ["mint", "--uid", "a"]] {
            let outcome = try await Command.run(
                subcommand + ["--config", installation.configuration], environment: Installation.environment)
            #expect(outcome.status == 78)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
            #expect(outcome.errors.contains("service-account.json"))
            #expect(outcome.hides(content ?? ""))
        }
    }

    @Test("A service account may begin with a byte order mark, have its line breaks escaped twice, or be in a variable")
    func repaired() async throws {
        let installation = try Installation()
        let account = Installation.account(key: try Fixtures.pem("rsa-2048").replacing("\n", with: #"\n"#))
        try installation.write(serviceAccount: "\u{FEFF}" + account)
        #expect(try await installation.run("config", "check").status == 0)
        try installation.write(installation.yaml.replacing(installation.serviceAccount, with: "env:FIREBASE_KEY_JSON"))
        let variable = ["FIREBASE_KEY_JSON": Data(account.utf8).base64EncodedString()]
        let outcome = try await installation.run("config", "check", environment: variable)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.hides(account))
        let broken = try await installation.run(
            "config", "check", environment: ["FIREBASE_KEY_JSON": account.replacing("END", with: "EN")])
        #expect(broken.status == 78)
        #expect(
            broken.errors.contains("the variable FIREBASE_KEY_JSON: private_key has no line -----END PRIVATE KEY-----"),
            "\(broken.errors)")
        #expect(broken.hides(account))
    }

    @Test(
        "A service account of another project is a warning, and one whose address names no project is not",
        arguments: [
            ("minter@project.iam.gserviceaccount.com", nil), ("project@appspot.gserviceaccount.com", nil),
            ("1234567890-compute@developer.gserviceaccount.com", nil),
            ("minter@other.iam.gserviceaccount.com", "other"), ("other@appspot.gserviceaccount.com", "other"),
            ("minter@project.example.com.iam.gserviceaccount.com", "example.com:project"),
        ])
    func otherProject(address: String, project: String?) async throws {
        let installation = try Installation()
        try installation.write(
            installation.yaml.replacing(
                "service_account: \(installation.serviceAccount)",
                with: "signer: iam\n  project_id: project\n  iam_service_account: \(address)"))
        let outcome = try await installation.run("config", "check")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let warning = project.map {
            "warning: firebase: the service account \(address) belongs to the project \($0), and firebase.project_id is project: "
        }
        #expect(outcome.output.contains(warning ?? "no problem found"), "\(outcome.output)")
        #expect(outcome.output.contains("warning: ") == (project != nil))
    }

    @Test(
        "Google credentials of another kind are refused with what is supported",
        arguments: [
            (#"{"executable": {"command": "/bin/x"}}"#, "with a token from a file, from a URL or from AWS"),
            (#"{"url": "http://wif.example/token"}"#, "A URL has to begin with https://, or with http:// if"),
        ])
    func otherCredentials(source: String, message: String) async throws {
        let installation = try Installation()
        let email = "minter@project.iam.gserviceaccount.com"
        try installation.write(
            serviceAccount: """
                {"type": "external_account", "token_url": "https://sts.googleapis.com/v1/token",
                "audience": "//iam.googleapis.com/x",
                "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "credential_source": \(source),
                "service_account_impersonation_url":
                "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/\(email):generateAccessToken"}
                """)
        try installation.write(
            installation.yaml.replacing(
                "service_account: \(installation.serviceAccount)",
                with: "signer: iam\n  project_id: project\n  google_credentials: \(installation.serviceAccount)"))
        let outcome = try await installation.run("config", "check")
        #expect(outcome.status == 78)
        #expect(outcome.errors.contains("the member credential_source") && outcome.errors.contains(message))
    }

    @Test("KY-01: a key that others can read is refused, unless --allow-insecure-permissions is given")
    func readable() async throws {
        let installation = try Installation()
        for mode in [0o644, 0o640, 0o604] {
            try installation.write(
                serviceAccount: Installation.account(key: try Fixtures.pem("rsa-2048")), mode: mode)
            let outcome = try await installation.run("config", "check")
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("chmod 600"))
            let allowed = try await installation.run("config", "check", "--allow-insecure-permissions")
            #expect(allowed.status == 0)
            #expect(allowed.output.contains("\nwarning: line 7: firebase.service_account: "), "\(allowed.output)")
        }
    }

    @Test("A store without an access token says what to do about the call that gives none")
    func tokenOfStore() async throws {
        let installation = try Installation()
        func key() -> String {
            Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
                .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        // Nothing listens at this port.
        let yaml = installation.yaml
            .replacing("firebase:\n", with: "firebase:\n  endpoints: {oauth_token: \"http://127.0.0.1:9/token\"}\n")
            .replacing(
                "store: sqlite://\(installation.folder.path)/token-exchange.db",
                with: "store: firestore://my-project/token-exchange\nseal_keys: [\(key())]\nstore_keys: [\(key())]")
        try installation.write(yaml)
        let doctor = try await installation.run("doctor")
        let words =
            "store.unavailable.authentication_failed; there is no access token: no connection to port 9 of 127.0.0.1 could be "
            + "made (Connection refused). 127.0.0.1 is this machine, or in a container the container itself: "
        #expect(doctor.output.contains(words), "\(doctor.output)")
    }

    @Test("doctor says that nothing answers at the emulator")
    func silentEmulator() async throws {
        let installation = try Installation()
        // Nothing listens at this port, which is that of the emulator and of the proxy.
        let yaml = installation.emulatorYAML.replacing("127.0.0.1:9099", with: "127.0.0.1:9")
            .replacing("  drain_delay: 0s", with: "  drain_delay: 0s\n  outbound_proxy: http://127.0.0.1:9")
        try installation.write(yaml)
        let doctor = try await installation.run("doctor")
        #expect(doctor.status == 1)
        #expect(
            doctor.output.contains("error: google.emulator: Nothing answers at the emulator 127.0.0.1:9.\n"),
            "\(doctor.output)")
    }

    @Test("LK-02: the variable of the emulator is ignored with a warning")
    func emulatorVariable() async throws {
        let installation = try Installation()
        let outcome = try await installation.run(
            "config", "check", environment: ["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099"])
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("the variable FIREBASE_AUTH_EMULATOR_HOST is ignored"))
        #expect(!outcome.output.contains("unsigned"))
    }
}

/// Problems of the file of a service account.
enum BadKey: CaseIterable {
    case missing, empty, notJSON, otherType, withoutKey, emptyKey, garbage, short, encrypted, certificate, publicHalf,
        ellipticCurve, truncated, brokenJSON, escaped, joined, expanded, quoted, token, changed, federation,
        impersonation,
        client, firstLine, withoutMarks, otherMarks, otherLanguage, base64, inMarks

    /// The content of the file, or `nil` for a missing file, and a part of the message.
    func contentAndMessage() throws -> (String?, String) {
        func account(_ key: String) throws -> String { Installation.account(key: try Fixtures.pem(key)) }
        func other(_ type: String) throws -> String {
            Installation.account(key: try Fixtures.pem("rsa-2048"), type: type)
        }
        return switch self {
        case .missing: (nil, "does not exist")
        case .empty: ("", "is empty")
        case .notJSON: (try Fixtures.pem("rsa-2048"), "is only the key in PEM: name the JSON file")
        case .firstLine: ("{\n", "has only its first line, as a file of variables keeps one line for each")
        case .withoutMarks: ("{type: service_account}", "has names without quotation marks, which a shell removes")
        case .otherMarks: ("{“type”: “service_account”}", "has other quotation marks than \"")
        case .otherLanguage: ("{ 'type': 'service_account' }", "has other quotation marks than \"")
        case .base64:
            (
                Data(try account("rsa-2048").utf8).base64EncodedString(options: .lineLength76Characters),
                "is base64: decode it (base64 -d), or write it into a variable and name env:NAME"
            )
        case .inMarks: ("'\(try account("rsa-2048"))'", "is in quotation marks: remove them")
        case .brokenJSON:
            ("{\n  \"type\": \"service_account\"\n  \"project_id\": \"p\"\n}", "is not JSON (line 3, column")
        case .escaped: (#"{\"type\":\"service_account\"}"#, "has backslashes before its quotation marks: remove them")
        case .joined:
            (
                try account("rsa-2048").replacing(",\"", with: #",\n  ""#),
                #"has \n as two characters where a line break or nothing must be, outside of its texts: write the base64"#
            )
        case .expanded:
            (
                try account("rsa-2048").replacing("\\n", with: "\n"),
                #"has a line break within a text (line 1), as after an expansion of \n by a shell or a .env file"#
            )
        case .federation:
            (
                try other("external_account"),
                "write signer: iam with project_id, and name the file as google_credentials"
            )
        case .impersonation:
            (
                try other("impersonated_service_account"),
                "its type is impersonated_service_account and not service_account, so that it has no key"
            )
        case .client: (#"{"installed": {"client_id": "a"}}"#, "is the secret of an OAuth client")
        case .otherType:
            (
                try other("authorized_user"),
                "its type is authorized_user and not service_account: it is the sign-in of a person"
            )
        case .withoutKey:
            (try account("rsa-2048").replacing("private_key\"", with: "other_key\""), "private_key is missing")
        case .emptyKey: (Installation.account(key: ""), "private_key is missing or empty")
        case .garbage:
            (
                Installation.account(key: "0123456789012345678901234567890"),
                "private_key is not a private key in PEM, because it has no line -----BEGIN ...-----"
            )
        case .short: (try account("rsa-1024"), "private_key has 1024 bits, and must have 2048 to 4096")
        case .encrypted: (try account("rsa-2048-encrypted"), "private_key is encrypted")
        case .certificate: (try account("rsa-2048-certificate"), "private_key is a block with the label CERTIFICATE")
        case .publicHalf: (try account("rsa-2048-public"), "private_key is a block with the label PUBLIC KEY")
        case .ellipticCurve: (try account("p256"), "private_key is an EC key, and must be an RSA key")
        case .quoted:
            (
                Installation.account(
                    key: "\"" + (try Fixtures.pem("rsa-2048").split(separator: "\n", maxSplits: 1)[1]) + "\""),
                "is in quotation marks"
            )
        case .token:
            (
                Installation.account(key: "pkcs11:token=tx;object=signing;pin-source=file:/pin"),
                "private_key is the URI of a key in a PKCS#11 token, which only token-exchange signer uses"
            )
        case .changed:
            (
                Installation.account(key: try Fixtures.pem("rsa-2048").replacing("\nM", with: "\nQ")),
                "private_key has a content that is damaged"
            )
        case .truncated:
            (
                Installation.account(key: String(try Fixtures.pem("rsa-2048").dropLast(400))),
                "private_key has no line -----END PRIVATE KEY-----"
            )
        }
    }
}
