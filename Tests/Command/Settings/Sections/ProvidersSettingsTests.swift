import Providers
import Settings
import Standards
import Testing

/// Tests of `providers`, with one error at a time.
@Suite("Providers")
struct ProvidersSettingsTests {
    @Test(
        "A provider without an audience is refused (IDT-24)",
        arguments: [
            Change(
                "client_id: dj0yJmk9", "client_id: null", "providers.yahoo.com.client_id",
                "is missing: write the client id that the provider issued, which is the audience of its tokens"),
            Change(
                "client_id: dj0yJmk9", "client_id: \"\"", "providers.yahoo.com.client_id",
                "is empty: write a value, or leave out the key"),
            Change(
                "client_id: dj0yJmk9", "client_id: [dj0yJmk9]", "providers.yahoo.com.client_id",
                "must be a single text: do not write a list or a section"),
            Change(
                "client_id: dj0yJmk9", "client_id: true", "providers.yahoo.com.client_id",
                "is not a text in YAML: if the value is this very word, write it in quotes; otherwise write another value, or "
                    + "leave it out"),
            Change(
                "client_id: dj0yJmk9", "client_id: env:EMPTY", "providers.yahoo.com.client_id",
                "the variable EMPTY is empty: write the value there"),
            Change(
                "client_id: dj0yJmk9", "client_id: dj0y...", "providers.yahoo.com.client_id",
                "is a placeholder, or cannot be told from one: write the real value, env:NAME for that of a variable, or register "
                    + "another one"),
            Change(
                "client_id: dj0yJmk9", "client_id: dj0yä", "providers.yahoo.com.client_id",
                "contains characters other than printable ASCII: leave them out"),
            Change(
                "client_ids: [phone-app]", "client_ids: [\"\"]", "providers.yahoo.com.client_ids[0]",
                "is empty: write a value, or leave out the key"),
            Change(
                "client_ids: [phone-app]", "client_ids: [dj0yJmk9]", "providers.yahoo.com.client_ids[0]",
                "is the same as client_id: write only further client ids"),
        ])
    func audience(change: Change) throws {
        try change.expectRefusal()
    }

