import Fixtures
import Foundation
import Providers
import Settings
import Standards
import Testing

/// Tests of the configuration file that is published with the program.
@Suite("config/token-exchange.yaml")
struct DefaultsTests {
    let text: String
    let loader = SettingsLoader(
        environment: [
            "YAHOO_CLIENT_ID": "dj0yJmk9", "YAHOO_CLIENT_SECRET": "b3f1c7a9", "X_CONSUMER_KEY": "xvz1evFS",
            "X_CONSUMER_SECRET": "c81e728d", "X_CLIENT_ID": "bmlnaHQ", "X_CLIENT_SECRET": "eccbc87e",
            "KEYCLOAK_CLIENT_ID": "staff-app", "KEYCLOAK_CLIENT_SECRET": "a87ff679", "EXAMPLE_CLIENT_ID": "1653800000",
            "EXAMPLE_CLIENT_SECRET": "e4da3b7f",
        ],
        readFile: { path throws(SettingsFileError) in
            guard path == "/etc/token-exchange/service-account.json" else { throw .missing }
            return SettingsFile(bytes: Array("{}".utf8))
        })

    init() throws {
        text = try String(
            contentsOf: Fixtures.repository.appending(path: "config/token-exchange.yaml"), encoding: .utf8)
    }

    @Test("The published file loads without a warning")
    func loads() throws {
        #expect(try loader.parse(yaml: text).warnings.isEmpty)
    }

    @Test("Every default in the file is equal to the default of the code")
    func defaults() throws {
        let least = """
            server: {public_url: https://auth.example.com}
            firebase: {service_account: /etc/token-exchange/service-account.json}
            clients: {my-app: {}}
            providers:
              yahoo.com: {client_id: env:YAHOO_CLIENT_ID, client_secret: env:YAHOO_CLIENT_SECRET}
              twitter.com:
                oauth1: {consumer_key: env:X_CONSUMER_KEY, consumer_secret: env:X_CONSUMER_SECRET}
                oauth2: {client_id: env:X_CLIENT_ID, client_secret: env:X_CLIENT_SECRET}
              keycloak:
                issuer: https://id.example.com/realms/staff
                client_id: env:KEYCLOAK_CLIENT_ID
                client_secret: env:KEYCLOAK_CLIENT_SECRET
              example:
                protocol: oauth2
                client_id: env:EXAMPLE_CLIENT_ID
                client_secret: env:EXAMPLE_CLIENT_SECRET
                endpoints:
                  authorization: https://login.example.com/authorize
                  token: https://login.example.com/token
                  userinfo: https://api.example.com/me
                members: {sub: /id}
            """
        #expect(try loader.parse(yaml: text) == loader.parse(yaml: least))
    }

