import Settings
import Testing

/// What a client may do with accounts, and what must vouch for it.
@Suite("Clients' accounts")
struct ClientAccountsTests {
    private static let name = "name: My App"
    private static let app = "1:1234567890:ios:0a1B2c3d"
    private static let appID =
        "is not an app id: write the one that the Firebase console shows, such as 1:1234567890:ios:0a1b2c3d"

    private func settings(_ lines: String) throws -> Settings {
        try Sample.loader().parse(yaml: Sample.changing(Self.name, to: lines).yaml)
    }

    @Test("App Check is off, looked at, or required, of every application or of those that are named")
    func appCheck() throws {
        for appCheck in Settings.Client.AppCheck.allCases {
            #expect(try settings("app_check: \(appCheck.rawValue)").clients.first?.appCheck == appCheck)
        }
        let settings = try settings("app_check: required\napp_check_apps: [\"\(Self.app)\"]")
        #expect(settings.clients.first?.appCheckApps == [Self.app])
        #expect(settings.summary.contains("clients.my-app.app_check: required"))
        #expect(settings.summary.contains("clients.my-app.app_check_apps: [\(Self.app)]"))
    }

    @Test("Anonymous accounts are made, and tokens redeemed, for those clients that may")
    func switches() throws {
        let yaml = try Sample.changing(Self.name, to: "anonymous: true\nredeem: true\ntenant_id: other").yaml
            .replacing("project_id: my-project", with: "project_id: my-project\n  api_key: env:YAHOO_SECRET")
        let settings = try Sample.loader().parse(yaml: yaml)
        let client = try #require(settings.clients.first)
        #expect(client.allowsAnonymous)
        #expect(client.redeems)
        #expect(client.tenantID == "other")
        for line in ["anonymous: true", "redeem: true", "tenant_id: other"] {
            #expect(settings.summary.contains("clients.my-app.\(line)"))
        }
        #expect(try self.settings(Self.name).clients.first?.tenantID == "my-tenant", "Firebase's section's.")
    }

    @Test(
        "What means nothing is refused",
        arguments: [
            Change(name, "app_check: on", "clients.my-app.app_check", "write off, log or required"),
            Change(
                name, "app_check_apps: [\"\(app)\"]", "clients.my-app.app_check_apps",
                "has no effect without app_check: write app_check: required, or leave this key out"),
            Change(name, "anonymous: maybe", "clients.my-app.anonymous", "write true or false"),
            Change(
                name, "redeem: true", "clients.my-app.redeem",
                "needs firebase.api_key: write it there, as env:NAME or file:/path"),
            Change(
                name, "tenant_id: a/b", "clients.my-app.tenant_id",
                "is not an id of Google: write the id that the Firebase console shows"),
        ])
    func refused(change: Change) throws {
        try change.expectRefusal()
    }

    @Test("With Firebase's directory every client is of its tenant, since other tenants are other users")
    func tenantOfDirectory() throws {
        let (yaml, line) = try Sample.changing(Self.name, to: "tenant_id: my-tenant")
        let firebase = yaml.replacing("  token_lifetime: 5m", with: "  token_lifetime: 5m\n  directory: firebase")
        #expect(try Sample.loader().parse(yaml: firebase).clients.first?.tenantID == "my-tenant")
        let problem = SettingsProblem(
            line: line + 1, key: "clients.my-app.tenant_id",
            message:
                "differs from firebase.tenant_id: with firebase.directory: firebase all clients have the same tenant")
        #expect(throws: SettingsProblems([problem])) {
            try Sample.loader().parse(
                yaml: firebase.replacing("    tenant_id: my-tenant", with: "    tenant_id: other"))
        }
    }

    @Test("An API key that was refused is not missing as well")
    func refusedKey() throws {
        let (yaml, _) = try Sample.changing(Self.name, to: "redeem: true")
        let changed = yaml.replacing("  token_lifetime: 5m", with: "  api_key: env:UNSET")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: 10, key: "firebase.api_key",
                    message: "the variable UNSET is not set: set it, or write another value")
            ])
        ) { try Sample.loader().parse(yaml: changed) }
    }

    @Test(
        "What is no app id is refused",
        arguments: [
            "com.example.app", "1:2:ios", "1:2:ios:0a:1", "a:2:ios:0a", "1::ios:0a", "1:2:windows:0a", "1:2:ios:xyz",
            "1:2:ios:", "1:2:web:\(String(repeating: "a", count: 121))",
        ])
    func badApp(id: String) throws {
        try Change(
            Self.name, "app_check: log\napp_check_apps: [\"\(id)\"]", "clients.my-app.app_check_apps[0]", Self.appID,
            offset: 1
        ).expectRefusal()
    }
}
