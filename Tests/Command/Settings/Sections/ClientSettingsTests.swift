import Fixtures
import Settings
import Standards
import Support
import Testing

/// Tests of `clients`, with one error at a time.
@Suite("Clients")
struct ClientSettingsTests {
    private static let https = "write https:// at its beginning; http:// is only for loopback"
    private static let host =
        "has no valid host: write a name of letters, digits, hyphens and dots, without underscores, or an IP address (IPv6 in "
        + "brackets)"
    private static func character(_ name: String) -> String {
        "contains \(name), which is not allowed in a URL: if it belongs to a placeholder such as {name}, write the value; if it "
            + "is not in the host, percent-encode it"
    }
    private static let scheme =
        "write https://…, http://127.0.0.1/… or your domain in reverse order as a scheme: com.example.app:/path"
    private static let owned =
        "has a scheme that browsers, operating systems or standards use for themselves: " + scheme
    private static let oneSlash = "With one slash, as in com.example.app:/path, there is none"
    private static let unowned =
        "has a scheme without a dot, which any application can claim: write your domain in reverse order, as in "
        + "com.example.app:/path, or set allow_unowned_schemes: true for this client"

    private static let placeholder =
        "contains a placeholder in braces or angle brackets: write its value there"

    @Test(
        "A redirect URI that another application can claim, or that executes code, is refused",
        arguments: [
            ("javascript:alert(1)", owned), ("data:text/html,x", owned), ("vbscript:x", owned),
            ("about:blank", owned), ("JavaScript:/x", owned), ("intent://x", owned), ("ms-word:/x", owned),
            ("file:///etc/passwd", owned), ("myapp://callback", unowned), ("myapp:/callback", unowned), ("oob", scheme),
            ("msauth://com.example.app/1wIqXSqBj7w%2Bh11ZifsnqwgyKrY%3D", unowned),
            ("exp://192.168.3.137:8081", unowned),
            ("com.example.app://", "\(host). \(oneSlash)"), ("com.example.app:///callback", "\(host). \(oneSlash)"),
            ("com.example.app://oauth_callback", "\(host). \(oneSlash)"), ("urn:ietf:wg:oauth:2.0:oob", owned),
            ("app-1-x-ios-0a1b2c3d:/cb", unowned), ("app-1-1234567890-tv-0a1b2c3d:/cb", unowned),
            ("app-1-1234567890-ios-0a1b2c3g:/cb", unowned), ("app-2-1234567890-ios-0a1b2c3d:/cb", unowned),
            ("app-1-1234567890-ios:/cb", unowned),
            ("//evil.example/cb", scheme), ("com.example.app:callback", scheme), ("com..example:/cb", scheme),
            ("Com.Example.App:/cb", upperCase), ("com.Example.App:/callback", upperCase),
            ("MyApp://callback", "\(upperCase). It \(unowned)"),
            (
                "com.example.my_app:/callback",
                "has a scheme with an underscore, which no URI can have (RFC 3986 section 3.1): choose one without it, as in "
                    + "com.example.my-app:/path, for the application too"
            ),
            (
                "https://bücher.example/cb",
                "has a host with letters outside ASCII: write its form in ASCII, which contains xn--"
            ),
            ("https://app.example.com/bücher", character("the character U+00FC")),
            ("1com.example:/cb", scheme), ("mailto:a@b.c", owned),
            ("http://app.example.com/cb", "write https:// at its beginning; http:// is only for loopback"),
            ("https:/app.example.com", https),
            ("https://app.example.com/cb#x", "must not have a fragment: leave out # and what follows"),
            ("com.example.app:/cb#x", "must not have a fragment: leave out # and what follows"),
            (
                "https://app.example@evil.example/cb",
                "must not have a user name or password: leave out the part before @"
            ),
            ("com.example.app://a@b/cb", "must not have a user name or password: leave out the part before @"),
            (
                "https://*.example.com/cb",
                "contains a wildcard, but is compared literally: write each redirect URI in full"
            ),
            ("https://app.example.com/cb/../x", "has a path segment . or ..: write the resulting path"),
            ("com.example.app:/./x", "has a path segment . or ..: write the resulting path"),
            ("https://app.example.com/c b", character("a space")),
            ("https://app.example.com/a|b", character("the character |")),
            ("com.example.app:/<x>", placeholder), ("com.onmicrosoft.{tenant}.{appname}://redirect/path", placeholder),
        ])
    func redirectURI(uri: String, message: String) throws {
        try Change(
            "provider_redirect_uris: {yahoo.com: [com.example.app:/yahoo]}",
            "provider_redirect_uris:\n  - https://app.example.com/cb\n  - \"\(uri)\"",
            "clients.my-app.provider_redirect_uris[1]", message, offset: 2
        ).expectRefusal()
    }