    @Test("A default that depends on the provider or on another key is null in the file")
    func otherDefaults() throws {
        let settings = try loader.parse(yaml: text)
        #expect(settings.sealKeys.isEmpty && settings.storeKeys.isEmpty)
        #expect(settings.clients.map(\.providers) == [["yahoo.com", "twitter.com", "keycloak", "example"]])
        #expect(settings.clients.map(\.tokenLifetime) == [.seconds(300)])
        #expect(settings.clients.allSatisfy { $0.tenantID == nil && $0.allowedEmailDomains == nil })
        #expect(settings.firebase.apiKey == nil && settings.server.tls == nil)
        #expect(
            settings.providers.openIDConnect.allSatisfy { $0.registration.scopes == ["openid", "profile", "email"] })
    }

    /// A key of the published file: its path, its value as written, and the comment above it.
    private struct Line {
        let number: Int
        let path: String
        let value: String
        let comment: String

        /// The path with `*` for the name of the application and for the ids of providers.
        var declaration: String {
            path.replacing(/^(clients\.my-app|providers\.yahoo\.com|providers\.keycloak|providers\.example)/) { match in
                match.output.0.prefix { $0 != "." } + ".*"
            }
        }
    }

    /// The keys of the published file, without the members of `claims`.
    private var lines: [Line] {
        var (found, sections, comment): ([Line], [String], [String]) = ([], [], [])
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.drop { $0 == " " }
            guard !content.hasPrefix("#"), let colon = content.firstRange(of: /:( |$)/) else {
                comment = content.isEmpty ? [] : comment + [String(content.drop { "# ".contains($0) })]
                continue
            }
            sections = sections.prefix((line.count - content.count) / 2) + [String(content[..<colon.lowerBound])]
            let value = content[colon.upperBound...].prefix { $0 != "#" }.split(separator: " ").joined(separator: " ")
            found.append(
                Line(
                    number: number, path: sections.joined(separator: "."), value: value,
                    comment: comment.joined(separator: " ")))
            comment = []
        }
        return found.filter { !$0.path.hasPrefix("claims.") }
    }

    /// Returns the keys of a section in the published file, which has every key.
    func keys(of section: String) -> [String] {
        lines.map(\.path).filter { $0.hasPrefix(section + ".") }.map { String($0.dropFirst(section.count + 1)) }
            .filter { !$0.contains(".") }.sorted()
    }

    @Test("Each key that a message or a page of the guide names is declared")
    func namedKeys() throws {
        let paths = Settings.declaredKeys.map { $0.split(separator: ".") }
        let sections = Set(paths.flatMap { $0.dropLast() }).subtracting(["apple", "com"])
        // A text names a key from any of its sections on, such as `endpoints.token`, and also a section in a section.
        let known = paths.reduce(into: Set<String>()) { known, path in
            for start in path.indices {
                for end in path.indices[start...] { known.insert(path[start...end].joined(separator: ".")) }
            }
        }
        // Claims of Firebase's ID tokens, a host, and a column of the store.
        let others = ["firebase.identities", "firebase.sign_in_provider", "accounts.google.com", "accounts.email"]
        let sources = Fixtures.repository.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var named = 0
        for case let file as URL in files
        where ["swift", "md"].contains(file.pathExtension) && !file.path.contains("/Sources/Lab/") {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                // Without a space, a text of a program is an id, such as that of a finding of `doctor`.
                let texts =
                    file.pathExtension == "md"
                    ? line.matches(of: /`[a-z_.]+`/).map(\.0)
                    : line.matches(of: /"[^"]*"/).map(\.0).filter { $0.contains(" ") }
                let names = texts.flatMap { $0.matches(of: /(^|[ `"])([a-z_]+(?:\.[a-z_]+)+)(?![A-Za-z(])/).map(\.2) }
                for name in names where sections.contains(name.prefix { $0 != "." }) {
                    named += 1
                    let isKnown = known.contains(String(name)) || others.contains(String(name))
                    #expect(isKnown, "\(file.lastPathComponent): \(name)")
                }
            }
        }
        #expect(named > 100)
    }

    @Test("The published file has every key that is declared, and no other")
    func completeness() {
        let written = Set(lines.filter { !$0.value.isEmpty }.map(\.declaration))
        let declared = Set(Settings.declaredKeys).subtracting(["claims.*"])
        #expect(declared.count > 100)
        // The keys of a section that is null in the file are in the comment above it, or above all such sections.
        let absent = [
            "hooks.before_create", "hooks.before_link", "hooks.before_sign_in", "providers.*.client_key",
            "providers.*.emails",
            "providers.*.introspection", "server.tls",
        ]
        #expect(written.subtracting(declared) == Set(absent))
        for key in declared.subtracting(written) {
            // A client secret is a text or a section.
            #expect((absent + ["providers.*.client_secret"]).contains { key.hasPrefix($0 + ".") }, "\(key)")
            let name = key.split(separator: ".").last ?? "?"
            #expect(
                lines.contains { key.hasPrefix($0.declaration + ".") && $0.comment.contains("\(name)") }, "\(key)")
        }
    }

    @Test("The comment of each key states its default, or that the key is required")
    func comments() {
        var isNullEach = false
        for line in lines {
            isNullEach =
                line.comment.contains("Default of each: null") || isNullEach && ["", "null"].contains(line.value)
            guard !line.value.isEmpty, !line.comment.isEmpty, !(isNullEach && line.value == "null") else { continue }
            let stated = line.comment.split(separator: "Default: ", omittingEmptySubsequences: false).dropFirst().last
            let value = line.value == "[]" ? "none" : line.value
            #expect(
                stated.map { $0.hasPrefix(value) || $0.hasPrefix("the ") } ?? line.comment.contains("Required"),
                "\(line.path) is \(line.value): \(line.comment)")
        }
    }

    @Test("Every key is read: a value that no key can have is reported at it")
    func reading() throws {
        let unchanged = text.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines where !line.value.isEmpty {
            var changed = unchanged
            changed[line.number] = unchanged[line.number].prefix { $0 != ":" } + ": {wrong: [1]}"
            let error = #expect(throws: SettingsProblems.self) {
                try loader.parse(yaml: changed.joined(separator: "\n"))
            }
            #expect(error?.problems.contains { $0.key.hasPrefix(line.path) } == true, "\(line.path)")
        }
    }

    @Test("config check prints each value as the file has it, or durations in a larger unit")
    func printed() throws {
        let summary = try loader.parse(yaml: text).summary
        let others = ["firebase.service_account", "firebase.signer", "store_pooling"]
        for line in lines where !["", "null"].contains(line.value) && !others.contains(line.path) {
            let isSecret = line.path.hasSuffix("secret")
            guard isSecret || !line.value.hasPrefix("env:") else { continue }
            let value = ["60s": "1m", "24h": "1d"][line.value] ?? line.value.replacing("\"", with: "")
            #expect(
                summary.contains("\(line.path): \(isSecret ? "[secret elided] from " : "")\(value)"), "\(line.path)")
        }
        #expect(summary.contains("firebase.service_account: [/etc/token-exchange/service-account.json]"))
        for line in [
            "server.tls", "firebase.signer", "firebase.tenant_id", "store_pooling", "hooks", "providers.keycloak.name",
        ] {
            #expect(!summary.contains { $0.hasPrefix(line) }, "\(line)")
        }
        for line in [
            "seal_keys: created beside the store", "accounts.anonymous_retention: forever",
            "firebase.project_id: from the service account", "providers.keycloak.scopes: [openid, profile, email]",
        ] { #expect(summary.contains(line)) }
    }

    @Test("twitter.com with only OAuth 1.0a uses it by default, and accepts no codes")
    func oauth1Alone() throws {
        let settings = try loader.parse(
            yaml: """
                server: {public_url: https://auth.example.com}
                firebase: {service_account: /etc/token-exchange/service-account.json}
                clients: {my-app: {}}
                providers:
                  twitter.com: {oauth1: {consumer_key: env:X_CONSUMER_KEY, consumer_secret: env:X_CONSUMER_SECRET}}
                """)
        #expect(settings.providers.twitter?.flow == .oauth1)
        #expect(settings.providers.twitter?.accept == [])
    }
}
