import Fixtures
import Providers
import Settings
import Standards
import Testing

/// Tests of the settings for the browser flow and the device flow.
@Suite("Browser flow")
struct BrowserFlowTests {
    private static let name = "name: My App"
    private static let scheme =
        "write https://…, http://127.0.0.1/… or your domain in reverse order as a scheme: com.example.app:/path"
    private static let owned =
        "has a scheme that browsers, operating systems or standards use for themselves: " + scheme
    private static let unowned =
        "has a scheme without a dot, which any application can claim: write your domain in reverse order, as in "
        + "com.example.app:/path, or set allow_unowned_schemes: true for this client"

    private func client(_ line: String) throws -> Settings.Client {
        try #require(try settings(Self.name, line).clients.first)
    }

    private func settings(_ old: String, _ new: String) throws -> Settings {
        try Sample.loader().parse(yaml: Sample.changing(old, to: new).yaml)
    }

    @Test("Redirect URIs of RFC 8252 are read, in the order of the file")
    func redirectURIs() throws {
        #expect(try client(Self.name).redirectURIs == [])
        let uris = [
            "https://app.example.com/cb?a=b", "com.example.app:/oauth", "http://127.0.0.1/callback",
            "http://[::1]:3000/callback",
        ]
        let written = uris.map { "\"\($0)\"" }.joined(separator: ", ")
        let client = try client("redirect_uris: [\(written)]")
        #expect(client.redirectURIs == uris)
        #expect(
            client.providerRedirectURIs == .separate(["yahoo.com": ["com.example.app:/yahoo"]]),
            "The one list is not the other.")
    }

    @Test("The address of this server for the responses of providers is no redirect URI of an application")
    func ownCallback() throws {
        try Change(
            Self.name, "redirect_uris: [\"https://auth.example.com/callback/yahoo.com\"]",
            "clients.my-app.redirect_uris",
            "has the address at which this server receives the responses of providers: write one of the application"
        ).expectRefusal()
    }

    @Test(
        "A redirect URI that another application can claim, or that executes code, is refused",
        arguments: [
            ("javascript:alert(1)", owned), ("data:text/html,x", owned), ("myapp:/cb", unowned), ("//evil/cb", scheme),
            ("http://app.example.com/cb", "write https:// at its beginning; http:// is only for loopback"),
            ("https://app.example.com/cb#x", "must not have a fragment: leave out # and what follows"),
            ("https://a@evil.example/cb", "must not have a user name or password: leave out the part before @"),
            (
                "https://*.example.com/cb",
                "contains a wildcard, but is compared literally: write each redirect URI in full"
            ),
            ("https://app.example.com/../cb", "has a path segment . or ..: write the resulting path"),
        ])
    func badRedirectURI(uri: String, message: String) throws {
        try Change(
            Self.name, "redirect_uris: [https://app.example.com/cb, \"\(uri)\"]", "clients.my-app.redirect_uris[1]",
            message
        ).expectRefusal()
    }

    @Test("A redirect URI that is in the list twice, and a value that is not a list, are refused")
    func redirectURIList() throws {
        try Change(
            Self.name, "redirect_uris: [com.example.app:/cb, com.example.app:/cb]", "clients.my-app.redirect_uris[1]",
            "is in this list twice: keep one"
        ).expectRefusal()
        try Change(
            Self.name, "redirect_uris: com.example.app:/cb", "clients.my-app.redirect_uris",
            "must be a list: write [one, another]"
        ).expectRefusal()
    }

    @Test("By default the grants are the two that need no device")
    func grants() throws {
        #expect(try client(Self.name).grants == [.authorizationCode, .tokenExchange])
        #expect(try client("grants: [device_code]").grants == [.deviceCode])
        #expect(
            try client("grants: [device_code, token_exchange, authorization_code]").grants
                == [.deviceCode, .tokenExchange, .authorizationCode])
        #expect(try client("grants: []").grants == [])
    }

    @Test(
        "An unknown grant is refused",
        arguments: [
            "password", "implicit", "refresh_token", "client_credentials", "Authorization_Code", "off",
            "urn:ietf:params:oauth:grant-type:device_code",
        ])
    func badGrant(name: String) throws {
        try Change(
            Self.name, "grants: [authorization_code, \"\(name)\"]", "clients.my-app.grants[1]",
            "write authorization_code, token_exchange or device_code"
        ).expectRefusal()
    }

    @Test("A grant that is in the list twice is refused")
    func repeatedGrant() throws {
        try Change(
            Self.name, "grants: [device_code, device_code]", "clients.my-app.grants[1]",
            "is in this list twice: keep one"
        ).expectRefusal()
    }

    @Test("The rate of started flows per address is 60 a minute by default")
    func startRate() throws {
        let line = "exchange_per_address: 60/min"
        let untouched = try settings(line, line).limits
        #expect(untouched.startPerAddress == untouched.exchangePerAddress)
        #expect(untouched.startPerAddress?.description == "60/min")
        #expect(try settings(line, "start_per_address: 5/s").limits.startPerAddress?.description == "5/s")
        #expect(try settings(line, "start_per_address: off").limits.startPerAddress == nil)
        #expect(try settings(line, "start_per_address: off").limits.exchangePerAddress != nil)
        for bad in ["0/min", "60", "60/day", "on", "-1/s"] {
            try Change(
                line, "start_per_address: \(bad)", "limits.start_per_address",
                "write a rate such as 60/min (s, min or h), or off"
            ).expectRefusal()
        }
    }

    @Test("The rate of pages per address is 120 a minute by default")
    func pageRate() throws {
        let line = "exchange_per_address: 60/min"
        #expect(try settings(line, line).limits.pagePerAddress?.description == "120/min")
        #expect(try settings(line, "page_per_address: 5/s").limits.pagePerAddress?.description == "5/s")
        #expect(try settings(line, "page_per_address: off").limits.pagePerAddress == nil)
    }

    @Test("The limit of wrong user codes per address is a number from 1 to 100, and cannot be switched off")
    func deviceCodeTries() throws {
        let line = "exchange_per_address: 60/min"
        #expect(try settings(line, line).limits.deviceCodeTries == 5)
        for good in [1, 100] {
            #expect(try settings(line, "device_code_tries: \(good)").limits.deviceCodeTries == good)
        }
        for (bad, message) in [
            ("0", "must be from 1 to 100"), ("101", "must be from 1 to 100"), ("-1", "must be from 1 to 100"),
            ("off", "write a whole number, without quotes and without a unit"),
            ("5/min", "write a whole number, without quotes and without a unit"),
            ("\"5\"", "write a whole number, without quotes and without a unit"),
        ] {
            try Change(line, "device_code_tries: \(bad)", "limits.device_code_tries", message).expectRefusal()
        }
    }

    @Test("The failures of a provider that stop calls to it are a number from 1 to 1000, or off")
    func providerFailures() throws {
        let line = "exchange_per_address: 60/min"
        for (text, failures) in [("1", 1), ("1000", 1000), ("off", nil)] as [(String, Int?)] {
            #expect(try settings(line, "provider_failures: \(text)").limits.providerFailures == failures)
        }
        for bad in ["0", "1001"] {
            try Change(line, "provider_failures: \(bad)", "limits.provider_failures", "must be from 1 to 1000, or off")
                .expectRefusal()
        }
    }

    @Test("A provider may have a display name of at most 100 characters")
    func providerName() throws {
        let line = "client_id: dj0yJmk9"
        #expect(try settings(line, line).providers.openIDConnect.first?.registration.name == "Yahoo")
        #expect(
            try settings(line, "\(line)\nname: Yahoo!").providers.openIDConnect.first?.registration.name == "Yahoo!")
        let longest = String(repeating: "é", count: 100)
        #expect(
            try settings(line, "\(line)\nname: \(longest)").providers.openIDConnect.first?.registration.name == longest)
        try Change(
            line, "\(line)\nname: \(longest)é", "providers.yahoo.com.name", "must be at most 100 characters long",
            offset: 1
        ).expectRefusal()
    }
}