    private static let upperCase =
        "has a scheme with upper-case letters, which browsers change: write it in lower case, for the application too"

    @Test(
        "A redirect URI of RFC 8252 is accepted",
        arguments: [
            "com.example.app:/oauth", "com.example.app://oauth/cb",
            "com.googleusercontent.apps.123-abc:/oauth2redirect",
            "app-1-1234567890-ios-0a1b2c3d:/oauth", "app-1-1234567890-ios-0a1b2c3d://firebaseauth/link",
            "https://app.example.com/cb?a=b", "http://127.0.0.1/callback", "http://[::1]:3000/callback",
            "http://localhost:3000/cb",
        ])
    func goodRedirectURI(uri: String) throws {
        let yaml = try Sample.changing(
            "provider_redirect_uris: {yahoo.com: [com.example.app:/yahoo]}", to: "provider_redirect_uris: [\"\(uri)\"]"
        ).yaml
        #expect(try Sample.loader().parse(yaml: yaml).clients.first?.providerRedirectURIs == [uri])
    }

    @Test(
        "A redirect URI with the name localhost is accepted, with a warning that says which address to write",
        arguments: [
            ("http://localhost/callback", "http://127.0.0.1/callback"),
            ("http://localhost:8080/cb?a=b", "http://127.0.0.1:8080/cb?a=b"),
        ])
    func localhost(uri: String, literal: String) throws {
        let key = "provider_redirect_uris: {yahoo.com: [com.example.app:/yahoo]}"
        let settings = try Sample.loader().parse(
            yaml: try Sample.changing(key, to: "provider_redirect_uris: [\"\(uri)\"]").yaml)
        #expect(settings.clients.first?.providerRedirectURIs == [uri])
        #expect(
            settings.warnings.map(\.description).contains {
                $0.contains("clients.my-app.provider_redirect_uris[0]") && $0.hasSuffix("write \(literal)")
            })
    }

    @Test("A redirect URI with a loopback address, or with TLS, is no reason for a warning of localhost")
    func noLocalhost() throws {
        let key = "provider_redirect_uris: {yahoo.com: [com.example.app:/yahoo]}"
        for uri in ["http://127.0.0.1/callback", "http://[::1]/callback", "https://localhost/callback"] {
            let settings = try Sample.loader().parse(
                yaml: try Sample.changing(key, to: "provider_redirect_uris: [\"\(uri)\"]").yaml)
            #expect(!settings.warnings.map(\.description).contains { $0.contains("localhost") })
        }
    }

    private static let providerKey = "provider_redirect_uris: {yahoo.com: [com.example.app:/yahoo]}"

    @Test("RFC 9700 §4.4: each provider may have redirect URIs of its own")
    func separateRedirectURIs() throws {
        let yaml = try Sample.changing(
            Self.providerKey,
            to: "provider_redirect_uris:\n  yahoo.com: [\"com.example.app:/yahoo\", \"http://127.0.0.1/a\"]\n"
                + "  twitter.com: [\"com.example.app:/x\"]"
        ).yaml
        let settings = try Sample.loader().parse(yaml: yaml)
        let uris = try #require(settings.clients.first?.providerRedirectURIs)
        #expect(uris.uris(at: "yahoo.com") == ["com.example.app:/yahoo", "http://127.0.0.1/a"])
        #expect(uris.uris(at: "twitter.com") == ["com.example.app:/x"])
        #expect(uris.uris(at: "line").isEmpty)
        #expect(!settings.warnings.contains { $0.key.hasSuffix("provider_redirect_uris") })
    }

    @Test(
        "A redirect URI below two providers, or below one that the client cannot use, is refused by name",
        arguments: [
            (
                "{yahoo.com: [\"com.example.app:/cb\"], twitter.com: [\"com.example.app:/cb\"]}",
                "clients.my-app.provider_redirect_uris.twitter.com[0]", Self.shared
            ),
            (
                // Any port of loopback is the same redirect URI.
                "{yahoo.com: [\"http://127.0.0.1:8000/cb\"], twitter.com: [\"http://127.0.0.1:9000/cb\"]}",
                "clients.my-app.provider_redirect_uris.twitter.com[0]", Self.shared
            ),
            (
                "{yahoo.com: [\"com.example.app:/cb\"], twiter.com: [\"com.example.app:/x\"]}",
                "clients.my-app.provider_redirect_uris.twiter.com",
                "is not a provider of this client: did you mean twitter.com?"
            ),
            (
                "{line: [\"com.example.app:/cb\"]}", "clients.my-app.provider_redirect_uris.line",
                "is not a provider of this client: use one of twitter.com, yahoo.com"
            ),
            (
                "{yahoo.com: [\"javascript:alert(1)\"]}", "clients.my-app.provider_redirect_uris.yahoo.com[0]",
                Self.owned
            ),
        ])
    func unusableRedirectURIs(map: String, key: String, message: String) throws {
        try Change(Self.providerKey, "provider_redirect_uris: \(map)", key, message).expectRefusal()
    }

    private static let shared =
        "is also a redirect URI of yahoo.com, whose codes the application could not tell from those of twitter.com (RFC 9700 "
        + "section 4.4): write a URI of its own for each provider"

    @Test("RFC 9700 §4.4: one list for several providers is a warning with the map to write")
    func sharedRedirectURIs() throws {
        let flat = "provider_redirect_uris: [com.example.app:/yahoo]"
        let warnings = try Sample.loader().parse(yaml: try Sample.changing(Self.providerKey, to: flat).yaml).warnings
            .filter { $0.key == "clients.my-app.provider_redirect_uris" }
        #expect(
            warnings.map(\.message) == [
                "is one list for 2 providers, any of which can have a code of another one posted as its own if the application "
                    + "uses one URI for both (RFC 9700 section 4.4): write the URIs of each provider below its id, as in "
                    + "{yahoo.com: […], twitter.com: […]}"
            ])
        let one = try Sample.changing("providers: [yahoo.com, twitter.com]", to: "providers: [yahoo.com]").yaml
            .replacing(Self.providerKey, with: flat)
        #expect(
            !(try Sample.loader().parse(yaml: one)).warnings.contains { $0.key.hasSuffix("provider_redirect_uris") })
    }

    @Test("Any other scheme without a dot needs the client's permission, which covers no scheme of a browser")
    func unownedScheme() throws {
        try Change(
            "provider_redirect_uris: {yahoo.com: [com.example.app:/yahoo]}",
            "provider_redirect_uris: [\"myapp:/cb\", \"javascript:/cb\"]\nallow_unowned_schemes: true",
            "clients.my-app.provider_redirect_uris[1]", Self.owned
        ).expectRefusal()
        let yaml = try Sample.changing(
            "provider_redirect_uris: {yahoo.com: [com.example.app:/yahoo]}",
            to: "provider_redirect_uris: [\"myapp:/cb\", \"myapp://host/cb\"]\nallow_unowned_schemes: true"
        ).yaml
        let client = try #require(try Sample.loader().parse(yaml: yaml).clients.first)
        #expect(client.allowsUnownedSchemes && client.providerRedirectURIs == ["myapp:/cb", "myapp://host/cb"])
        // The proxy of Expo, an application with MSAL, and Expo Go.
        let mobile = yaml.replacing(
            "[\"myapp:/cb\", \"myapp://host/cb\"]",
            with: "[\"https://auth.expo.io/@user/app\", \"msauth://com.example.app/1wIq%2Bh11%3D\", "
                + "\"exp://192.168.3.137:8081\"]")
        #expect(
            try Sample.loader().parse(yaml: mobile).clients.first?.providerRedirectURIs == [
                "https://auth.expo.io/@user/app", "msauth://com.example.app/1wIq%2Bh11%3D", "exp://192.168.3.137:8081",
            ])
        // RFC 3986 §3.1 allows the plus sign.
        let plus = try Sample.changing(
            "provider_redirect_uris: {yahoo.com: [com.example.app:/yahoo]}",
            to: "provider_redirect_uris: [\"web+application://callback\"]\nallow_unowned_schemes: true"
        ).yaml
        #expect(
            try Sample.loader().parse(yaml: plus).clients.first?.providerRedirectURIs == ["web+application://callback"])
    }

    private static let oneOrigin =
        "is not one origin: write its scheme and host in full, such as https://app.example.com"
    private static let onlyOrigin =
        "must be only scheme, host and port, in lower case and without the default port: write https://app.example.com"
    private static let otherScheme =
        "has a scheme that is not read here: write an origin with https, http for loopback, or capacitor, "
        + "chrome-extension, ionic, moz-extension, safari-web-extension, tauri"

    @Test(
        "An invalid origin is refused",
        arguments: [
            ("*", oneOrigin), ("null", oneOrigin), ("https://*.example.com", oneOrigin),
            ("https://app.example.com/", onlyOrigin), ("https://App.Example.com:443/a", onlyOrigin),
            ("https://app.example.com:443", onlyOrigin),
            ("http://app.example.com", "write https:// at its beginning; http:// is only for loopback"),
            ("file://app", otherScheme), ("app://localhost", otherScheme),
            ("chrome-extension://*", "write only the scheme and the name, without a port and a slash at the end"),
            ("tauri://localhost/", "write only the scheme and the name, without a port and a slash at the end"),
            ("tauri://", "write only the scheme and the name, without a port and a slash at the end"),
        ])
    func origin(text: String, message: String) throws {
        try Change(
            "origins: [https://app.example.com]", "origins: [\"\(text)\"]", "clients.my-app.origins[0]", message
        ).expectRefusal()
    }

    @Test(
        "An origin may be that of an extension or of a web view",
        arguments: [
            "chrome-extension://abcdefghijklmnopabcdefghijklmnop", "tauri://localhost", "capacitor://localhost",
            "moz-extension://2c127fa4-62c7-7e4f-90e5-472b45eecfdc",
        ])
    func packagedOrigin(text: String) throws {
        let yaml = try Sample.changing("origins: [https://app.example.com]", to: "origins: [\"\(text)\"]").yaml
        let client = try #require(try Sample.loader().parse(yaml: yaml).clients.first)
        #expect(client.origins == [text])
    }

    @Test("Providers keep the order of the client, or else that of the file")
    func providerOrder() throws {
        func providers(_ line: String) throws -> [ProviderID]? {
            let yaml = try Sample.changing("providers: [yahoo.com, twitter.com]", to: line).yaml
            return try Sample.loader().parse(yaml: yaml).clients.first?.providers
        }
        #expect(try providers("providers: [twitter.com, line, yahoo.com]") == ["twitter.com", "line", "yahoo.com"])
        #expect(try providers("providers: null") == ["yahoo.com", "twitter.com", "line"])
    }

    @Test("A provider that is not configured is refused, and the message suggests the nearest one")
    func providers() throws {
        try Change(
            "providers: [yahoo.com, twitter.com]", "providers: [yahoo.com, twiter.com]", "clients.my-app.providers[1]",
            "is not a provider of this file: did you mean twitter.com?"
        ).expectRefusal()
        try Change(
            "providers: [yahoo.com, twitter.com]", "providers: []", "clients.my-app.providers",
            "is empty: name at least one provider, or leave the key out to allow all"
        ).expectRefusal()
    }

    @Test(
        "A token lifetime of more than an hour, or of fractions of a second, is refused",
        arguments: [
            ("61m", "must be from 1s to 1h"), ("0s", "must be from 1s to 1h"),
            ("1500ms", "must be a whole number of seconds"),
        ])
    func lifetime(text: String, message: String) throws {
        try Change("token_lifetime: 10m", "token_lifetime: \(text)", "clients.my-app.token_lifetime", message)
            .expectRefusal()
        try Change("token_lifetime: 5m", "token_lifetime: \(text)", "firebase.token_lifetime", message).expectRefusal()
    }

    @Test("An invalid client id is refused", arguments: ["my app", "my/app", "äpp", String(repeating: "a", count: 65)])
    func clientID(id: String) throws {
        try Change(
            "my-app:", "\"\(id)\":", "clients.\(id)",
            "is not a client id: write at most 64 letters, digits, hyphens, dots and underscores"
        ).expectRefusal()
    }

    @Test("A client name of more than 100 characters is refused")
    func name() throws {
        try Change(
            "name: My App", "name: \(String(repeating: "a", count: 101))", "clients.my-app.name",
            "must be at most 100 characters long"
        ).expectRefusal()
    }

    @Test("A configuration without clients or without providers is refused")
    func none() throws {
        let clients = Sample.yaml.replacing(/clients:\n(  .*\n)+/, with: "clients: {}\n")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(line: 18, key: "clients", message: "is empty: name at least one application")
            ])
        ) { try Sample.loader().parse(yaml: clients) }
        let providers = Sample.yaml.replacing(/providers:\n(  .*\n)+/, with: "providers: {}\n")
            .replacing("    providers: [yahoo.com, twitter.com]\n", with: "")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(line: 26, key: "providers", message: "is empty: name at least one provider")
            ])
        ) { try Sample.loader().parse(yaml: providers) }
    }
}

