import Settings
import Support
import Testing

/// Tests of invalid YAML, and of invalid keys.
@Suite("Structure")
struct DocumentTests {
    @Test(
        "A misspelt or unknown key is refused, and the message suggests the nearest one",
        arguments: [
            Change(
                "listen: 127.0.0.1:8080", "lisen: 127.0.0.1:8080", "server.lisen",
                "is not a key of this section: did you mean listen?"),
            Change(
                "clock_skew: 60s", "clockskew: 60s", "providers.yahoo.com.clockskew",
                "is not a key of this section: did you mean clock_skew?"),
            Change(
                "request_email: false", "email: false", "providers.twitter.com.oauth1.email",
                "is not a key of this section: use one of consumer_key, consumer_secret, request_email"),
            Change(
                "api: https://api.x.com", "apis: https://api.x.com", "providers.twitter.com.endpoints.apis",
                "is not a key of this section: did you mean api?"),
            Change("logging:", "loging:", "loging", "is not a key of this section: did you mean logging?"),
            Change(
                "issuer: https://access.line.me", "issuer: https://access.line.me\nca_file: /keys/chain.pem",
                "providers.line.ca_file", authority, offset: 1),
            Change(
                "listen: 127.0.0.1:8080", "listen: 127.0.0.1:8080\ninsecure: true", "server.insecure", authority,
                offset: 1),
        ])
    func unknownKey(change: Change) throws {
        try change.expectRefusal()
    }

    private static let authority =
        "is not a key of this section: certificates are always verified, with the authorities of the system. If the authority is "
        + "your own, copy its certificate in PEM to /usr/local/share/ca-certificates/NAME.crt on this machine, run "
        + "update-ca-certificates, and restart this server. In a container, /etc/ssl/certs/ca-certificates.crt with that "
        + "authority has to be part of the image, or a mounted file. Leave this key out"

    @Test(
        "A key of another section is refused; the message has the keys of this one, as in the published file, and the place below it",
        arguments: [
            ("providers.twitter.com", "trust_email: always", "nonce: server", ""),
            ("providers.yahoo.com", "client_ids: [phone-app]", "consumer_key: dj0yJmk9", ""),
            ("providers.twitter.com", "trust_email: always", "consumer_key: dj0yJmk9", "oauth1.consumer_key"),
            ("providers.yahoo.com", "client_ids: [phone-app]", "team_id: TEAM123456", "client_secret.apple.team_id"),
        ])
    func keyOfAnotherSection(section: String, line: String, other: String, place: String) throws {
        let keys = try DefaultsTests().keys(of: section).joined(separator: ", ")
        try Change(
            line, other, "\(section).\(other.prefix { $0 != ":" })",
            "is not a key of this section: use one of \(keys)"
                + (place.isEmpty ? "" : ". If it is meant as \(place), write it there")
        ).expectRefusal()
    }