    @Test("A required key that is missing is reported at its section")
    func missing() throws {
        let (_, line) = try Sample.changing("client_id: dj0yJmk9", to: "")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: line - 1, key: "providers.yahoo.com.client_id",
                    message:
                        "is missing: write the client id that the provider issued, which is the audience of its tokens")
            ])
        ) { try Sample.loader().parse(yaml: Sample.yaml.replacing("    client_id: dj0yJmk9\n", with: "")) }
    }

    @Test(
        "A provider id that is invalid, reserved or belongs to another provider is refused",
        arguments: [
            ("yahoo.com", "yahoo", "is not a known provider: write yahoo.com"),
            ("twitter.com", "x.com", "is not a known provider: write twitter.com"),
            ("twitter.com", "twitter", "is not a known provider: write twitter.com"),
            ("line", "Line", idRule), ("line", "a/b", idRule), ("line", ".line", idRule), ("line", "password", idRule),
            ("line", "anonymous", idRule), ("line", "a:b", idRule),
            ("line", String(repeating: "a", count: 65), idRule),
        ])
    func id(former: String, name: String, message: String) throws {
        try Change("\(former):", "\"\(name)\":", "providers.\(name)", message).expectRefusal()
    }

    private static let idRule =
        "is not a provider id: write at most 64 lower-case letters, digits, hyphens, dots and underscores, and none of anonymous, "
        + "custom, firebase, password, phone"

    private static let withoutOpenID =
        "must contain openid as an element of its own, as in [openid, email]: without it the provider issues no ID token"

    @Test(
        "Invalid scopes and parameters are refused",
        arguments: [
            Change(
                "scopes: [openid, email]", "scopes: [email]", "providers.yahoo.com.scopes",
                withoutOpenID),
            Change(
                "scopes: [openid, email]", "scopes: [\"openid,email\"]", "providers.yahoo.com.scopes",
                withoutOpenID),
            Change(
                "allowed_scopes: [mail-r]", "allowed_scopes: [\"a\\\"b\"]", "providers.yahoo.com.allowed_scopes[0]",
                "is not a scope: write each scope separately, as in [openid, email]"),
            Change(
                "allowed_parameters: [prompt, language]", "allowed_parameters: [\"a b\"]",
                "providers.yahoo.com.allowed_parameters[0]",
                "is not the name of a parameter: use letters, digits, hyphens, dots and underscores"),
        ])
    func scopes(change: Change) throws {
        try change.expectRefusal()
    }

    @Test(
        "A parameter of the flow itself cannot be left to applications",
        arguments: [
            "client_id", "redirect_uri", "response_type", "state", "nonce", "code_challenge",
            "code_challenge_method", "response_mode", "request", "request_uri", "claims", "id_token_hint",
            "client_secret",
            "oauth_token", "oauth_callback", "Redirect_URI",
        ])
    func reservedParameter(name: String) throws {
        try Change(
            "allowed_parameters: [prompt, language]", "allowed_parameters: [prompt, \(name)]",
            "providers.yahoo.com.allowed_parameters[1]",
            "is reserved, so that neither an application nor the configuration can choose it: leave it out"
        ).expectRefusal()
        try Change(
            "trust_email: always", "allowed_parameters: [\(name)]", "providers.twitter.com.allowed_parameters[0]",
            "is reserved, so that neither an application nor the configuration can choose it: leave it out"
        ).expectRefusal()
    }

    @Test(
        "A credential whose audience cannot be verified cannot be accepted",
        arguments: [
            Change(
                "accept: [authorization_code, id_token]", "accept: [access_token]", "providers.yahoo.com.accept",
                "contains access_token, whose audience can be verified only by introspection: write endpoints.introspection"
            ),
            Change(
                "accept: [authorization_code, id_token]", "accept: [oauth1_token]", "providers.yahoo.com.accept[0]",
                "oauth1_token works only for twitter.com: leave it out"),
            Change(
                "accept: [authorization_code, id_token]", "accept: [password]", "providers.yahoo.com.accept[0]",
                "write authorization_code, id_token or access_token"),
            Change(
                "accept: [authorization_code, oauth1_token]", "accept: [id_token]", "providers.twitter.com.accept[0]",
                "id_token is never accepted from X, because its audience cannot be verified: leave it out"),
            Change(
                "accept: [authorization_code, oauth1_token]", "accept: [access_token]",
                "providers.twitter.com.accept[0]",
                "access_token is never accepted from X, because its audience cannot be verified: leave it out"),
        ])
    func accept(change: Change) throws {
        try change.expectRefusal()
    }

    @Test("With introspection an access token can be accepted")
    func introspection() throws {
        let yaml = try Sample.changing(
            "accept: [authorization_code, id_token]", to: "accept: [access_token]"
        ).yaml.replacing("      token: https", with: "      introspection: https")
        #expect(
            try Sample.loader().parse(yaml: yaml).providers.openIDConnect.first?.registration.acceptedCredentials == [
                .accessToken
            ])
    }

    @Test("With another issuer, the introspection of a template stays only if its URL is written")
    func introspectionOfTemplate() throws {
        let issuer = "issuer: https://access.line.me"
        for (written, placement) in [
            (issuer, nil),
            (
                issuer + "\nendpoints: {introspection: https://access.line.me/validate}",
                TokenIntrospection.TokenPlacement.authorization
            ),
        ] {
            let yaml = try Sample.changing(issuer, to: written).yaml.replacing("  line:", with: "  twitch:")
            let providers = try Sample.loader().parse(yaml: yaml).providers.openIDConnect
            #expect(providers.last?.registration.introspection?.placement == placement)
        }
    }

    @Test(
        "An endpoint or issuer with an invalid URL is refused (UP-03)",
        arguments: [
            ("file:///etc/passwd", "write https:// at its beginning; http:// is only for loopback"),
            ("ftp://provider.example", "write https:// at its beginning; http:// is only for loopback"),
            ("gopher://provider.example", "write https:// at its beginning; http:// is only for loopback"),
            ("dict://provider.example", "write https:// at its beginning; http:// is only for loopback"),
            (
                "https://user:hunter2@provider.example",
                "must not have a user name or password: leave out the part before @"
            ),
            ("'https://provider.example/'", "is in quotation marks, which are not part of the value: remove them"),
            ("https://provider.example/#x", "must not have a fragment: leave out # and what follows"),
        ])
    func endpoints(url: String, message: String) throws {
        let places = [
            ("token: https://api.login.yahoo.com/oauth2/get_token", "token", "providers.yahoo.com.endpoints."),
            ("token: https://api.login.yahoo.com/oauth2/get_token", "authorization", "providers.yahoo.com.endpoints."),
            ("token: https://api.login.yahoo.com/oauth2/get_token", "userinfo", "providers.yahoo.com.endpoints."),
            ("token: https://api.login.yahoo.com/oauth2/get_token", "jwks", "providers.yahoo.com.endpoints."),
            ("token: https://api.login.yahoo.com/oauth2/get_token", "introspection", "providers.yahoo.com.endpoints."),
            ("token: https://api.login.yahoo.com/oauth2/get_token", "revocation", "providers.yahoo.com.endpoints."),
            ("issuer: https://api.login.yahoo.com", "issuer", "providers.yahoo.com.endpoints."),
            ("issuer: https://access.line.me", "issuer", "providers.line."),
            ("api: https://api.x.com", "api", "providers.twitter.com.endpoints."),
            ("authorize: https://x.com/i/oauth2/authorize", "authorize", "providers.twitter.com.endpoints."),
            ("authorize: https://x.com/i/oauth2/authorize", "oauth1_authenticate", "providers.twitter.com.endpoints."),
        ]
        for (old, name, section) in places {
            try Change(old, "\(name): \"\(url)\"", section + name, message).expectRefusal()
        }
    }

    private static let token = "token: https://api.login.yahoo.com/oauth2/get_token"
    private static let backChannel = ["token", "userinfo", "jwks", "introspection", "revocation"]

    /// The line of an endpoint; with another token endpoint, those of the template have to be written too.
    private static func line(_ name: String, _ url: String) -> String {
        name == "token"
            ? "token: \"\(url)\"\nauthorization: https://id.example/a\njwks: https://id.example/k"
            : "\(name): \"\(url)\""
    }

    private static let plainIssuer =
        "must have https: write the provider's public URL. If iss of its ID tokens has http, correct that at the provider, in its "
        + "public URL or in its setting that trusts X-Forwarded-Proto. An address inside of a network belongs below endpoints, "
        + "with its host in plain_http_hosts"
    private static let onlyLoopback = "write https:// at its beginning; http:// is only for loopback"

    @Test("An endpoint that only this server calls may name a host of plain_http_hosts with http")
    func plainHTTP() throws {
        for (host, written) in [
            ("keycloak", "keycloak"), ("KeyCloak.auth", "keycloak.auth"), ("10.0.0.7", "10.0.0.7"),
            ("192.168.1.2", "192.168.1.2"), ("172.31.0.1", "172.31.0.1"), ("100.64.0.1", "100.64.0.1"),
            ("[fd00:0::7]", "fd00::7"), ("[fd00::7]", "[FD00:0:0::7]"),
        ] {
            for name in Self.backChannel {
                let url = "http://\(host):8080/realms/r"
                let yaml = try Sample.changing(Self.token, to: Self.line(name, url)).yaml
                    .replacing("timeout: 10s", with: "plain_http_hosts: [\"\(written)\"]")
                let settings = try Sample.loader().parse(yaml: yaml)
                let endpoints = try #require(settings.providers.openIDConnect.first).registration.endpoints
                let values = [
                    endpoints.token, endpoints.userInfo, endpoints.jwks, endpoints.introspection, endpoints.revocation,
                ]
                #expect(values.contains(url))
                #expect(settings.warnings.map(\.key) == ["providers.yahoo.com.plain_http_hosts[0]"])
                #expect(settings.warnings[0].message.hasPrefix("is called without encryption: "))
            }
        }
    }

    @Test("Another host, the endpoint of the browser and the issuer need https")
    func noPlainHTTP() throws {
        let (url, permission) = ("http://keycloak:8080/realms/r", "plain_http_hosts: [keycloak]")
        let remedy = Self.onlyLoopback + ", and for the hosts in plain_http_hosts"
        for name in Self.backChannel {
            try Change(Self.token, Self.line(name, url), "providers.yahoo.com.endpoints.\(name)", remedy)
                .expectRefusal()
        }
        for (name, message) in [("token", remedy), ("authorization", Self.onlyLoopback), ("issuer", Self.plainIssuer)] {
            let other = name == "token" ? "http://keycloak.example:8080/realms/r" : url
            let yaml = Sample.yaml.replacing("timeout: 10s", with: permission)
                .replacing("issuer: https://api.login.yahoo.com\n", with: "userinfo: https://a.example/\n")
                .replacing(Self.token, with: "\(name): \(other)")
            let error = #expect(throws: SettingsProblems.self) { try Sample.loader().parse(yaml: yaml) }
            // Another host of the token endpoint or of the issuer also needs the other endpoints.
            #expect(error?.problems.filter { $0.key.hasSuffix(".\(name)") }.map(\.message) == [message])
        }
        try Change(
            "issuer: https://access.line.me", "issuer: \(url)\n\(permission)", "providers.line.issuer",
            Self.plainIssuer
        ).expectRefusal()
    }

    private static let hostForm = "write a host without scheme, port and path, such as keycloak or 10.0.0.7"
    private static let publicAddress =
        "is not the address of a private network: write https:// in the URLs with this address"
    private static let loopbackHost = "is loopback, for which http:// is always accepted: leave it out"
    private static let metadataHost = "is the metadata server of a cloud, which no endpoint may name: leave it out"

    @Test(
        "An entry of plain_http_hosts is a name or a private address",
        arguments: [
            ("http://keycloak", hostForm), ("keycloak:8080", hostForm), ("keycloak/realms", hostForm),
            ("*", hostForm), ("*.corp.example", hostForm), (".corp.example", hostForm), ("10.0.0.0/8", hostForm),
            ("10.0.0.256", hostForm), ("user@keycloak", hostForm),
            ("192.0.2.7", publicAddress), ("8.8.8.8", publicAddress), ("172.32.0.1", publicAddress),
            ("169.254.170.2", publicAddress), ("0.0.0.0", publicAddress), ("2001:db8::7", publicAddress),
            ("fe80::1", publicAddress), ("::ffff:10.0.0.1", publicAddress),
            ("localhost", loopbackHost), ("127.0.0.1", loopbackHost), ("::1", loopbackHost), ("[::1]", loopbackHost),
            ("169.254.169.254", metadataHost), ("metadata.google.internal", metadataHost), ("Metadata", metadataHost),
            ("fd00:ec2::254", metadataHost), ("[fd00:0ec2::254]", metadataHost), ("100.100.100.200", metadataHost),
        ])
    func badPlainHTTPHost(host: String, message: String) throws {
        try Change(
            "timeout: 10s", "plain_http_hosts: [\"\(host)\"]", "providers.yahoo.com.plain_http_hosts[0]", message
        ).expectRefusal()
    }

    @Test(
        "An issuer that stands for every tenant of Microsoft is refused",
        arguments: [
            ("https://login.microsoftonline.com/common/v2.0", "common"),
            ("https://login.microsoftonline.com/organizations/v2.0", "organizations"),
            ("https://login.microsoftonline.us/common/v2.0", "common"), ("https://sts.windows.net/common/", "common"),
        ])
    func everyTenant(issuer: String, place: String) throws {
        try Change(
            "issuer: https://access.line.me", "issuer: \"\(issuer)\"", "providers.line.issuer",
            "stands for every tenant of Microsoft: write the id of one tenant in the place of \(place), or write tenants: with the "
                + "ids of the accepted tenants, or any"
        ).expectRefusal()
    }

    @Test(
        "An issuer of Microsoft without /v2.0, whose metadata names another issuer, is refused with what to write",
        arguments: [
            ("https://login.microsoftonline.com/common", "https://login.microsoftonline.com/common/v2.0"),
            (
                "https://login.microsoftonline.com/organizations/",
                "https://login.microsoftonline.com/organizations/v2.0"
            ),
            ("https://login.microsoftonline.us/Common", "https://login.microsoftonline.us/Common/v2.0"),
            ("https://login.windows.net/common", "https://login.microsoftonline.com/common/v2.0"),
            (
                "https://login.microsoftonline.com/d5fe733d-6d61-4060-a35c-27f589675587",
                "https://login.microsoftonline.com/d5fe733d-6d61-4060-a35c-27f589675587/v2.0"
            ),
        ])
    func version1(issuer: String, right: String) throws {
        let message = "is of version 1.0, whose metadata names another issuer: write \(right)"
        let isOfOneTenant = issuer.contains("d5fe733d")
        try Change(
            "issuer: https://access.line.me", "issuer: \(issuer)\ntenants: any", "providers.line.issuer", message
        ).expectRefusal()
        let problems = problems(of: Self.line("", issuer: issuer))
        #expect(problems.count == 1 && problems.first?.key == "providers.line.issuer")
        #expect(problems.first?.message.hasSuffix(isOfOneTenant ? message : ". It \(message)") == true)
        let endpoints =
            "endpoints: {issuer: https://sts.windows.net/t/, authorization: https://login.windows.net/a, "
            + "token: https://login.windows.net/t, jwks: https://login.windows.net/k}"
        if isOfOneTenant { _ = try Sample.loader().parse(yaml: Self.line(endpoints, issuer: issuer)) }
    }

    @Test(
        "An issuer with {tenantid}, at which no metadata can be, is refused with what to write",
        arguments: [
            ("https://sts.windows.net/{tenantid}/", "https://login.microsoftonline.com/common/v2.0"),
            ("https://login.microsoftonline.com/{tenantid}/v2.0", "https://login.microsoftonline.com/common/v2.0"),
            ("https://login.microsoftonline.us/%7Btenantid%7D/v2.0", "https://login.microsoftonline.us/common/v2.0"),
            ("https://login.example/{tenantid}/v2.0", nil),
        ] as [(String, String?)])
    func placeholder(issuer: String, right: String?) throws {
        let message =
            right.map {
                "is not the address of any metadata: write \($0) and tenants, or the id of one tenant in the place of common"
            }
            ?? "contains {tenantid}, and metadata is read at this address: write the word that the provider has for all tenants "
            + "in its place, such as common, and tenants; or the issuer of one tenant"
        for keys in ["", "tenants: any"] {
            let problems = problems(of: Self.line(keys, issuer: "\"\(issuer)\""))
            #expect(problems.map(\.key) == ["providers.line.issuer"] && problems.map(\.message) == [message])
        }
        let endpoints =
            "tenants: any\nendpoints: {authorization: https://a.example/a, token: https://a.example/t, jwks: https://a.example/k}"
        let warnings = try Sample.loader().parse(yaml: Self.line(endpoints, issuer: "\"\(issuer)\"")).warnings
        // Only the placeholder itself stands for the tenant of a token.
        #expect(warnings.contains { $0.key == "providers.line.tenants" } == !issuer.contains("{tenantid}"))
    }

    private func problems(of yaml: String) -> [SettingsProblem] {
        do {
            _ = try Sample.loader().parse(yaml: yaml)
            return []
        } catch {
            return error.problems
        }
    }

    @Test(
        "The issuer of a template with another response_mode causes a warning, unless the section names one",
        arguments: [("", 1), ("response_mode: query", 0), ("response_mode: form_post", 0)])
    func responseMode(keys: String, count: Int) throws {
        let yaml = Self.line(keys, issuer: "https://appleid.apple.com")
        let warnings = try Sample.loader().parse(yaml: yaml).warnings.filter { $0.key.hasSuffix(".response_mode") }
        #expect(
            warnings.map(\.message)
                == Array(
                    repeating:
                        "is query, and the built-in provider apple.com, which has the same issuer, has form_post: write that, or "
                        + "query if the provider accepts it for your scopes", count: count))
    }

    @Test("A client id of one digit is accepted, as providers have it that number their clients")
    func numberedClient() throws {
        let yaml = try Sample.changing("client_id: dj0yJmk9", to: "client_id: 1").yaml
        let provider = try Sample.loader().parse(yaml: yaml).providers.openIDConnect.first { $0.id.text == "yahoo.com" }
        #expect(provider?.registration.clientID == "1")
    }

    /// The generic provider of the sample with further keys.
    private static func line(_ keys: String, issuer: String = "https://access.line.me") -> String {
        Sample.yaml.replacing(
            "    issuer: https://access.line.me\n", with: "    issuer: \(issuer)\n" + keys.indented)
    }

    @Test(
        "Real-world 25: the issuer of all tenants is accepted with tenants",
        arguments: [("any", Tenants.any), ("[a-1, B2]", .listed(["a-1", "B2"])), ("a-1", .listed(["a-1"]))])
    func tenants(_ written: String, _ tenants: Tenants) throws {
        let yaml = Self.line("tenants: \(written)", issuer: "https://login.microsoftonline.com/common/v2.0")
        let provider = try #require(
            try Sample.loader().parse(yaml: yaml).providers.openIDConnect.first { $0.id.text == "line" })
        #expect(provider.registration.tenants == tenants)
    }

    @Test(
        "Settings that accept more are refused beyond their bounds",
        arguments: [
            ("tenants: [any, a]", "tenants", "contains any and an id: write either any or the ids"),
            (
                "tenants: [a.b]", "tenants[0]",
                "is not the id of a tenant: write any, or ids with letters, digits and hyphens"
            ),
            ("tenants: []", "tenants", "is an empty list: write at least one element, or leave the key out"),
            (
                "tenants: any\ntrust_email: always", "trust_email",
                "must be never if tenants is written, because an administrator of a tenant can write any address: write never, "
                    + "or leave out the key"
            ),
            (
                "tenants: any\nendpoints: {issuer: https://login.example/t/v2.0}", "endpoints.issuer",
                "has no {tenantid}: write it in the place of the id of the tenant, or leave out tenants"
            ),
            (
                "endpoints: {issuer: \"https://login.example/{tenantid}/v2.0\"}", "endpoints.issuer",
                "contains {tenantid}: write tenants, or the issuer of one tenant"
            ),
            (
                "endpoints: {issuer: \"https://login.microsoftonline.com/{tenantid}/v2.0\"}", "endpoints.issuer",
                "stands for every tenant of Microsoft: write the id of one tenant in the place of {tenantid}, or write tenants: "
                    + "with the ids of the accepted tenants, or any"
            ),
            ("nonce: none", "nonce", "is none, which needs a max_age of at most 2m: write max_age: 2m or less"),
            (
                "nonce: none\nmax_age: 121s", "nonce",
                "is none, which needs a max_age of at most 2m: write max_age: 2m or less"
            ),
            (
                "nonce: none\nmax_age: 2m\nclock_skew: 61s", "nonce",
                "is none, which needs a clock_skew of at most 60s: write clock_skew: 60s or less"
            ),
            (
                "trusted_audiences: [own-client]", "trusted_audiences",
                "contains a client id of this deployment: write only foreign audiences"
            ),
        ])
    func bounds(_ keys: String, _ key: String, _ message: String) throws {
        let yaml = Self.line(keys).replacing("client_id: 1653800000", with: "client_id: own-client")
        do {
            _ = try Sample.loader().parse(yaml: yaml)
            Issue.record("nothing was refused")
        } catch {
            #expect(error.problems.map(\.key) == ["providers.line.\(key)"])
            #expect(error.problems.map(\.message) == [message])
        }
    }

    @Test(
        "Tenants beside the issuer of one tenant of Microsoft cause a warning",
        arguments: [
            ("https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0", true),
            ("https://login.microsoftonline.com/organizations/v2.0", false), ("https://id.example/t", false),
        ])
    func tenantsOfOneTenant(_ issuer: String, _ isWarned: Bool) throws {
        let warnings = try Sample.loader().parse(yaml: Self.line("tenants: any", issuer: issuer)).warnings
        let warning =
            "is written, and issuer is that of one tenant, so that no other one can sign in: if others shall, write common in its "
            + "place in issuer; if not, and if there are no accounts yet, leave out tenants"
        #expect(
            warnings.filter { $0.key == "providers.line.tenants" }.map(\.message) == (isWarned ? [warning] : []))
    }

    @Test("A word for many tenants of Microsoft is no tenant, and another provider may have one of that name")
    func groupOfTenants() throws {
        for word in ["common", "organizations", "consumers"] {
            let issuer = "https://login.microsoftonline.com/common/v2.0"
            do {
                _ = try Sample.loader().parse(yaml: Self.line("tenants: \(word)", issuer: issuer))
                Issue.record("nothing was refused")
            } catch {
                #expect(error.problems.map(\.key) == ["providers.line.tenants"])
                #expect(error.problems.first?.message.hasPrefix("contains common, organizations or consumers") == true)
            }
            _ = try Sample.loader().parse(yaml: Self.line("tenants: \(word)"))
        }
    }

    @Test("Without a nonce, an age and a clock skew beyond their bounds are both reported")
    func withoutNonce() {
        do {
            _ = try Sample.loader().parse(yaml: Self.line("nonce: none\nmax_age: 3m\nclock_skew: 61s"))
            Issue.record("nothing was refused")
        } catch {
            #expect(
                error.problems.map(\.message) == [
                    "is none, which needs a clock_skew of at most 60s: write clock_skew: 60s or less",
                    "is none, which needs a max_age of at most 2m: write max_age: 2m or less",
                ])
        }
    }

    @Test("The bounds themselves are accepted")
    func withinBounds() throws {
        let yaml = Self.line("trusted_audiences: [project]\nnonce: none\nmax_age: 2m\ntrust_email: claim_text")
        let provider = try #require(
            try Sample.loader().parse(yaml: yaml).providers.openIDConnect.first { $0.id.text == "line" })
        #expect(provider.registration.trustedAudiences == ["project"] && provider.registration.nonceRule == .none)
        #expect(provider.registration.maximumAge == .seconds(120) && provider.registration.emailTrust == .claimText)
    }

    @Test("The address of personal accounts of Microsoft is refused, and the issuer of their tenant is named")
    func consumers() throws {
        let issuer = "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
        try Change(
            "issuer: https://access.line.me", "issuer: https://login.microsoftonline.com/consumers/v2.0",
            "providers.line.issuer", "is not the issuer of personal accounts: write the one of their tenant, \(issuer)"
        ).expectRefusal()
        let yaml = Sample.yaml.replacing("issuer: https://access.line.me", with: "issuer: \(issuer)")
        #expect(
            try Sample.loader().parse(yaml: yaml).providers.openIDConnect.contains { $0.registration.issuer == issuer })
    }

    @Test("An issuer may contain /.well-known/, and so may one of its tokens")
    func wellKnownIssuer() throws {
        let issuer = "https://sso.example/.well-known/gitea"
        let yaml = Sample.yaml.replacing(
            "issuer: https://access.line.me",
            with: "issuer: \(issuer)\n    endpoints: {issuer: [https://sso.example, \"\(issuer)\"]}")
        let line = try #require(
            try Sample.loader().parse(yaml: yaml).providers.openIDConnect.first { $0.id.text == "line" })
        #expect(line.registration.issuer == issuer)
        #expect(line.registration.endpoints.issuers == ["https://sso.example", issuer])
    }

    @Test(
        "An invalid issuer, an API that is not an origin, and missing endpoints are refused",
        arguments: [
            Change(
                "issuer: https://api.login.yahoo.com", "issuer: https://api.login.yahoo.com?a=b",
                "providers.yahoo.com.endpoints.issuer", "must not have a query: leave out ? and what follows"),
            Change(
                "issuer: https://access.line.me",
                "issuer: https://t.b2clogin.com/t.onmicrosoft.com/v2.0/.well-known/openid-configuration?p=b2c_1_sign_in",
                "providers.line.issuer",
                "must not have a query: it names a policy, which belongs into the path: write "
                    + "https://t.b2clogin.com/t.onmicrosoft.com/b2c_1_sign_in/v2.0, if its metadata is there. If that metadata names "
                    + "another issuer, as at Azure AD B2C, write that as endpoints.issuer, with endpoints.authorization, token and jwks from it"
            ),
            Change(
                "issuer: https://access.line.me", "issuer: https://login.microsoftonline.com/t/v2.0?appid=te-client",
                "providers.line.issuer",
                "must not have a query: leave out ? and what follows. If the application has signing keys of its own (claims "
                    + "mapping), write jwks_uri of the metadata, and ?appid=te-client behind it, as endpoints.jwks"),
            Change(
                "issuer: https://access.line.me", "issuer: https://idp.example/t/v2.0/?p=a&p=b",
                "providers.line.issuer",
                "must not have a query: leave out ? and what follows"),
            Change(
                "issuer: https://api.login.yahoo.com", "issuer: []", "providers.yahoo.com.endpoints.issuer",
                "is an empty list: write at least one element, or leave the key out"),
            Change(
                "api: https://api.x.com", "api: https://api.x.com/2", "providers.twitter.com.endpoints.api",
                "must be only scheme, host and port, in lower case and without the default port: write "
                    + "https://api.x.com"),
            Change(
                "issuer: https://access.line.me",
                "issuer: https://idp.example/realms/r/.well-known/openid-configuration", "providers.line.issuer",
                "is the address of the metadata: write its member issuer, mostly the part before "
                    + "/.well-known/openid-configuration"),
            Change(
                "issuer: https://access.line.me",
                "issuer: https://idp.example/.well-known/openid-configuration?a=b", "providers.line.issuer",
                "is the address of the metadata: write its member issuer, mostly the part before "
                    + "/.well-known/openid-configuration"),
            Change(
                "issuer: https://api.login.yahoo.com",
                "issuer: https://api.login.yahoo.com/.well-known/oauth-authorization-server",
                "providers.yahoo.com.endpoints.issuer",
                "is the address of the metadata: write its member issuer, mostly the part before "
                    + "/.well-known/oauth-authorization-server"),
            Change(
                "issuer: https://access.line.me",
                "issuer: https://kc.example/.well-known/oauth-authorization-server/realms/shop",
                "providers.line.issuer",
                "is the address of the metadata: write its member issuer, mostly the URL without "
                    + "/.well-known/oauth-authorization-server"),
            Change(
                "issuer: https://access.line.me",
                "issuer: https://sso.example/.well-known/gitea/openid-configuration", "providers.line.issuer",
                "is the address of the metadata: write its member issuer, mostly the part before /openid-configuration"),
            Change(
                "issuer: https://access.line.me", "issuer: https://access.line.me\nmembers: {sub: /id}",
                "providers.line.members",
                "is not a key of this section: a provider without OpenID Connect has it, with protocol: oauth2, endpoints and "
                    + "members in place of issuer", offset: 1),
            Change(
                "issuer: https://access.line.me", "protocol: openid", "providers.line.issuer",
                "is missing: write the provider's issuer, or its endpoints; or protocol: oauth2, if it has no OpenID Connect. If it is "
                    + "one that token-exchange providers lists, write the id of that list in place of line. One with neither OpenID "
                    + "Connect nor OAuth 2.0, such as SAML only, needs a server in between that speaks OpenID Connect",
                offset: -1),
            Change(
                "issuer: https://access.line.me",
                "endpoints:\n  issuer: https://access.line.me\n  authorization: https://a.example\n  token: https://t.example\nprotocol: openid",
                "providers.line.endpoints.jwks",
                "is missing: write it, or issuer beside endpoints; or protocol: oauth2, if it has no OpenID Connect"),
        ])
    func issuer(change: Change) throws {
        try change.expectRefusal()
    }

    @Test(
        "A duration, number or word out of bounds is refused",
        arguments: [
            Change("clock_skew: 60s", "clock_skew: 301s", "providers.yahoo.com.clock_skew", "must be from 0s to 5m"),
            Change("max_age: 10m", "max_age: 2d", "providers.yahoo.com.max_age", "must be from 1s to 1d"),
            Change("timeout: 10s", "timeout: 2m", "providers.yahoo.com.timeout", "must be from 100ms to 1m"),
            Change("trust_email: always", "timeout: 1ms", "providers.twitter.com.timeout", "must be from 100ms to 1m"),
            Change("timeout: 10s", "max_lifetime: 59s", "providers.yahoo.com.max_lifetime", "must be from 1m to 7d"),
            Change("timeout: 10s", "max_lifetime: 8d", "providers.yahoo.com.max_lifetime", "must be from 1m to 7d"),
            Change("timeout: 10s", "max_calls: 0", "providers.yahoo.com.max_calls", "must be from 1 to 4096"),
            Change(
                "trust_email: always", "max_calls: 4097", "providers.twitter.com.max_calls", "must be from 1 to 4096"),
            Change(
                "timeout: 10s", "reauthentication: none", "providers.yahoo.com.reauthentication",
                "write auth_time or prompt, or off"),
            Change("timeout: 10s", "profile: never", "providers.yahoo.com.profile", "write always or first_sign_in"),
            Change(
                "timeout: 10s", "response_mode: fragment", "providers.yahoo.com.response_mode",
                "write query or form_post"),
        ])
    func bounds(change: Change) throws {
        try change.expectRefusal()
    }

    @Test("A provider answers by a redirect, or by a form if that is configured")
    func responseMode() throws {
        for (line, mode) in [
            ("timeout: 10s", ProviderResponseMode.query), ("timeout: 10s\nresponse_mode: query", .query),
            ("timeout: 10s\nresponse_mode: form_post", .formPost),
        ] {
            let yaml = try Sample.changing("timeout: 10s", to: line).yaml
            let yahoo = try Sample.loader().parse(yaml: yaml).providers.openIDConnect.first {
                $0.id.text == "yahoo.com"
            }
            #expect(yahoo?.registration.responseMode == mode)
        }
    }

    @Test("No message about an event is accepted that is not configured")
    func events() throws {
        for (line, messages) in [
            ("timeout: 30s", []), ("timeout: 30s\nevents: []", []),
            ("timeout: 30s\nevents: [logout_token, security_event]", [.logoutToken, .securityEvent]),
        ] as [(String, [EventMessage])] {
            let yaml = try Sample.changing(
                "client_secret: env:LINE_SECRET", to: "client_secret: env:LINE_SECRET\n" + line
            )
            .yaml
            let line = try Sample.loader().parse(yaml: yaml).providers.openIDConnect.first { $0.id.text == "line" }
            #expect(line?.registration.events == messages)
        }
    }

    @Test(
        "Only messages that the provider sends can be accepted",
        arguments: [
            Change(
                "timeout: 10s", "events: [logout_token]", "providers.yahoo.com.events[0]",
                "is not sent by this provider, which documents no events: leave out the key"),
            Change(
                post, post + "\nevents: [notification]", "providers.line.events[0]",
                "is not sent by this provider: write only logout_token or security_event", offset: 1),
            Change(
                post, post + "\nevents: [logout]", "providers.line.events[0]",
                "write logout_token, security_event or notification", offset: 1),
            Change(
                post, post + "\nevents: [logout_token, logout_token]", "providers.line.events[1]",
                "is in this list twice: keep one", offset: 1),
        ])
    func otherEvents(change: Change) throws {
        try change.expectRefusal()
    }

    private static let post = "token_endpoint_auth: client_secret_post"
    private static let noSecret =
        "is missing: write env:NAME or file:/path, for Apple client_secret.apple with key, key_id and team_id, or client_key "
        + "with token_endpoint_auth: private_key_jwt, or token_endpoint_auth: none with pkce: S256"

    @Test(
        "A provider needs a client secret, or PKCE without a secret",
        arguments: [
            Change(
                "client_secret: env:LINE_SECRET", "pkce: S256", "providers.line.client_secret",
                noSecret, offset: -3),
            Change(
                "token_endpoint_auth: client_secret_post", "token_endpoint_auth: none", "providers.line.client_secret",
                "is never sent with token_endpoint_auth: none: leave out one of the two", offset: -1),
            Change(
                "client_secret: env:YAHOO_SECRET", "token_endpoint_auth: none", "providers.yahoo.com.pkce",
                "is off, but a client without a secret must use PKCE: write S256", offset: 5),
        ])
    func secret(change: Change) throws {
        try change.expectRefusal()
    }

    @Test("A client of yahoo.com without a secret must set pkce to S256, since its default is off")
    func publicYahoo() throws {
        let (yaml, line) = try Sample.changing("client_secret: env:YAHOO_SECRET", to: "token_endpoint_auth: none")
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: line - 2, key: "providers.yahoo.com.pkce",
                    message: "is off, but a client without a secret must use PKCE: write S256")
            ])
        ) { try Sample.loader().parse(yaml: yaml.replacing("    pkce: off\n", with: "")) }
    }

    @Test(
        "twitter.com needs the keys of the flow and of the credentials that it names",
        arguments: [
            ("{}", "oauth2", "is missing: write oauth1, oauth2 or both"),
            (
                "{flow: oauth1, oauth2: {client_id: a1b2, client_secret: env:X_SECRET}}", "flow",
                "is oauth1, whose keys are missing: add the section oauth1"
            ),
            (
                "{flow: oauth2, oauth1: {consumer_key: a1b2, consumer_secret: env:X_SECRET}}", "flow",
                "is oauth2, whose keys are missing: add the section oauth2"
            ),
            (
                "{accept: [oauth1_token], oauth2: {client_id: a1b2, client_secret: env:X_SECRET}}", "accept",
                "contains oauth1_token: add the section oauth1, whose keys it needs"
            ),
            (
                "{accept: [authorization_code], oauth1: {consumer_key: a1b2, consumer_secret: env:X_SECRET}}", "accept",
                "contains authorization_code: add the section oauth2, whose keys it needs"
            ),
            (
                "{oauth2: {client_id: a1b2, client_secret: env:X_SECRET, scopes: [users.read]}}", "oauth2.scopes",
                "must contain tweet.read and users.read, each as an element of its own: without them X does not tell who signs "
                    + "in"
            ),
            ("{oauth1: {consumer_key: a1b2}}", "oauth1.consumer_secret", "is missing: write env:NAME or file:/path"),
            (
                "{oauth1: {consumer_secret: env:X_SECRET}}", "oauth1.consumer_key",
                "is missing: write the value that X calls API Key"
            ),
            ("{oauth2: {client_id: a1b2}}", "oauth2.client_secret", "is missing: write env:NAME or file:/path"),
            (
                "{oauth2: {client_secret: env:X_SECRET}}", "oauth2.client_id",
                "is missing: write the value that X calls Client ID"
            ),
        ])
    func twitter(section: String, key: String, message: String) {
        let yaml = """
            server: {public_url: https://auth.example.com}
            firebase: {service_account: /keys/account.json}
            clients: {my-app: {}}
            providers:
              twitter.com: \(section)
            """
        #expect(
            throws: SettingsProblems([
                SettingsProblem(line: 5, key: "providers.twitter.com.\(key)", message: message)
            ])
        ) { try Sample.loader().parse(yaml: yaml) }
    }
}

extension String {
    /// The lines of a provider, with the indentation of its keys.
    fileprivate var indented: String {
        split(separator: "\n").map { "    \($0)\n" }.joined()
    }
}
