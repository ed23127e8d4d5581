import Fixtures
import JOSE
import Jansson
import Providers
import Settings
import Testing

/// Tests of `client_secret`, `token_endpoint_auth` and `client_key` of a provider, with one error at a time.
@Suite("Client authentication")
struct ClientAuthenticationSettingsTests {
    private static let secret = "    client_secret: env:LINE_SECRET\n    token_endpoint_auth: client_secret_post\n"
    private static let apple = """
        client_secret:
          apple:
            key: file:/pem/p256
            key_id: ABC123DEFG
            team_id: TEAM123456
        """
    private static let jwt = """
        token_endpoint_auth: private_key_jwt
        client_key:
          key: file:/pem/p256
          key_id: key-1
          audience: https://id.example
        """

    /// The settings of the generic provider of the sample with other keys for its authentication.
    ///
    /// A file below `/pem` has the key of this name; the variable `PEM` has its value.
    private func line(
        _ keys: String, pem variable: String = ""
    ) throws(SettingsProblems) -> (line: Settings.OpenIDConnectProvider?, settings: Settings) {
        var environment = Sample.environment
        environment["PEM"] = variable
        let loader = SettingsLoader(environment: environment) { path throws(SettingsFileError) in
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            if path.hasPrefix("/pem/"), let pem = try? Fixtures.pem(name) {
                return SettingsFile(bytes: Array(pem.utf8))
            }
            if name.hasPrefix("AuthKey_"), let pem = try? Fixtures.pem("p256") {
                return SettingsFile(bytes: Array(pem.utf8))
            }
            guard let text = Sample.files[path] else { throw .missing }
            return SettingsFile(bytes: Array(text.utf8))
        }
        let indented = keys.split(separator: "\n").map { "    \($0)\n" }.joined()
        let settings = try loader.parse(yaml: Sample.yaml.replacing(Self.secret, with: indented))
        return (settings.providers.openIDConnect.last, settings)
    }

    private func expectRefusal(
        _ keys: String, pem variable: String = "", at key: String, _ message: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do throws(SettingsProblems) {
            _ = try line(keys, pem: variable)
            Issue.record("nothing was refused", sourceLocation: sourceLocation)
        } catch {
            #expect(error.problems.map(\.key) == ["providers.line." + key], sourceLocation: sourceLocation)
            #expect(error.problems.map(\.message) == [message], sourceLocation: sourceLocation)
        }
    }

    private func signer(_ name: String) throws -> JWSSigner { try JWSSigner(pem: Fixtures.pem(name)) }