    @Test("A duplicate key is refused at its second line")
    func duplicateKey() throws {
        let (yaml, line) = try Sample.changing("level: info", to: "level: info\n\"level\": debug")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: line + 1, key: "logging.level", message: "occurs twice, first on line \(line): keep one")
            ])
        ) { try Sample.loader().parse(yaml: yaml) }
    }

    @Test("A key that occurs three times, and another duplicate key, are all reported")
    func duplicateKeys() throws {
        let (yaml, line) = try Sample.changing("level: info", to: "level: info\nlevel: debug\nlevel: trace")
        let again = yaml.replacing("project_id: my-project", with: "project_id: my-project\n  project_id: another")
        do {
            _ = try Sample.loader().parse(yaml: again)
            Issue.record("nothing was refused")
        } catch {
            #expect(error.problems.map(\.key) == ["firebase.project_id", "logging.level", "logging.level"])
            #expect(error.problems.dropFirst().map(\.line) == [line + 2, line + 3])
        }
    }

    @Test(
        "A value of a wrong type is refused",
        arguments: [
            Change(
                "listen: 127.0.0.1:8080", "listen: [127.0.0.1:8080]", "server.listen",
                "must be a single text: do not write a list or a section"),
            Change(
                "name: My App", "name: yes", "clients.my-app.name",
                "is not a text in YAML: if the value is this very word, write it in quotes; otherwise write another value, or "
                    + "leave it out"),
            Change(
                "origins: [https://app.example.com]", "origins:\n      - # later", "clients.my-app.origins[0]",
                "is empty: write a value, or leave out the key", offset: 1),
            Change(
                "name: My App", "name: !!binary SGVsbG8=", "clients.my-app.name",
                "has a YAML tag, which is not supported: leave the tag out, or write a value that begins with ! in quotation marks"
            ),
            Change(
                "name: My App", "name: \"\"", "clients.my-app.name",
                "is empty: write a value, or leave out the key"),
            Change(
                "name: My App", "name: \"My\\nApp\"", "clients.my-app.name",
                "contains a line break within it: remove it"),
            Change(
                "name: My App", "name: \"My\\x7FApp\"", "clients.my-app.name",
                "contains the invisible character U+007F within it: remove it"),
            Change(
                "name: My App", "name: \"My\\x85App\"", "clients.my-app.name",
                "contains the invisible character U+0085 within it: remove it"),
            Change(
                "name: My App", "name: \"My\\u2028App\"", "clients.my-app.name",
                "contains the invisible character U+2028 within it: remove it"),
            Change(
                "name: My App", "name: \" My App\"", "clients.my-app.name", "contains a space at its start: remove it"),
            Change(
                "name: My App", "name: \"My App \"", "clients.my-app.name", "contains a space at its end: remove it"),
            Change(
                "client_ids: [phone-app]", "client_ids: phone-app", "providers.yahoo.com.client_ids",
                "must be a list: write [one, another]"),
            Change(
                "trusted_proxies: [10.0.0.0/8]", "trusted_proxies: 10.0.0.0/8", "server.trusted_proxies",
                "must be a list: write [one, another]"),
            Change(
                "return_provider_tokens: true", "return_provider_tokens: \"true\"",
                "clients.my-app.return_provider_tokens", "write true or false, without quotes"),
            Change(
                "return_provider_profile: true", "return_provider_profile: 1",
                "clients.my-app.return_provider_profile", "write true or false, without quotes"),
            Change(
                "request_email: false", "request_email: 0", "providers.twitter.com.oauth1.request_email",
                "write true or false, without quotes"),
            Change(
                "max_in_flight: 100", "max_in_flight: \"100\"", "server.max_in_flight",
                "write a whole number, without quotes and without a unit"),
            Change(
                "max_in_flight: 100", "max_in_flight: 1.5", "server.max_in_flight",
                "write a whole number, without quotes and without a unit"),
            Change("max_in_flight: 100", "max_in_flight: 0", "server.max_in_flight", "must be from 1 to 1000000"),
            Change(
                "level: info", "level: verbose", "logging.level",
                "write trace, debug, info, notice, warning, error or critical"),
            Change("format: json", "format: on", "logging.format", "write json, text or google"),
            Change("pkce: off", "pkce: on", "providers.yahoo.com.pkce", "write off or S256"),
            Change(
                "nonce: server", "nonce: off", "providers.yahoo.com.nonce", "write server, client, client_plain or none"
            ),
            Change(
                "trust_email: claim", "trust_email: true", "providers.yahoo.com.trust_email",
                "write claim, claim_text, always or never"),
            Change(
                "token_endpoint_auth: client_secret_post", "token_endpoint_auth: basic",
                "providers.line.token_endpoint_auth",
                "write client_secret_basic, client_secret_post, private_key_jwt or none"),
        ])
    func wrongType(change: Change) throws {
        try change.expectRefusal()
    }

    @Test(
        "A number with a zero before it is refused, because YAML 1.1 reads octal digits and YAML 1.2 decimal ones",
        arguments: ["0100", "010", "08", "0008", "00", "+08", "\"08\""])
    func leadingZero(number: String) throws {
        try Change(
            "max_in_flight: 100", "max_in_flight: \(number)", "server.max_in_flight",
            "has a 0 before the number, which versions of YAML read differently: write the number in decimal, without it"
        ).expectRefusal()
    }

    @Test(
        "A file that is one text or a list has no key below which to indent others",
        arguments: ["PUBLIC_URL=https://a.example", "- server: {}"])
    func noKeys(yaml: String) {
        let message =
            "must consist of keys, each with a colon and its value or indented keys after it, and is one text or a list"
        #expect(throws: SettingsProblems([SettingsProblem(line: nil, key: "", message: message)])) {
            try Sample.loader().parse(yaml: yaml)
        }
    }

    @Test(
        "A file without keys is named, and not each key that it lacks",
        arguments: ["", "\n", "# none\n", "---\n", "null"])
    func empty(yaml: String) {
        expectRefusal(of: yaml, nil, "has no keys: write the configuration there, or name the file that has it")
    }

    @Test("A section that is a text is refused")
    func sectionAsText() throws {
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: 1, key: "logging",
                    message: "must be a section: write its keys indented on the lines below")
            ])
        ) {
            try Sample.loader().parse(
                yaml: "logging: json\n" + Sample.yaml.replacing("logging:\n  level: info\n  format: json", with: ""))
        }
    }

    @Test("A value that is in a list twice is refused")
    func repetition() throws {
        try Change(
            "allowed_scopes: [mail-r]", "allowed_scopes: [mail-r, mail-r]", "providers.yahoo.com.allowed_scopes[1]",
            "is in this list twice: keep one"
        ).expectRefusal()
    }

    @Test("Merge keys are refused")
    func mergeKey() throws {
        try Change("level: info", "<<: {level: info}", "logging.<<", "merge keys are not supported: write the keys out")
            .expectRefusal()
    }

    @Test(
        "Invalid YAML is refused with its line, and the message repeats nothing of the line",
        arguments: [
            ("server:\n  a: b: hunter2", 2, "is not YAML: mapping values are not allowed in this context (column 7)"),
            ("store: hunter2:\n", 1, "is not YAML: mapping values are not allowed in this context (column 15)"),
            ("store: >hunter2\n", 1, "is not YAML: did not find expected comment or line break (column 9)"),
        ])
    func notYAML(yaml: String, line: Int, message: String) {
        expectRefusal(
            of: yaml, line,
            "\(message). The cause may be this line or the one before it: compare their indentation, and look for a missing "
                + "bracket or quotation mark, and for a colon that is missing or has no space after it. A value with a colon at its "
                + "end or before a space, or with [ { | or > at its beginning, needs quotation marks if it is one text")
    }

    @Test("A tab in the indentation is named, on the line where the parser stops or on the one before")
    func tab() {
        let advice = "The indentation contains a tab: write spaces"
        expectRefusal(
            of: "server:\n\tlisten: a", 2,
            "is not YAML: found character that cannot start any token (column 1). \(advice)")
    }

    @Test(
        "What operators write often has advice of its own, which repeats nothing of the line",
        arguments: [
            (
                "server:\n\u{A0}\u{A0}listen: a\n  store: b", 3,
                "mapping values are not allowed in this context (column 8)",
                "The indentation contains the space U+00A0: write ordinary spaces (U+0020)"
            ),
            (
                "server: {}\n---\nserver: {}", 2, "but found another document (column 1)",
                "A line --- begins a second document: leave it and what follows out"
            ),
            (
                #"store: "C:\Users\a\te.db""#, 1, "did not find expected hexdecimal number (column 13)", Self.escape
            ),
            (#"store: "C:\keys\te.db""#, 1, "found unknown escape character (column 11)", Self.escape),
            (
                "server: [hunter2\n", 2, "did not find expected ',' or ']' (column 1)",
                "A [ or { on line 1 is not closed, or a comma is missing before this place"
            ),
            (
                "server: {}\nstore: \"hunter2\nclients: {}\n", 4, "found unexpected end of stream (column 1)",
                "The value that begins with a quotation mark on line 2 has none at its end"
            ),
            ("server: *hunter2", 1, "found undefined alias (column 9)", Self.indicator),
            ("store: @hunter2", 1, "found character that cannot start any token (column 8)", Self.indicator),
            ("store: %hunter2", 1, "found character that cannot start any token (column 8)", Self.indicator),
            ("store: `hunter2", 1, "found character that cannot start any token (column 8)", Self.indicator),
        ])
    func advice(yaml: String, line: Int, problem: String, advice: String) {
        expectRefusal(of: yaml, line, "is not YAML: \(problem). \(advice)")
    }

    private static let escape =
        "In double quotation marks a backslash begins an escape: write the text in single ones, such as a path of Windows or "
        + "a regular expression"
    private static let indicator =
        "A value that begins with one of the characters @ ` % * & ! | > needs quotation marks"

    @Test(
        "A value that begins with # or & is a key without a value, and not a key that is missing",
        arguments: ["client_secret: #hunter2", "client_secret: &hunter2", "client_secret:"])
    func noValue(line: String) throws {
        try Change(
            "client_secret: env:LINE_SECRET", line, "providers.line.client_secret",
            "has no value: write env:NAME or file:/path, for Apple client_secret.apple with key, key_id and team_id, or "
                + "client_key with token_endpoint_auth: private_key_jwt, or token_endpoint_auth: none with pkce: S256. A value that "
                + "begins with # or & needs quotation marks"
        ).expectRefusal()
    }

    @Test("A placeholder of a template is no section")
    func template() throws {
        try Change(
            "name: My App", "name: {{ .Values.name }}", "clients.my-app.name",
            "is a placeholder of a template, which has to be replaced before: write the value"
        ).expectRefusal()
        try Change(
            "client_secret: env:LINE_SECRET", "client_secret: {{ .Values.line.secret }}",
            "providers.line.client_secret",
            "is a placeholder of a template, which has to be replaced before: write the value"
        ).expectRefusal()
    }

    private func expectRefusal(of yaml: String, _ line: Int?, _ message: String) {
        #expect(throws: SettingsProblems([SettingsProblem(line: line, key: "", message: message)])) {
            try Sample.loader().parse(yaml: yaml)
        }
    }

    @Test(
        "A key that is no name is refused",
        arguments: [
            ("? [info]\n: level", "logging", "has a key that is not a text: write `name: value`"),
            ("\"\": info", "logging", "has a key that is empty: write a name"),
            ("\"le\\nvel\": info", "logging", "has a key that contains a line break within it: remove it"),
            // Indented by a space of another kind, as a web page has it.
            (
                "\u{A0}level: info", "logging",
                "has a key that contains the invisible character U+00A0 at its start: remove it"
            ),
        ])
    func badKey(text: String, key: String, message: String) throws {
        try Change("level: info", text, key, message).expectRefusal()
    }

    @Test("A control character in the file is refused with its line")
    func controlCharacter() {
        #expect(
            throws: SettingsProblems([
                SettingsProblem(line: 2, key: "", message: "is not YAML: control characters are not allowed")
            ])
        ) { try Sample.loader().parse(yaml: "server: {}\nstore: a\u{1}b") }
    }

    @Test("A file with other line ends is read, and a duplicate key in it is refused")
    func lineEnds() throws {
        let windows = Sample.yaml.replacing("\n", with: "\r\n")
        #expect(try Sample.loader().parse(yaml: windows) == Sample.loader().parse(yaml: Sample.yaml))
        #expect(
            throws: SettingsProblems([
                SettingsProblem(line: 73, key: "logging", message: "occurs twice, first on line 69: keep one")
            ])
        ) { try Sample.loader().parse(yaml: windows + "\r\nlogging: {}") }
        #expect(
            throws: SettingsProblems([
                SettingsProblem(line: 2, key: "", message: "a key occurs twice: keep one")
            ])
        ) { try Sample.loader().parse(yaml: "server: {}\rstore: a\rstore: b") }
    }

    @Test("A file with many duplicate keys is refused with one message")
    func manyDuplicates() {
        #expect(
            throws: SettingsProblems([
                SettingsProblem(line: nil, key: "", message: "too many keys occur twice: keep one of each")
            ])
        ) { try Sample.loader().parse(yaml: String(repeating: "store: a\n", count: 100)) }
    }

    @Test("Deep nesting is refused", arguments: ["[", "{a: ", "- "])
    func depth(opening: String) {
        #expect(throws: SettingsProblems.self) {
            try Sample.loader().parse(yaml: String(repeating: opening, count: 100_000))
        }
    }

    @Test("Every required key that is missing is reported")
    func requiredKeys() {
        let yaml = "logging: {level: info}"
        #expect(
            throws: SettingsProblems([
                SettingsProblem(line: nil, key: "clients", message: "is missing: name at least one application"),
                SettingsProblem(
                    line: nil, key: "firebase.service_account",
                    message: "is missing: write the path of the service account's JSON file or env:NAME, or set "
                        + "GOOGLE_APPLICATION_CREDENTIALS. For the Firebase emulator write emulator_host in its place"),
                SettingsProblem(line: nil, key: "providers", message: "is missing: name at least one provider"),
                SettingsProblem(
                    line: nil, key: "server.public_url",
                    message: "is missing: write the URL at which browsers reach this server"),
            ])
        ) { try Sample.loader().parse(yaml: yaml) }
    }

    @Test("All problems are reported at once, in the order of their lines")
    func allAtOnce() {
        let yaml = """
            server:
              listen: nowhere
              public_url: http://auth.example.com
              drain_timeout: 20
            clients:
              my-app: {providers: [google], origins: ["*"]}
            providers:
              yahoo.com: {client_secret: env:UNSET}
              twitter.com: {}
            limits: {exchange_per_address: 60}
            nonsense: 1
            limits: {}
            """
        do {
            _ = try Sample.loader().parse(yaml: yaml)
            Issue.record("nothing was refused")
        } catch {
            let expected: [(Int?, String)] = [
                (nil, "firebase.service_account"), (2, "server.listen"), (3, "server.public_url"),
                (4, "server.drain_timeout"), (6, "clients.my-app.origins[0]"), (6, "clients.my-app.providers[0]"),
                (8, "providers.yahoo.com.client_id"), (8, "providers.yahoo.com.client_secret"),
                (9, "providers.twitter.com.oauth2"), (10, "limits.exchange_per_address"), (11, "nonsense"),
                (12, "limits"),
            ]
            #expect(error.problems.map(\.line) == expected.map(\.0))
            #expect(error.problems.map(\.key) == expected.map(\.1))
        }
    }
}