/// Tests of the settings of a client for accounts and App Check.
@Suite("Clients' accounts")
struct ClientAccountsTests {
    private static let name = "name: My App"
    private static let app = "1:1234567890:ios:0a1B2c3d"
    private static let appID =
        "is not an app id: write the one that the Firebase console shows, such as 1:1234567890:ios:0a1b2c3d"

    private func settings(_ lines: String) throws -> Settings {
        try Sample.loader().parse(yaml: Sample.changing(Self.name, to: lines).yaml)
    }

    @Test("App Check is off, logged or required, for all applications or for the named ones")
    func appCheck() throws {
        for appCheck in Settings.Client.AppCheck.allCases {
            #expect(try settings("app_check: \(appCheck.rawValue)").clients.first?.appCheck == appCheck)
        }
        let settings = try settings("app_check: required\napp_check_apps: [\"\(Self.app)\"]")
        #expect(settings.clients.first?.appCheckApps == [Self.app])
    }

    @Test("Anonymous accounts and redeeming are settings of a client")
    func switches() throws {
        let yaml = try Sample.changing(Self.name, to: "anonymous: true\nredeem: true\ntenant_id: other").yaml
            .replacing("project_id: my-project", with: "project_id: my-project\n  api_key: env:YAHOO_SECRET")
        let settings = try Sample.loader().parse(yaml: yaml)
        let client = try #require(settings.clients.first)
        #expect(client.allowsAnonymous)
        #expect(client.returnsFirebaseSession)
        #expect(client.tenantID == "other")
        #expect(try self.settings(Self.name).clients.first?.tenantID == "my-tenant", "Firebase's section's.")
    }

