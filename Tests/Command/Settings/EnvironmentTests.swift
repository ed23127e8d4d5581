import Settings
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

    @Test("A bad path in GOOGLE_APPLICATION_CREDENTIALS is reported under the key that it replaces")
    func badCredentials() throws {
        try Change(
            Self.file, "signer: service_account", "firebase.service_account", "the file /keys/none.json does not exist",
            offset: nil
        ).expectRefusal(environment: Self.with(["GOOGLE_APPLICATION_CREDENTIALS": "/keys/none.json"]))
    }

    @Test(
        "A service account that is missing, empty or not a path is refused (KY-01)",
        arguments: [
            ("/keys/none.json", "the file /keys/none.json does not exist"),
            ("/keys/blank.json", "the file /keys/blank.json is empty"),
            ("'{\"private_key\": \"hunter2\"}'", "write the path of the JSON file"),
            ("env:SERVICE_ACCOUNT", "write the path of the JSON file"),
        ])
    func badServiceAccount(path: String, message: String) throws {
        try Change(Self.file, "service_account: \(path)", "firebase.service_account", message).expectRefusal()
    }

    @Test(
        "Several service accounts may be named, each only once",
        arguments: [
            ("[]", "firebase.service_account", "is an empty list: write at least one element, or leave the key out"),
            (
                "[/keys/account.json, /keys/account.json]", "firebase.service_account[1]",
                "is in this list twice: keep one"
            ),
        ])
    func serviceAccounts(list: String, key: String, message: String) throws {
        try Change(Self.file, "service_account: \(list)", key, message).expectRefusal()
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
