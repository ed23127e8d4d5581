import JOSE
import Settings
import Standards
import Support
import Testing

/// Tests of the signer: a service account from the file or the environment, or the emulator.
@Suite("Signing")
struct EnvironmentTests {
    private static let file = "service_account: /keys/account.json"
    private static let loopback = Sample.yaml.replacing(
        "public_url: https://auth.example.com", with: "public_url: http://127.0.0.1:8080")

    private static func with(_ variables: [String: String]) -> [String: String] {
        Sample.environment.merging(variables) { $1 }
    }

    @Test("GOOGLE_APPLICATION_CREDENTIALS is the default of the service account")
    func credentials() throws {
        let yaml = Sample.yaml.replacing("  \(Self.file)\n", with: "")
        let environment = Self.with(["GOOGLE_APPLICATION_CREDENTIALS": "/keys/account.json"])
        let settings = try Sample.loader(environment: environment).parse(yaml: yaml)
        #expect(try settings == Sample.loader().parse(yaml: Sample.yaml))
    }

    @Test("The file takes precedence over GOOGLE_APPLICATION_CREDENTIALS")
    func fileFirst() throws {
        let environment = Self.with(["GOOGLE_APPLICATION_CREDENTIALS": "/keys/none.json"])
        #expect(throws: Never.self) { try Sample.loader(environment: environment).parse(yaml: Sample.yaml) }
    }

    @Test("A bad path in GOOGLE_APPLICATION_CREDENTIALS is reported under the key that it replaces, with its name")
    func badCredentials() throws {
        try Change(
            Self.file, "signer: service_account",
            "firebase.service_account (the variable GOOGLE_APPLICATION_CREDENTIALS)",
            "the file /keys/none.json does not exist", offset: nil
        ).expectRefusal(environment: Self.with(["GOOGLE_APPLICATION_CREDENTIALS": "/keys/none.json"]))
    }

    @Test(
        "A service account that is missing, empty or not a path is refused (KY-01)",
        arguments: [
            ("/keys/none.json", "the file /keys/none.json does not exist"),
            ("/keys/blank.json", "the file /keys/blank.json is empty"),
            (
                "'{\"private_key\": \"hunter2\"}'",
                "write the path of the JSON file, or env:NAME for a variable with its content"
            ),
            (
                "eyJwcml2YXRlX2tleSI6ICJodW50ZXIyIn0=",
                "write the path of the JSON file, or env:NAME for a variable with its content"
            ),
            (
                "~/account.json",
                "write the path of the JSON file, or env:NAME for a variable with its content; ~ and variables such as $HOME are "
                    + "not replaced here"
            ),
            (
                "$SERVICE_ACCOUNT",
                "write the path of the JSON file, or env:NAME for a variable with its content; ~ and variables such as $HOME are "
                    + "not replaced here"
            ),
            (
                "env:SERVICE_ACCOUNT",
                "the variable SERVICE_ACCOUNT is not set for this process (sudo, systemd and Docker pass none on): set it there, or write another value"
            ),
            ("\"env:\"", "write the name of a variable after env:"),
        ])
    func badServiceAccount(path: String, message: String) throws {
        try Change(Self.file, "service_account: \(path)", "firebase.service_account", message).expectRefusal()
    }

    private static let json = #"{"type": "service_account", "private_key": "hunter2\n>>>???"}"#