    @Test(
        "A setting without an effect, or with an invalid value, is refused",
        arguments: [
            Change(name, "app_check: on", "clients.my-app.app_check", "write off, log or required"),
            Change(
                name, "app_check_apps: [\"\(app)\"]", "clients.my-app.app_check_apps",
                "has no effect without app_check: write app_check: required, or leave this key out"),
            Change(name, "anonymous: maybe", "clients.my-app.anonymous", "write true or false, without quotes"),
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

    @Test("With Firebase's directory, too, each client may have a tenant of its own")
    func tenantOfDirectory() throws {
        let (yaml, _) = try Sample.changing(Self.name, to: "tenant_id: other")
        let firebase = yaml.replacing("  token_lifetime: 5m", with: "  token_lifetime: 5m\n  directory: firebase")
        #expect(try Sample.loader().parse(yaml: firebase).clients.first?.tenantID == "other")
    }

    @Test("An API key that was refused is not also reported as missing")
    func refusedKey() throws {
        let (yaml, _) = try Sample.changing(Self.name, to: "redeem: true")
        let changed = yaml.replacing("  token_lifetime: 5m", with: "  api_key: env:UNSET")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: 10, key: "firebase.api_key",
                    message:
                        "the variable UNSET is not set for this process (sudo, systemd and Docker pass none on): set it there, or write another value"
                )
            ])
        ) { try Sample.loader().parse(yaml: changed) }
    }

    @Test(
        "A text that is not an app id is refused",
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

    private static let providers = "providers: [yahoo.com, twitter.com]"

    @Test("The domains of verified addresses are read; without the key every person may sign in")
    func emailDomains() throws {
        let yaml = try Sample.changing(
            Self.providers, to: "providers: [yahoo.com]\nallowed_email_domains: [example.com, sub.example.com]"
        ).yaml
        let settings = try Sample.loader().parse(yaml: yaml)
        #expect(settings.clients.first?.allowedEmailDomains == ["example.com", "sub.example.com"])
        #expect(try Sample.loader().parse(yaml: Sample.yaml).clients.first?.allowedEmailDomains == nil)
    }

    @Test(
        "If another client of the same users admits more of them, the domains of the first protect nothing that both use"
    )
    func domainsOfSomeClients() throws {
        func settings(_ domains: String, other: String, claim: String = "gold") throws -> Settings {
            let yaml = try Sample.changing(
                Self.providers,
                to: "providers: [yahoo.com]\nallowed_email_domains: \(domains)"
            ).yaml.replacing("gold {email_verified}", with: claim)
            return try Sample.loader().parse(
                yaml: yaml.replacing(
                    "\nproviders:", with: "\n  tv:\n    providers: [yahoo.com]\n\(other)\nproviders:"))
        }
        let open = try settings("[example.com]", other: "")
        #expect(open.warnings.map(\.key) == ["clients.my-app.allowed_email_domains"])
        #expect(open.warnings.allSatisfy { $0.message.contains("does not restrict tv") })
        #expect(open.warnings.allSatisfy { $0.message.contains(#"keep idp: "{provider}" and idp_uid: "{subject}""#) })
        let wider = try settings("[example.com]", other: "    allowed_email_domains: [example.com, example.org]")
        #expect(wider.warnings.map(\.key) == ["clients.my-app.allowed_email_domains"])
        let disjoint = try settings("[example.com]", other: "    allowed_email_domains: [example.org]")
        #expect(disjoint.warnings.count == 2)
        for quiet in [
            try settings("[example.com]", other: "    allowed_email_domains: [example.com]"),
            try settings("[example.com]", other: "    tenant_id: another-tenant"),
            try settings("[example.com]", other: "", claim: "{client_id}"),
        ] {
            #expect(quiet.warnings.isEmpty)
        }
    }

    @Test(
        "A text that is not a domain in lower case is refused",
        arguments: [
            "Example.com", "müller.example", "https://example.com",
            "@example.com", "example", "*.example.com", "example.com/", "a b.com", "example.com:1",
        ])
    func badEmailDomain(_ text: String) throws {
        try Change(
            Self.providers, "providers: [yahoo.com]\nallowed_email_domains: [\"\(text)\"]",
            "clients.my-app.allowed_email_domains[0]",
            "is not a domain: write only its name, without @, * and a scheme, in lower case and in ASCII (xn--), such as "
                + "example.com. A subdomain is an entry of its own", offset: 1
        ).expectRefusal()
    }

    @Test(
        "Domains that would refuse every person, or a known one, are refused",
        arguments: [
            ("[]", "", "is empty: name at least one domain, or leave the key out to admit every user"),
            (
                "[example.com]", "\nanonymous: true",
                "refuses every anonymous account: leave out this key, or anonymous: true"
            ),
        ])
    func emptyEmailDomains(_ list: String, _ further: String, _ message: String) throws {
        try Change(
            Self.providers, "providers: [yahoo.com]\nallowed_email_domains: \(list)\(further)",
            "clients.my-app.allowed_email_domains", message, offset: 1
        ).expectRefusal()
    }

    @Test("A provider whose profile is only fetched once cannot bring the address at every sign-in")
    func emailDomainsWithoutProfile() throws {
        let message =
            "needs the address at every sign-in: write profile: always for twitter.com, or leave it out of providers"
        try Change(
            Self.providers, Self.providers + "\nallowed_email_domains: [example.com]",
            "clients.my-app.allowed_email_domains", message, offset: 1
        ).expectRefusal()
        let changed = try Sample.changing(
            Self.providers, to: Self.providers + "\nallowed_email_domains: [example.com]"
        ).yaml.replacing("    flow: oauth2", with: "    flow: oauth2\n    profile: always")
        #expect(try Sample.loader().parse(yaml: changed).clients.first?.allowedEmailDomains == ["example.com"])
    }
}
