import Settings
import Support
import Testing

/// Tests with several keys that depend on one another.
@Suite("All mistakes of a configuration, each once")
struct FollowUpTests {
    private static let name = "name: My App"
    private static let issuer = "issuer: https://access.line.me"
    private static let account = "service_account: /keys/account.json"
    private static let noSection = "must be a section: write its keys indented on the lines below"

    private static func meant(_ key: String) -> String { "is not a key of this section: did you mean \(key)?" }

    @Test(
        "A value that is refused is reported once, even if another key depends on it",
        arguments: [
            Change(
                name, "allow_unowned_schemes: maybe\nredirect_uris: [\"myapp:/cb\"]",
                "clients.my-app.allow_unowned_schemes", "write true or false, without quotes"),
            Change(
                name, "app_check: on\napp_check_apps: [\"1:1234567890:ios:0a1b\"]", "clients.my-app.app_check",
                "write off, log or required"),
            Change("yahoo.com:", "yahoo:", "providers.yahoo", "is not a known provider: write yahoo.com"),
            Change(
                issuer, issuer + "\naccept: [access_token]\nendpoints: {introspection: \"ftp://a.example\"}",
                "providers.line.endpoints.introspection",
                "write https:// at its beginning; http:// is only for loopback", offset: 2),
            Change(
                "line:", "other:\n  \(issuer)\n  client_id: a1b2\n  token_endpoint_auth: basic\nline:",
                "providers.other.token_endpoint_auth",
                "write client_secret_basic, client_secret_post, private_key_jwt or none",
                offset: 3),
            Change(
                "scopes: [openid, email]", "scopes: [\" openid\"]", "providers.yahoo.com.scopes[0]",
                "contains a space at its start: remove it"),
            Change(
                "trusted_proxies: [10.0.0.0/8]", "trusted_proxies: [\"\"]\nproxy_protocol: true",
                "server.trusted_proxies[0]", "is empty: write a value, or leave out the key"),
        ])
    func refusedValue(change: Change) throws {
        try change.expectRefusal()
    }

    @Test(
        "A misspelled key is reported once, and not also as missing",
        arguments: [
            Change("providers:", "provders:", "provders", meant("providers")),
            Change("clients:", "client:", "client", meant("clients")),
            Change("public_url: https://auth.example.com", "publc_url: x", "server.publc_url", meant("public_url")),
            Change(
                "store: sqlite:///data/accounts.db", "stor: postgresql://u@/d\nstore_pooling: transaction", "stor",
                meant("store")),
            Change(account, "sevice_account: x", "firebase.sevice_account", meant("service_account")),
            Change(account, "singer: iam\niam_service_account: a@b.example", "firebase.singer", meant("signer")),
            Change(account, "emulator_hst: 127.0.0.1:9099", "firebase.emulator_hst", meant("emulator_host")),
            Change(
                "token_lifetime: 5m", "directry: firebase\nsync_profile: true", "firebase.directry", meant("directory")),
            Change(
                name, "app_chek: log\napp_check_apps: [\"1:1234567890:ios:0a1b\"]", "clients.my-app.app_chek",
                meant("app_check")),
            Change(
                "providers: [yahoo.com, twitter.com]", "provider: [line]\nallowed_email_domains: [example.com]",
                "clients.my-app.provider", meant("providers")),
            Change("client_id: dj0yJmk9", "clent_id: x", "providers.yahoo.com.clent_id", meant("client_id")),
            Change("oauth2:", "oauth_2:", "providers.twitter.com.oauth_2", meant("oauth2")),
            Change(issuer, "isuer: x\nendpoints: {jwks: https://a.example}", "providers.line.isuer", meant("issuer")),
            Change(issuer, "endpoint: {issuer: https://a.example}", "providers.line.endpoint", meant("endpoints")),
            Change(
                "line:", "other:\n  \(issuer)\n  client_id: a1b2\n  token_endpoint_aut: none\nline:",
                "providers.other.token_endpoint_aut", meant("token_endpoint_auth"), offset: 3),
        ])
    func misspelledKey(change: Change) throws {
        try change.expectRefusal()
    }

