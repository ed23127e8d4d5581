import Settings
import Support
import Testing

/// Tests of `signer: iam`, with which Google signs for the identity of this machine.
@Suite("Signing by IAM")
struct FirebaseSigningSettingsTests {
    private static let account = "service_account: /keys/account.json"
    private static let iam = "signer: iam"

    private func firebase(_ lines: String, environment: [String: String] = Sample.environment) throws -> Settings {
        try Sample.loader(environment: environment).parse(yaml: Sample.changing(Self.account, to: lines).yaml)
    }

    @Test("Without a named service account no key is read, and the metadata server supplies the signer")
    func discovered() throws {
        let settings = try firebase(Self.iam)
        #expect(settings.firebase.signing == .iam(serviceAccount: nil, credentials: nil))
        #expect(settings.firebase.projectID == "my-project")
        #expect(settings.warnings.isEmpty)
        #expect(settings.summary.contains("firebase.signer: iam"))
        #expect(settings.summary.contains("firebase.iam_service_account: from the metadata server"))
    }

    @Test("The service account may be named")
    func named() throws {
        let email = "signer-1@my-project.iam.gserviceaccount.com"
        let settings = try firebase("signer: iam\niam_service_account: \(email)")
        #expect(settings.firebase.signing == .iam(serviceAccount: email, credentials: nil))
        #expect(settings.summary.contains("firebase.iam_service_account: \(email)"))
    }

    @Test("The credentials of workload identity federation are read from a file, which other users may read")
    func credentials() throws {
        let settings = try firebase("signer: iam\ngoogle_credentials: /open/federation.json")
        #expect(settings.warnings.isEmpty)
        #expect(settings.summary.contains("firebase.google_credentials: /open/federation.json"))
        #expect(settings.summary.contains("firebase.iam_service_account: from the credentials"))
    }

    @Test("A file of credentials with a refresh token is refused if other users may read it")
    func developer() throws {
        let developer = "signer: iam\ngoogle_credentials: /keys/developer.json"
        #expect(try firebase(developer).warnings.isEmpty)
        try Change(
            Self.account, developer.replacing("/keys/", with: "/open/"), "firebase.google_credentials",
            "the file /open/developer.json can be read by its group and by all other users: run chmod 600 /open/developer.json, or start with "
                + "--allow-insecure-permissions", offset: 1
        ).expectRefusal()
    }

    @Test("With signer: process there is no key, and the socket is that of the unit or a named one")
    func process() throws {
        let standard = try firebase("signer: process")
        #expect(standard.firebase.signing == .process(socket: "/run/token-exchange-signer/socket"))
        #expect(standard.summary.contains("firebase.signer_socket: /run/token-exchange-signer/socket"))
        let named = try firebase("signer: process\nsigner_socket: /run/other/socket")
        #expect(named.firebase.signing == .process(socket: "/run/other/socket"))
        #expect(named.warnings.isEmpty)
    }

    @Test("signer: service_account is the default")
    func standard() throws {
        let settings = try firebase("\(Self.account)\nsigner: service_account")
        #expect(try settings.firebase == Sample.loader().parse(yaml: Sample.yaml).firebase)
    }

    @Test("A key in the environment is ignored with a warning")
    func variable() throws {
        var environment = Sample.environment
        environment["GOOGLE_APPLICATION_CREDENTIALS"] = "/keys/none.json"
        let settings = try firebase(Self.iam, environment: environment)
        #expect(settings.firebase.signing == .iam(serviceAccount: nil, credentials: nil))
        #expect(
            settings.warnings == [
                SettingsProblem(
                    line: 9, key: "firebase.signer",
                    message:
                        "the variable GOOGLE_APPLICATION_CREDENTIALS is ignored: with signer: iam no key is read")
            ])
    }

    private static let onlyIAM =
        "has an effect only with signer: iam: write that with project_id, and without service_account and emulator_host, "
        + "or leave this key out"

    @Test(
        "Settings that exclude each other are refused",
        arguments: [
            Change(
                account, "\(account)\nsigner: iam", "firebase.service_account",
                "is never read with signer: iam: leave out one of the two"),
            Change(
                account, "\(account)\nsigner: process", "firebase.service_account",
                "is never read with signer: process: name the file in the configuration of the signer, and make it "
                    + "unreadable for this user"),
            Change(
                account, "\(account)\nsigner_socket: /run/s", "firebase.signer_socket",
                "has an effect only with signer: process: write that with project_id, and without service_account and "
                    + "emulator_host, or leave this key out", offset: 1),
            Change(
                account, "signer: process\nsigner_socket: run/s", "firebase.signer_socket",
                "write an absolute path of at most 107 bytes, such as /run/token-exchange-signer/socket", offset: 1),
            Change(
                account, "signer: process\ngoogle_credentials: /keys/federation.json", "firebase.google_credentials",
                onlyIAM, offset: 1),
            Change(
                account, "\(account)\niam_service_account: a@b.c", "firebase.iam_service_account",
                onlyIAM, offset: 1),
            Change(
                account, "\(account)\ngoogle_credentials: /keys/wif.json", "firebase.google_credentials",
                onlyIAM, offset: 1),
            Change(account, "signer: kms", "firebase.signer", "write service_account, iam or process"),
            Change(
                "project_id: my-project", "signer: iam", "firebase.project_id",
                "is missing: with signer: iam write the id that the Firebase console shows",
                offset: -3),
        ])
    func together(change: Change) throws {
        guard change.key == "firebase.project_id" else { return try change.expectRefusal() }
        let yaml = try Sample.changing("project_id: my-project", to: "signer: iam").yaml
            .replacing("  \(Self.account)\n", with: "")
        #expect(throws: SettingsProblems([SettingsProblem(line: 8, key: change.key, message: change.message)])) {
            try Sample.loader().parse(yaml: yaml)
        }
    }

    @Test(
        "A name that is not the email address of a service account is refused",
        arguments: ["signer", "@b.c", "a@", "a@b@c", "a/b@c.d", "a%2f@c.d", "A@b.c", "../a@b.c", "a@b.c:signBlob"])
    func badName(name: String) throws {
        try Change(
            Self.account, "signer: iam\niam_service_account: \"\(name)\"", "firebase.iam_service_account",
            "write the service account's e-mail address, such as name@project.iam.gserviceaccount.com", offset: 1
        ).expectRefusal()
    }

    @Test("The emulator together with IAM is refused")
    func emulator() throws {
        let yaml = try Sample.changing(Self.account, to: "signer: iam\nemulator_host: 127.0.0.1:9099").yaml
            .replacing("https://auth.example.com", with: "http://127.0.0.1:8080")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: 10, key: "firebase.emulator_host",
                    message: "cannot be combined with signer: iam: leave out one of the two")
            ])
        ) { try Sample.loader().parse(yaml: yaml) }
    }
}
