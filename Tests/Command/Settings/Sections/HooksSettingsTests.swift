import Settings
import Support
import Testing

@Suite("Hooks in the configuration")
struct HooksSettingsTests {
    private static let limits = "limits:"

    private func hooks(_ lines: String) throws -> Settings {
        try Sample.loader().parse(yaml: Sample.changing(Self.limits, to: "hooks:\n\(lines)\nlimits:").yaml)
    }

    @Test("Without the section no hook is asked")
    func none() throws {
        let settings = try Sample.loader().parse(yaml: Sample.yaml)
        #expect(settings.hooks.beforeCreate == nil)
        #expect(settings.hooks.beforeLink == nil)
        #expect(settings.hooks.beforeSignIn == nil)
        #expect(!settings.description.contains("hooks."))
        #expect(try hooks("  before_create: null").hooks == settings.hooks)
    }

    @Test("Every hook has its own URL, timeout and decision after a failure")
    func all() throws {
        let settings = try hooks(
            """
              before_create: {url: https://hooks.example.com/create?v=2, timeout: 100ms, on_failure: deny}
              before_link: {url: "http://127.0.0.1:8081/link", timeout: 10s, on_failure: allow}
              before_sign_in: {url: https://hooks.example.com/sign-in}
            """)
        #expect(settings.hooks.beforeCreate?.url == "https://hooks.example.com/create?v=2")
        #expect(settings.hooks.beforeCreate?.timeout == .milliseconds(100))
        #expect(settings.hooks.beforeCreate?.onFailure == .deny)
        #expect(settings.hooks.beforeLink?.url == "http://127.0.0.1:8081/link")
        #expect(settings.hooks.beforeLink?.timeout == .seconds(10))
        #expect(settings.hooks.beforeLink?.onFailure == .allow)
        #expect(settings.hooks.beforeSignIn?.url == "https://hooks.example.com/sign-in")
        #expect(settings.hooks.beforeSignIn?.timeout == .seconds(2))
        #expect(settings.hooks.beforeSignIn?.onFailure == .deny)
        #expect(settings.warnings.isEmpty)
        for line in [
            "before_create.timeout: 100ms", "before_link.on_failure: allow",
            "before_sign_in.url: https://hooks.example.com/sign-in",
        ] {
            #expect(settings.summary.contains("hooks.\(line)"))
        }
    }

    @Test("before_create without before_link leaves a way around it")
    func withoutLink() throws {
        let url = "{url: https://hooks.example.com/}"
        let settings = try hooks("  before_create: \(url)")
        #expect(settings.warnings.map(\.key) == ["hooks.before_create"])
        #expect(settings.warnings.allSatisfy { $0.message.contains("write before_link too") })
        for lines in ["  before_link: \(url)", "  before_create: \(url)\n  before_link: \(url)"] {
            #expect(try hooks(lines).warnings.isEmpty)
        }
    }

    @Test(
        "A hook that cannot be asked safely is refused",
        arguments: [
            ("{}", "", "is missing: write the https URL of your endpoint"),
            ("{timeout: 1s}", "url", "is missing: write the https URL of your endpoint"),
            (
                "{url: http://hooks.example.com/}", "url",
                "write https:// at its beginning; http:// is only for loopback"
            ),
            (
                "{url: https://user@hooks.example.com/}", "url",
                "must not have a user name or password: leave out the part before @"
            ),
            (
                "{url: https://IdentityToolkit.googleapis.com/}", "url",
                "is an API of Google, which would accept the JWT as a credential: write your own endpoint"
            ),
            (
                "{url: https://googleapis.com/}", "url",
                "is an API of Google, which would accept the JWT as a credential: write your own endpoint"
            ),
            ("{url: https://h.example/, timeout: 99ms}", "timeout", "must be from 100ms to 10s"),
            ("{url: https://h.example/, timeout: 11s}", "timeout", "must be from 100ms to 10s"),
            ("{url: https://h.example/, on_failure: ask}", "on_failure", "write deny or allow"),
            (
                "{url: https://h.example/, retries: 2}", "retries",
                "is not a key of this section: use one of on_failure, timeout, url"
            ),
        ])
    func refused(_ hook: String, _ key: String, _ message: String) throws {
        let name = key.isEmpty ? "url" : key
        try Change(
            Self.limits, "hooks:\n  before_sign_in: \(hook)\nlimits:", "hooks.before_sign_in.\(name)", message,
            offset: 1
        ).expectRefusal()
    }

    @Test("A hook of another name is refused")
    func unknown() throws {
        try Change(
            Self.limits, "hooks:\n  before_signin: {url: https://h.example/}\nlimits:", "hooks.before_signin",
            "is not a key of this section: did you mean before_sign_in?", offset: 1
        ).expectRefusal()
    }
}