    @Test("private_key_jwt takes its algorithm from the key; key id and audience may be left out")
    func privateKeyJWT() throws {
        for (name, algorithm) in [("p256", Algorithm.es256), ("rsa-2048", .rs256), ("rsa-2048-pkcs1", .rs256)] {
            let provider = try line(Self.jwt.replacing("/pem/p256", with: "/pem/" + name)).line
            #expect(try signer(name).algorithm == algorithm)
            #expect(
                provider?.registration.clientAuthentication
                    == .signedJWT(.assertion(try signer(name), keyID: "key-1", audience: "https://id.example")))
        }
        let least = try line("token_endpoint_auth: private_key_jwt\nclient_key: {key: file:/pem/p256-sec1}")
        #expect(
            least.line?.registration.clientAuthentication
                == .signedJWT(.assertion(try signer("p256-sec1"), keyID: nil, audience: nil)))
        #expect(least.settings.warnings.isEmpty)
    }

    @Test("Apple's secret is made of key, key id and team, and is sent in the form")
    func madeForApple() throws {
        let expected = ClientAuthentication.signedJWT(
            .apple(try signer("p256"), keyID: "ABC123DEFG", teamID: "TEAM123456"))
        for keys in [Self.apple, Self.apple + "\ntoken_endpoint_auth: client_secret_post"] {
            let (line, settings) = try line(keys)
            #expect(line?.registration.clientAuthentication == expected)
            #expect(settings.warnings.isEmpty)
        }
    }

    @Test("config check prints the sources of keys, and nothing of the keys")
    func summary() throws {
        let apple = try line(Self.apple).settings.summary.filter {
            $0.hasPrefix("providers.line.client_secret") || $0.hasPrefix("providers.line.client_key")
        }
        #expect(
            apple == [
                "providers.line.client_secret.apple.key: [secret elided] from file:/pem/p256",
                "providers.line.client_secret.apple.key_id: ABC123DEFG",
                "providers.line.client_secret.apple.team_id: TEAM123456",
            ])
        let settings = try line(Self.jwt.replacing("file:/pem/p256", with: "env:PEM"), pem: Fixtures.pem("p256"))
            .settings
        let jwt = settings.summary.filter { $0.hasPrefix("providers.line.client_key") || $0.contains("line.token") }
        #expect(
            jwt == [
                "providers.line.token_endpoint_auth: private_key_jwt",
                "providers.line.client_key.key: [secret elided] from env:PEM",
                "providers.line.client_key.key_id: key-1", "providers.line.client_key.audience: https://id.example",
            ])
        var dumped = ""
        dump(settings, to: &dumped)
        let body = try Fixtures.pem("p256").split(separator: "\n").dropFirst().first.map(String.init) ?? ""
        for text in ["\(settings)", dumped, String(reflecting: settings.providers)] {
            #expect(!text.contains("BEGIN") && !text.contains(body) && !text.contains("P256PrivateKey"))
        }
    }

    @Test("The id of a key is any text of at most 256 octets")
    func keyID() throws {
        for id in [
            "1", "default", "urn:ietf:params:oauth:jwk-thumbprint:sha-256:NzbLsXh8", String(repeating: "k", count: 256),
        ] {
            let provider = try line(Self.jwt.replacing("key-1", with: "\"\(id)\"")).line
            #expect(provider?.authentication.key?.keyID == id)
        }
        expectRefusal(
            Self.jwt.replacing("key-1", with: String(repeating: "k", count: 257)), at: "client_key.key_id",
            "must have at most 256 octets: write the id of the key at the provider")
    }

    @Test("A key in a variable may have \\n in two characters, as in files of variables")
    func escapedLineBreaks() throws {
        let pem = try Fixtures.pem("p256").replacing("\n", with: "\\n")
        let provider = try line(Self.jwt.replacing("file:/pem/p256", with: "env:PEM"), pem: pem).line
        #expect(
            provider?.registration.clientAuthentication
                == .signedJWT(.assertion(try signer("p256"), keyID: "key-1", audience: "https://id.example")))
    }

    private static let others =
        "make another key, such as openssl ecparam -name prime256v1 -genkey -noout -out FILE, and register its public key at "
        + "the provider"

    @Test(
        "Each other key has its own words",
        arguments: [
            (
                "p384",
                "is a key on another curve than P-256, and must be on P-256 (ES256), or an RSA key (RS256): \(others)"
            ),
            (
                "ed25519",
                "is neither a key on P-256 nor an RSA key, and must be on P-256 (ES256), or an RSA key (RS256): \(others)"
            ),
            (
                "rsa-pss-2048",
                "is neither a key on P-256 nor an RSA key, and must be on P-256 (ES256), or an RSA key (RS256): \(others)"
            ), ("rsa-1024", "is an RSA key with 1024 bits, and must have 2048 to 4096: \(others)"),
            (
                "p256-public",
                "is a block with the label PUBLIC KEY, and must be a private key: name the right file"
            ),
            (
                "p256-certificate",
                "is a block with the label CERTIFICATE, and must be a private key: name the right file"
            ),
            (
                "rsa-2048-encrypted",
                "is encrypted, and the server cannot ask for a passphrase: decrypt it with openssl pkey -in FILE -out NEWFILE"
            ),
            (
                "rsa-2048-pkcs1-encrypted",
                "is encrypted, and the server cannot ask for a passphrase: decrypt it with openssl pkey -in FILE -out NEWFILE"
            ),
        ])
    func otherKeys(name: String, words: String) {
        expectRefusal(
            Self.jwt.replacing("/pem/p256", with: "/pem/" + name), at: "client_key.key",
            "the file /pem/\(name) \(words)")
    }

    @Test(
        "A key that is not Apple's has its own words",
        arguments: [
            (
                "p384",
                "is a key on another curve than P-256, and Apple's keys are on the curve P-256: name the file AuthKey_KEYID.p8"
            ),
            (
                "ed25519",
                "is neither a key on P-256 nor an RSA key, and Apple's keys are on the curve P-256: name the file "
                    + "AuthKey_KEYID.p8"
            ),
            ("rsa-2048", "is an RSA key, and Apple's keys are on the curve P-256: name the file AuthKey_KEYID.p8"),
            ("rsa-1024", "is an RSA key, and Apple's keys are on the curve P-256: name the file AuthKey_KEYID.p8"),
        ])
    func otherAppleKeys(name: String, words: String) {
        expectRefusal(
            Self.apple.replacing("/pem/p256", with: "/pem/" + name), at: "client_secret.apple.key",
            "the file /pem/\(name) \(words)")
    }

    @Test("A damaged key is named without its content")
    func damaged() throws {
        let keys = Self.jwt.replacing("file:/pem/p256", with: "env:PEM")
        let lines = try Fixtures.pem("p256").split(separator: "\n").drop { !$0.hasPrefix("-----BEGIN") }
        let pem = lines.joined(separator: "\n")
        for (damaged, words) in [
            ("hunter2", "is not a private key in PEM, because it has no line -----BEGIN ...-----: name the right file"),
            (
                "pkcs11:token=a;object=b",
                "is the URI of a key in a PKCS#11 token, which only token-exchange signer uses: write signer: process if it is the "
                    + "key of firebase.service_account, and otherwise a private key in PEM"
            ), ("\"\(pem)\"", "is in quotation marks: remove them"),
            (pem.replacing("\n", with: " "), "has no line breaks: write the lines of the file as lines"),
            (
                lines.filter { !$0.hasPrefix("MIGH") }.joined(separator: "\n"),
                "has no private key that can be read between its first and its last line: copy the whole file again, if it was "
                    + "copied; otherwise make another key, such as openssl ecparam -name prime256v1 -genkey -noout -out FILE, and "
                    + "register its public key at the provider"
            ),
        ] { expectRefusal(keys, pem: damaged, at: "client_key.key", "the variable PEM \(words)") }
    }

    @Test(
        "A key is named by a file or a variable, and is never in the configuration",
        arguments: [
            ("/pem/p256", "must be in a file or a variable: write file:/path or env:NAME"),
            ("file:pem/p256", "must be in a file or a variable: write file:/path or env:NAME"),
            (
                "\"-----BEGIN PRIVATE KEY-----\"",
                "contains the key itself: write the key into a file, and file:/path here"
            ),
            ("file:/pem/none", "the file /pem/none does not exist"),
            (
                "env:NONE",
                "the variable NONE is not set for this process (sudo, systemd and Docker pass none on): set it there, or write another value"
            ),
            (
                "",
                "has no value: write file:/path or env:NAME of the private key in PEM. A value that begins with # or & needs "
                    + "quotation marks"
            ),
        ])
    func sources(written: String, message: String) {
        expectRefusal(
            "token_endpoint_auth: private_key_jwt\nclient_key:\n  key_id: a\n  key: \(written)", at: "client_key.key",
            message)
    }

    @Test(
        "Methods, secrets and keys that contradict one another are refused",
        arguments: [
            (
                "client_secret: env:LINE_SECRET\n" + jwt, "client_secret",
                "is never sent with token_endpoint_auth: private_key_jwt: leave out one of the two"
            ),
            (
                apple + "\ntoken_endpoint_auth: none", "client_secret",
                "is never sent with token_endpoint_auth: none: leave out one of the two"
            ),
            (
                "token_endpoint_auth: private_key_jwt", "client_key",
                "is missing: token_endpoint_auth: private_key_jwt needs it: write client_key with key and key_id"
            ),
            (
                "client_secret: env:LINE_SECRET\nclient_key: {key: file:/pem/p256}", "client_key",
                "is used only with token_endpoint_auth: private_key_jwt: write that without client_secret, or leave out client_key"
            ),
            (
                apple + "\ntoken_endpoint_auth: client_secret_basic", "token_endpoint_auth",
                "must be client_secret_post with client_secret.apple, because Apple reads the secret from the form: leave it out"
            ),
            (
                "token_endpoint_auth: tls_client_auth", "token_endpoint_auth",
                "tls_client_auth is not supported: choose client_secret_basic, or private_key_jwt, which needs client_key in "
                    + "place of client_secret, in the registration at the provider, and write it here"
            ),
            (
                "client_secret: env:LINE_SECRET\ntoken_endpoint_auth: client_secret_jwt", "token_endpoint_auth",
                "client_secret_jwt is not supported: choose client_secret_basic, or private_key_jwt, which needs client_key in "
                    + "place of client_secret, in the registration at the provider, and write it here"
            ),
            (
                "token_endpoint_auth: private_key_jwt\nclient_key: file:/pem/p256", "client_key",
                "must be a section: write its keys indented on the lines below"
            ),
            (
                "token_endpoint_auth: private_key_jwt\nclient_key: {keys: file:/pem/p256}", "client_key.keys",
                "is not a key of this section: did you mean key?"
            ),
            (
                "client_secret: {apple: file:/pem/p256}", "client_secret.apple",
                "must be a section: write its keys indented on the lines below"
            ),
            ("client_secret: [a]", "client_secret", "must be a single text: do not write a list or a section"),
            ("client_secret: {}", "client_secret", secretForm),
            (
                "client_secret: {key: file:/pem/p256, key_id: ABC123DEFG, team_id: TEAM123456}", "client_secret",
                secretForm
            ),
            ("client_secret: {aple: {}}", "client_secret", secretForm),
            // The reference of Kubernetes.
            ("client_secret: {valueFrom: {secretKeyRef: {name: web, key: secret}}}", "client_secret", secretForm),
        ])
    func contradictions(keys: String, key: String, message: String) {
        expectRefusal(keys, at: key, message)
    }

    private static let secretForm =
        "must be a text, such as env:NAME, or contain apple with key, key_id and team_id"
    private static let id = "must be 10 capital letters and digits: write the id of "

    @Test(
        "Each member of Apple's secret is checked",
        arguments: [
            (
                "key: file:/pem/p256", "", "key",
                "is missing: write file:/path of the key that Apple's developer account lets you download once"
            ),
            (
                "key_id: ABC123DEFG", "", "key_id",
                "is missing: write the id of the key, which Apple's developer account shows under Keys"
            ),
            (
                "team_id: TEAM123456", "", "team_id",
                "is missing: write the id of the team, which Apple's developer account shows under Membership"
            ),
            ("key_id: ABC123DEFG", "key_id: abc123defg", "key_id", id + "the key, such as ABC123DEFG"),
            ("key_id: ABC123DEFG", "key_id: AuthKey_ABC123DEFG.p8", "key_id", id + "the key, such as ABC123DEFG"),
            ("team_id: TEAM123456", "team_id: com.example.web", "team_id", id + "the team, such as TEAM123456"),
            (
                "team_id: TEAM123456", "team_id: ABC123DEFG", "team_id",
                "is the same as key_id: write the id of the team"
            ),
        ])
    func appleMembers(old: String, new: String, key: String, message: String) {
        expectRefusal(Self.apple.replacing(old, with: new), at: "client_secret.apple." + key, message)
    }

    @Test("A file of Apple's whose name has another key id causes a warning")
    func otherKeyID() throws {
        let keys = Self.apple.replacing("/pem/p256", with: "/apple/AuthKey_XYZ123DEFG.p8")
        let warnings = try line(keys).settings.warnings
        #expect(warnings.map(\.key) == ["providers.line.client_secret.apple.key_id"])
        #expect(
            warnings.map(\.message) == [
                "is ABC123DEFG, and Apple names a file after the id of its key: compare it with /apple/AuthKey_XYZ123DEFG.p8"
            ])
        #expect(
            try line(keys.replacing("XYZ123DEFG", with: "ABC123DEFG")).settings.warnings.isEmpty)
    }

    @Test("A secret that is a JWT with an end causes a warning with the day, and Apple's a better way")
    func expiringSecret() throws {
        let signer = try signer("p256")
        func warnings(_ claims: [String: JSON]) throws -> [String] {
            let secret = try signer.jwt(.object(claims), keyID: "ABC123DEFG")
            return try line("client_secret: env:PEM", pem: secret).settings.warnings.map { "\($0)" }
        }
        let (_, number) = try Sample.changing("client_secret: env:LINE_SECRET", to: "")
        let start =
            "line \(number): providers.line.client_secret: is a JWT that is valid until 2023-11-14: write a new one "
        let expiry = JSON.integer(1_700_000_000)
        #expect(try warnings(["exp": expiry]) == [start + "by then, or now if that day has passed"])
        #expect(
            try warnings(["exp": expiry, "aud": .string("https://appleid.apple.com")]) == [
                start
                    + "by then, or now if that day has passed, or client_secret.apple with key, key_id and team_id, with which "
                    + "the server makes one for each request"
            ])
        #expect(try warnings(["aud": .string("https://appleid.apple.com")]).isEmpty)
        for expiry in [JSON.string("soon"), .integer(.max), .integer(253_402_300_800), .null] {
            #expect(try warnings(["exp": expiry]).isEmpty)
        }
    }
}