    @Test(
        "An entry or a section that is a text is reported once, without the keys that it lacks",
        arguments: [
            Change("my-app:", "other: text\nmy-app:", "clients.other", noSection),
            Change("line:", "other: text\nline:", "providers.other", noSection),
            Change(issuer, "endpoints: text", "providers.line.endpoints", noSection),
            Change(
                "store: sqlite:///data/accounts.db", "hooks: {before_create: text}", "hooks.before_create", noSection),
        ])
    func unreadable(change: Change) throws {
        try change.expectRefusal()
    }

    @Test("A refused rule for profiles is not also reported by the client that needs them")
    func profile() throws {
        let (yaml, line) = try Sample.changing("flow: oauth2", to: "profile: alway")
        let changed = yaml.replacing("return_provider_tokens: true", with: "allowed_email_domains: [example.com]")
        let problem = SettingsProblem(
            line: line, key: "providers.twitter.com.profile", message: "write always or first_sign_in")
        #expect(throws: SettingsProblems([problem])) { try Sample.loader().parse(yaml: changed) }
    }

    @Test("A refused PKCE method is not also reported as off")
    func pkce() throws {
        let (yaml, line) = try Sample.changing("pkce: off", to: "pkce: s256")
        let changed = yaml.replacing("client_secret: env:YAHOO_SECRET", with: "token_endpoint_auth: none")
        let problem = SettingsProblem(line: line, key: "providers.yahoo.com.pkce", message: "write off or S256")
        #expect(throws: SettingsProblems([problem])) { try Sample.loader().parse(yaml: changed) }
    }

    @Test("A misspelled address of the public listener is not also reported as that of the other one")
    func listener() throws {
        let (yaml, line) = try Sample.changing("listen: 127.0.0.1:8080", to: "lisen: 127.0.0.1:9090")
        let changed = yaml.replacing("admin_listen: 127.0.0.1:9090", with: "admin_listen: 127.0.0.1:8080")
        let problem = SettingsProblem(line: line, key: "server.lisen", message: Self.meant("listen"))
        #expect(throws: SettingsProblems([problem])) { try Sample.loader().parse(yaml: changed) }
    }

    @Test("A project that is missing for two reasons is reported once")
    func project() throws {
        let yaml = """
            server: {public_url: http://127.0.0.1:8080}
            firebase: {emulator_host: 127.0.0.1:9099, check_revoked: true}
            clients: {my-app: {app_check: required}}
            providers: {line: {issuer: https://access.line.me, client_id: a1b2, client_secret: env:LINE_SECRET}}
            """
        let problem = SettingsProblem(
            line: 2, key: "firebase.project_id",
            message: "is missing: write it, because the emulator does not supply it and users are looked up")
        #expect(throws: SettingsProblems([problem])) { try Sample.loader().parse(yaml: yaml) }
    }

    @Test("Every mistake of an entry is reported, also if its name, its section or a key before it is refused")
    func allAtOnce() throws {
        let yaml = """
            server: {public_url: https://auth.example.com}
            firebase: {service_account: /none, token_lifetime: 2h}
            clients:
              my app:
                anonymous: true
                redeem: true
                allowed_email_domains: [Example.com]
            providers:
              yahoo:
                client_id: a1b2
                client_secret: env:UNSET
                token_endpoint_auth: basic
                scopes: [email]
              line: {profile: first_sign_in, client_secret: env:UNSET}
              b/d: {issuer: https://b.example, client_id: a1b2, client_secret: env:UNSET}
            """
        let error = try #require(throws: SettingsProblems.self) { try Sample.loader().parse(yaml: yaml) }
        let expected: [(Int?, String)] = [
            (2, "firebase.service_account"), (2, "firebase.token_lifetime"), (4, "clients.my app"),
            (6, "clients.my app.redeem"), (7, "clients.my app.allowed_email_domains"),
            (7, "clients.my app.allowed_email_domains[0]"),
            (9, "providers.yahoo"), (11, "providers.yahoo.client_secret"), (12, "providers.yahoo.token_endpoint_auth"),
            (13, "providers.yahoo.scopes"), (14, "providers.line.client_id"), (14, "providers.line.client_secret"),
            (15, "providers.b/d"), (15, "providers.b/d.client_secret"),
        ]
        #expect(error.problems.map(\.line) == expected.map(\.0))
        #expect(error.problems.map(\.key) == expected.map(\.1))
    }
}