    @Test(
        "The variable of a service account has the JSON itself, or its base64",
        arguments: [
            json, "\u{FEFF}\(json)", "\n \(json)\n", Base64.encode(Array(json.utf8)), base64URL,
            base64URL + "=", "\(base64URL.prefix(40))\n\(base64URL.dropFirst(40))\n",
            "\(base64URL.prefix(40))\r\n\(base64URL.dropFirst(40))=\r\n",
            Base64.encode(Array("\u{FEFF}\(json)".utf8)),
            // zsh shows a percent sign after an output without a line break.
            "\(json)%\n", Base64.encode(Array(json.utf8)) + "%",
            // certutil -encode of Windows, and a variable without its line breaks.
            "-----BEGIN CERTIFICATE-----\r\n\(Base64.encode(Array(json.utf8)))\r\n-----END CERTIFICATE-----\r\n",
            "-----BEGIN CERTIFICATE-----\(Base64.encode(Array(json.utf8)))-----END CERTIFICATE-----",
        ])
    func variable(text: String) throws {
        let yaml = try Sample.changing(Self.file, to: "service_account: env:FIREBASE_KEY_JSON").yaml
        let settings = try Sample.loader(environment: Self.with(["FIREBASE_KEY_JSON": text])).parse(yaml: yaml)
        guard case .serviceAccounts(let files) = settings.firebase.signing else {
            Issue.record("no service account")
            return
        }
        #expect(files.map { $0.content.secretText.filter { $0 != "\u{FEFF}" } }.map(Self.trimmed) == [Self.json])
        #expect(files.map(\.origin) == ["the variable FIREBASE_KEY_JSON"])
        #expect(settings.warnings.isEmpty)
        #expect(settings.summary.contains("firebase.service_account: [env:FIREBASE_KEY_JSON]"))
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!dumped.contains("hunter2") && !settings.summary.joined().contains("hunter2"))
    }

    private static let base64URL = Base64URL.encode(Array(json.utf8))

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    private static let keyOnly =
        "has -----BEGIN, as keys and certificates do, as it is or in base64: write the content of the whole JSON file there, "
        + "of which private_key is only one member"
    private static let neither =
        "is neither the JSON of the file nor its base64: write the output of base64 -w0 FILE there"

    @Test(
        "A variable with anything else is refused by its name, and its value is not repeated",
        arguments: [
            ("", "is empty: write the value there"), (" \n", "is empty: write the value there"),
            ("'{\"private_key\": \"hunter2\"}'", "is in quotation marks: remove them"),
            ("\"eyJhIjoxfQ==\"", "is in quotation marks: remove them"),
            ("/keys/account.json", "contains the name of a file: write that name here, in place of the reference"),
            ("aHVudGVyMg==", neither),
            ("-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n", keyOnly),
            ("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n", keyOnly),
            (Base64URL.encode(Array("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n".utf8)), keyOnly),
            ("hunter2", neither),
            ("hunter2%", neither),
            // UTF-16, as PowerShell writes text.
            ("//57AH0A", neither),
        ])
    func badVariable(text: String, message: String) throws {
        try Change(
            Self.file, "service_account: env:KEY", "firebase.service_account", "the variable KEY \(message)"
        ).expectRefusal(environment: Self.with(["KEY": text]))
    }

    @Test("The members of a service account in place of its text are refused with what to write")
    func section() throws {
        try Change(
            Self.file, "service_account: {client_email: env:EMAIL, private_key: env:KEY}", "firebase.service_account",
            "is a section, and must be one text: write the path of the service account's JSON file, or env:NAME with its whole "
                + "content, and not its members"
        ).expectRefusal()
    }

    @Test("GOOGLE_APPLICATION_CREDENTIALS with the JSON instead of a path is refused with the other way to write it")
    func contentInVariableOfPath() throws {
        for text in [Self.json, Self.base64URL] {
            try Change(
                Self.file, "signer: service_account", "firebase.service_account",
                "the variable GOOGLE_APPLICATION_CREDENTIALS contains credentials, and must be the path of their file: if "
                    + "they are those of a service account with a key, write service_account: "
                    + "env:GOOGLE_APPLICATION_CREDENTIALS", offset: nil
            ).expectRefusal(environment: Self.with(["GOOGLE_APPLICATION_CREDENTIALS": text]))
        }
    }

    @Test("Credentials for signer: iam may be in a variable too")
    func credentialsInVariable() throws {
        let yaml = try Sample.changing(Self.file, to: "signer: iam\ngoogle_credentials: env:WIF").yaml
        let settings = try Sample.loader(environment: Self.with(["WIF": "{}"])).parse(yaml: yaml)
        #expect(settings.summary.contains("firebase.google_credentials: env:WIF"))
    }

    @Test(
        "Several service accounts may be named, each only once",
        arguments: [
            ("[]", "firebase.service_account", "is an empty list: write at least one element, or leave the key out"),
            (
                "[/keys/account.json, /keys/account.json]", "firebase.service_account[1]",
                "is in this list twice: keep one"
            ),
            (
                "[env:SERVICE_ACCOUNT, env:SERVICE_ACCOUNT]", "firebase.service_account[1]",
                "is in this list twice: keep one"
            ),
        ])
    func serviceAccounts(list: String, key: String, message: String) throws {
        try Change(Self.file, "service_account: \(list)", key, message)
            .expectRefusal(environment: Self.with(["SERVICE_ACCOUNT": "{}"]))
        let yaml = try Sample.changing(Self.file, to: "service_account: [/keys/account.json, /keys/x-consumer]").yaml
        guard case .serviceAccounts(let files) = try Sample.loader().parse(yaml: yaml).firebase.signing else {
            Issue.record("no service account")
            return
        }
        #expect(files.map(\.path) == ["/keys/account.json", "/keys/x-consumer"])
    }

    @Test("FIREBASE_AUTH_EMULATOR_HOST only causes a warning (LK-02)")
    func emulatorVariable() throws {
        let environment = Self.with(["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099"])
        let settings = try Sample.loader(environment: environment).parse(yaml: Sample.yaml)
        #expect(
            settings.warnings == [
                SettingsProblem(
                    line: 8, key: "firebase.emulator_host",
                    message:
                        "the variable FIREBASE_AUTH_EMULATOR_HOST is ignored: only this key selects the emulator")
            ])
        #expect(try settings.firebase == Sample.loader().parse(yaml: Sample.yaml).firebase)
    }

    @Test("The emulator is accepted only on loopback, for a server on loopback")
    func emulator() throws {
        let yaml = Self.loopback.replacing(Self.file, with: "emulator_host: 127.0.0.1:9099")
        let environment = Self.with(["GOOGLE_APPLICATION_CREDENTIALS": ""])
        #expect(
            try Sample.loader(environment: environment).parse(yaml: yaml).firebase.signing
                == .emulator(host: "127.0.0.1:9099"))
    }

    @Test(
        "An emulator on another machine is refused",
        arguments: [
            "firebase.example:9099", "10.0.0.1:9099", "0.0.0.0:9099", "http://127.0.0.1:9099", "127.0.0.1",
            "127.0.0.1:0",
        ])
    func remoteEmulator(host: String) {
        let yaml = Self.loopback.replacing(Self.file, with: "emulator_host: \(host)")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: 9, key: "firebase.emulator_host",
                    message: "write a loopback address and a port, such as 127.0.0.1:9099")
            ])
        ) { try Sample.loader().parse(yaml: yaml) }
    }

    @Test("The emulator together with a service account is refused, whether the file or the environment names it")
    func emulatorAndKey() {
        let both = Self.loopback.replacing(Self.file, with: "\(Self.file)\n  emulator_host: 127.0.0.1:9099")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: 10, key: "firebase.emulator_host",
                    message:
                        "cannot be combined with service_account, because tokens of the emulator are unsigned: leave out one of the two"
                )
            ])
        ) { try Sample.loader().parse(yaml: both) }
        let variable = Self.loopback.replacing(Self.file, with: "emulator_host: 127.0.0.1:9099")
        let environment = Self.with(["GOOGLE_APPLICATION_CREDENTIALS": "/keys/account.json"])
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: 9, key: "firebase.emulator_host",
                    message:
                        "cannot be used while GOOGLE_APPLICATION_CREDENTIALS is set, which names a service account: unset it"
                )
            ])
        ) { try Sample.loader(environment: environment).parse(yaml: variable) }
    }

    @Test(
        "The emulator behind a public URL or a public listener is refused (KY-10)",
        arguments: [
            ("public_url: http://127.0.0.1:8080", "public_url: https://auth.example.com"),
            ("listen: 127.0.0.1:8080", "listen: 0.0.0.0:8080"),
        ])
    func publicEmulator(old: String, new: String) {
        let yaml = Self.loopback.replacing(Self.file, with: "emulator_host: 127.0.0.1:9099")
            .replacing("  \(old)\n", with: "  \(new)\n")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: 9, key: "firebase.emulator_host",
                    message:
                        "is allowed only on loopback, because its tokens are unsigned: change server.public_url and server.listen"
                )
            ])
        ) { try Sample.loader().parse(yaml: yaml) }
    }

    @Test("An invalid id of a project or tenant is refused", arguments: ["my project", "projects/1", "a\\b"])
    func names(id: String) throws {
        try Change(
            "project_id: my-project", "project_id: \(id)", "firebase.project_id",
            "is not an id of Google: write the id that the Firebase console shows"
        ).expectRefusal()
        try Change(
            "tenant_id: my-tenant", "tenant_id: \(id)", "firebase.tenant_id",
            "is not an id of Google: write the id that the Firebase console shows"
        ).expectRefusal()
    }
}
