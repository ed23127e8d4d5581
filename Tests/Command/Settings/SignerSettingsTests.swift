import Fixtures
import Foundation
import Settings
import Testing

/// Tests of the signer's configuration, and of the file that is published with the program.
@Suite("config/token-exchange-signer.yaml")
struct SignerSettingsTests {
    private static let required = """
        socket: /run/token-exchange-signer/socket
        service_account: /keys/account.json
        allowed_users: [token-exchange]
        """

    /// Reads a configuration of the signer.
    private func signer(_ yaml: String) throws(SettingsProblems) -> SignerSettings {
        try SettingsLoader(environment: [:]) { path throws(SettingsFileError) in
            let name = path.replacing("/etc/token-exchange-signer/service-account", with: "/keys/account")
            guard let text = path == "/signer.yaml" ? yaml : Sample.files[name] else { throw .missing }
            return SettingsFile(bytes: Array(text.utf8))
        }.loadSigner(path: "/signer.yaml")
    }

    @Test("Three keys are required, and the others have strict defaults")
    func defaults() throws {
        let settings = try signer(Self.required)
        #expect(
            settings.summary == [
                "socket: /run/token-exchange-signer/socket", "service_account: /keys/account.json",
                "allowed_users: [token-exchange]", "token_lifetime: 5m", "claims: [idp, idp_uid]", "tenants: [none]",
                "uid_prefixes: any", "hooks: []", "access_tokens: true", "rate: 3000/min",
            ])
        #expect(settings.tenants == [nil])
    }

    @Test("Every default in the published file is equal to the default of the code")
    func published() throws {
        let file = try String(
            contentsOf: Fixtures.repository.appending(path: "config/token-exchange-signer.yaml"), encoding: .utf8)
        let path = "/etc/token-exchange-signer/service-account.json"
        let least = Self.required.replacing("/keys/account.json", with: path)
        #expect(try signer(file) == signer(least))
    }

    @Test("Every key can be written")
    func all() throws {
        let settings = try signer(
            Self.required + """

                pkcs11_module: /usr/lib/softhsm/libsofthsm2.so
                token_lifetime: 1h
                claims: [idp, role]
                tenants: [none, tenant-1]
                uid_prefixes: ["yahoo.com:"]
                hooks: [https://hooks.example/a]
                access_tokens: false
                rate: 10/s
                """)
        #expect(settings.pkcs11Module == "/usr/lib/softhsm/libsofthsm2.so")
        #expect(settings.tokenLifetime == .seconds(3600))
        #expect(settings.claims == ["idp", "role"])
        #expect(settings.tenants == [nil, "tenant-1"])
        #expect(settings.uidPrefixes == ["yahoo.com:"])
        #expect(settings.hooks == ["https://hooks.example/a"])
        #expect(!settings.accessTokens)
        #expect(settings.rate.description == "10/s")
    }

    @Test(
        "A restriction that access tokens pass by has a warning",
        arguments: [#"uid_prefixes: ["yahoo.com:"]"#, "tenants: [tenant-1]"])
    func restriction(line: String) throws {
        let key = String(line.prefix { $0 != ":" })
        let message = "restricts only custom tokens, because access_tokens is true"
        #expect(
            try signer(Self.required + "\n" + line).warnings == [SettingsProblem(line: 4, key: key, message: message)])
        #expect(try signer(Self.required + "\n\(line)\naccess_tokens: false").warnings == [])
        #expect(try signer(Self.required + "\ntenants: [none]").warnings == [])
    }

    @Test("The configuration of a server is named as such")
    func server() {
        let message =
            "is the configuration of a server: name that of the signer, with socket, service_account and allowed_users"
        #expect(throws: SettingsProblems([SettingsProblem(line: nil, key: "", message: message)])) {
            try signer(Sample.yaml)
        }
    }

    @Test("A user may be a number")
    func number() throws {
        let yaml = Self.required.replacing("[token-exchange]", with: "[997]")
        #expect(try signer(yaml).allowedUsers == ["997"])
    }

    @Test(
        "A wrong value is refused",
        arguments: [
            ("token_lifetime: 2h", "token_lifetime", "must be from 1s to 1h"),
            ("rate: off", "rate", "write a rate such as 3000/min (s, min or h)"),
            ("tenants: []", "tenants", "is an empty list: write at least one element, or leave the key out"),
            (
                "tenants: [\"a/b\"]", "tenants[0]",
                "is not an id of Google: write the id that the Firebase console shows"
            ),
            ("pkcs11_module: softhsm.so", "pkcs11_module", "write an absolute path"),
            ("access_tokens: 1", "access_tokens", "write true or false, without quotes"),
            ("claims: [role, role]", "claims[1]", "is in this list twice: keep one"),
        ])
    func refused(line: String, key: String, message: String) {
        #expect(throws: SettingsProblems([SettingsProblem(line: 4, key: key, message: message)])) {
            try signer(Self.required + "\n" + line)
        }
    }

    @Test(
        "A socket has an absolute path of at most 107 bytes",
        arguments: ["socket", "/run/", "/" + String(repeating: "x", count: 107)])
    func socket(path: String) {
        let yaml = Self.required.replacing("/run/token-exchange-signer/socket", with: path)
        let message = "write an absolute path of at most 107 bytes, such as /run/token-exchange-signer/socket"
        #expect(throws: SettingsProblems([SettingsProblem(line: 1, key: "socket", message: message)])) {
            try signer(yaml)
        }
    }

    @Test("A key of the server is not a key of the signer")
    func unknown() {
        #expect(throws: SettingsProblems.self) { try signer(Self.required + "\nclients: {}") }
    }
}
