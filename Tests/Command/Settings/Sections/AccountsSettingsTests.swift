import Settings
import Support
import Testing

/// Tests of `accounts`, `audit`, and the rate of anonymous accounts.
@Suite("Rules of accounts")
struct AccountsSettingsTests {
    private static let uid = "uid: \"{provider}:{subject}\""
    private static let rate = "exchange_per_address: 60/min"
    private static let logging = "logging:"

    private func settings(_ old: String, _ new: String) throws -> Settings {
        try Sample.loader().parse(yaml: Sample.changing(old, to: new).yaml)
    }

    @Test("Every rule for accounts is read")
    func rules() throws {
        let settings = try settings(
            Self.uid, "one_account_per_email: false\nrecent_login: 1h\nanonymous_retention: 30d")
        #expect(!settings.accounts.oneAccountPerEmail)
        #expect(settings.accounts.recentLogin == .seconds(3600))
        #expect(settings.accounts.anonymousRetention == .seconds(30 * 86_400))
    }

    @Test(
        "A rule out of bounds is refused",
        arguments: [
            ("one_account_per_email: verified", "write true or false, without quotes"),
            ("recent_login: 0s", "must be from 1s to 1h"), ("recent_login: 61m", "must be from 1s to 1h"),
            ("recent_login: 1500ms", "must be a whole number of seconds"),
            (
                "recent_login: 300", "write a number and its unit (ms, s, m, h or d), from 1s to 1h, in whole seconds"
            ),
            ("anonymous_retention: 59m", "must be from 1h to 3650d"),
            ("anonymous_retention: 3651d", "must be from 1h to 3650d"),
            ("anonymous_retention: 3600001ms", "must be a whole number of seconds"),
            (
                "anonymous_retention: forever",
                "write a number and its unit (ms, s, m, h or d), from 1h to 3650d, in whole seconds"
            ),
        ])
    func bounds(line: String, message: String) throws {
        let key = "accounts." + line.prefix { $0 != ":" }
        try Change(Self.uid, line, key, message).expectRefusal()
    }

    @Test("The shortest times are accepted")
    func shortest() throws {
        let settings = try settings(Self.uid, "recent_login: 1s\nanonymous_retention: 1h")
        #expect(settings.accounts.recentLogin == .seconds(1))
        #expect(settings.accounts.anonymousRetention == .seconds(3600))
    }

    @Test("The rate of anonymous accounts per address is a limit of its own")
    func anonymousRate() throws {
        #expect(try settings(Self.rate, Self.rate).limits.anonymousPerAddress?.description == "10/min")
        let changed = try settings(Self.rate, "anonymous_per_address: 1/h")
        #expect(changed.limits.anonymousPerAddress?.description == "1/h")
        #expect(changed.limits.exchangePerAddress?.description == "60/min")
        let off = try settings(Self.rate, "anonymous_per_address: off")
        #expect(off.limits.anonymousPerAddress == nil)
        #expect(off.summary.contains("limits.anonymous_per_address: off"))
        try Change(
            Self.rate, "anonymous_per_address: 10", "limits.anonymous_per_address",
            "write a rate such as 60/min (s, min or h), or off"
        ).expectRefusal()
    }

    @Test("Destinations and retention of audit lines are read")
    func audit() throws {
        let settings = try settings(Self.logging, "audit: {output: false, store: true, retention: 1h}\nlogging:")
        #expect(!settings.audit.output)
        #expect(settings.audit.store)
        #expect(settings.audit.retention == .seconds(3600))
        #expect(settings.warnings.isEmpty)
    }

    @Test("An audit trail without a destination is a warning")
    func noAudit() throws {
        let (yaml, line) = try Sample.changing(Self.logging, to: "audit: {output: false}\nlogging:")
        #expect(
            try Sample.loader().parse(yaml: yaml).warnings == [
                SettingsProblem(
                    line: line, key: "audit.output",
                    message: "is off, and store is off too: no audit trail is written. Switch one of them on")
            ])
    }

    @Test(
        "Bad values of the audit section are refused",
        arguments: [
            ("output: stderr", "write true or false, without quotes"),
            ("store: 1", "write true or false, without quotes"),
            ("retention: 59m", "must be from 1h to 3650d"), ("retention: 3651d", "must be from 1h to 3650d"),
            ("retention: null\n  keep: 1d", "is not a key of this section: use one of output, retention, store"),
        ])
    func badAudit(line: String, message: String) throws {
        let key = line.contains("keep") ? "keep" : String(line.prefix { $0 != ":" })
        try Change(
            Self.logging, "audit:\n  \(line)\nlogging:", "audit.\(key)", message,
            offset: line.contains("keep") ? 2 : 1
        ).expectRefusal()
    }
}
