import Fixtures
import JOSE
import Jansson
import Providers
import Settings
import Standards
import Testing

@Suite("Settings of providers without OpenID Connect")
struct OAuth2SettingsTests {
    /// A file with these lines below the id of one provider.
    private static func yaml(_ id: String, _ lines: [String]) -> String {
        (["server: {public_url: http://127.0.0.1:8080}", "firebase: {emulator_host: 127.0.0.1:9099}"]
            + ["clients: {my-app: {redirect_uris: [http://127.0.0.1/cb]}}", "providers:", "  \(id):"]
            + lines.map { "    \($0)" })
            .joined(separator: "\n")
    }

    private static let strava = [
        "protocol: oauth2", "client_id: a1b2", "client_secret: secret-of-strava-0123",
        "endpoints:", "  authorization: https://a.example/authorize", "  token: https://a.example/token",
        "  userinfo: https://a.example/me", "members: {sub: /id, name: /global_name, email: /email}",
    ]

    private func parse(_ id: String, _ lines: [String]) throws -> Settings {
        try Sample.loader().parse(yaml: Self.yaml(id, lines))
    }

    private func strava(replacing line: String, with other: String) throws -> Settings.OAuth2Provider {
        let lines = Self.strava.map { $0 == line ? other : $0 }
        return try #require(try parse("strava", lines).providers.oauth2.first)
    }

    private func problems(_ id: String, _ lines: [String]) throws -> [String] {
        do {
            _ = try parse(id, lines)
            return []
        } catch let error as SettingsProblems {
            return error.problems.map { "\($0.key): \($0.message)" }
        }
    }

    @Test("Ten lines add a provider")
    func baseline() throws {
        let provider = try #require(try parse("strava", Self.strava).providers.oauth2.first)
        let oauth2 = provider.registration.oauth2
        #expect(oauth2.clientID == "a1b2" && oauth2.tokenEndpoint == "https://a.example/token")
        #expect(oauth2.user.url == "https://a.example/me" && oauth2.user.mapping.subject == "/id")
        #expect(oauth2.user.mapping.subjectForm == .textOrInteger && oauth2.pkce == .s256 && oauth2.scopes.isEmpty)
        #expect(provider.registration.acceptedCredentials == [.authorizationCode])
        #expect(provider.registration.emailTrust == .claim && oauth2.emails == nil && oauth2.introspection == nil)
    }

    @Test("Without protocol: oauth2, a section with members has one problem")
    func protocolForgotten() throws {
        let lines = Self.strava.filter { $0 != "protocol: oauth2" }
        #expect(
            try problems("strava", lines) == [
                "providers.strava: has members, which exist only with protocol: oauth2: write that line, and endpoints with "
                    + "authorization, token and userinfo"
            ])
    }

    @Test("What may change hands identifies no user", arguments: ["/email", "/global_name", "/handle"])
    func changingSubject(_ place: String) throws {
        let settings = try parse(
            "strava",
            Self.strava.map {
                $0.replacing("sub: /id", with: "sub: \(place)")
                    .replacing("email: /email", with: "email: /email, preferred_username: /handle")
            })
        #expect(settings.warnings.contains { $0.key == "providers.strava.members.sub" })
        #expect(try !parse("strava", Self.strava).warnings.contains { $0.key.hasSuffix("members.sub") })
    }

    @Test("Two scopes in one text cause a warning")
    func joinedScopes() throws {
        let settings = try parse("strava", Self.strava + ["scopes: ['read,activity:read']"])
        #expect(
            settings.warnings.map(\.description).contains {
                $0.contains(
                    "contains a comma: write each scope separately. If the provider expects commas between them, write "
                        + "scope_separator: comma, which only sections with protocol: oauth2 have")
            })
    }

    @Test("Every template is complete with the lines that `providers show` prints")
    func templates() throws {
        #expect(Settings.Providers.templates.count == 15)
        for template in Settings.Providers.templates {
            let lines = template.example.map { line in
                line.replacing("…", with: "a1b2").replacing("env:\(template.variable)", with: "secret-0123456789")
                    .replacing("env:X_CONSUMER_SECRET", with: "secret-0123456789")
            }
            let found = try problems(template.id.text, lines)
            // Only Apple's secret needs a key, and ids of a certain form.
            #expect(found.isEmpty || template.id == "apple.com", "\(template.id): \(found)")
            #expect(template.values.contains { $0.hasPrefix("name: ") || $0.hasPrefix("flow: ") }, "\(template.id)")
        }
    }

    @Test("A value in the file replaces that of a template, and off leaves one out")
    func overrides() throws {
        let lines = [
            "client_id: a1b2", "client_secret: secret-0123456789", "scopes: [read:user]", "emails: off",
            "members: {name: off, email: /mail}", "endpoints: {userinfo: https://github.example/api/v3/user}",
        ]
        let oauth2 = try #require(try parse("github.com", lines).providers.oauth2.first).registration.oauth2
        #expect(oauth2.scopes == ["read:user"] && oauth2.emails == nil)
        #expect(oauth2.user.mapping.name == nil && oauth2.user.mapping.email == "/mail")
        #expect(oauth2.user.mapping.subject == "/id" && oauth2.user.url == "https://github.example/api/v3/user")
        #expect(oauth2.tokenEndpoint == "https://github.com/login/oauth/access_token")
        #expect(oauth2.clientAuthentication == .clientSecretPost(Secret("secret-0123456789")))
    }

    @Test("An entry that names an issuer or keys is OpenID Connect, also under the id of another template")
    func isOpenID() throws {
        let registration = ["client_id: a1b2", "client_secret: secret-0123456789"]
        for lines in [
            ["issuer: https://access.line.me"], ["protocol: openid", "issuer: https://access.line.me"],
            [
                "endpoints: {issuer: https://a.example, authorization: https://a.example/a, token: https://a.example/t, "
                    + "jwks: https://a.example/k}"
            ],
        ] {
            let providers = try parse("line", lines + registration).providers
            #expect(providers.oauth2.isEmpty && providers.openIDConnect.count == 1)
        }
        #expect(try parse("line", registration).providers.openIDConnect.isEmpty)
    }

    @Test("Another issuer than that of a template is discovered, and the rest of the template stays")
    func otherIssuer() throws {
        let lines = ["client_id: a1b2", "client_secret: secret-0123456789", "issuer: http://127.0.0.1:9000"]
        let google = try #require(try parse("google.com", lines).providers.openIDConnect.first).registration
        #expect(google.endpoints == EndpointOverrides() && google.name == "Google" && google.algorithms == [.rs256])
        let written = try #require(
            try parse("google.com", Array(lines.prefix(2)) + ["issuer: https://accounts.google.com"]).providers
                .openIDConnect.first
        ).registration
        #expect(written.endpoints.token == "https://oauth2.googleapis.com/token")
    }

    @Test("Microsoft's template needs the tenants")
    func tenants() throws {
        let registration = ["client_id: a1b2", "client_secret: secret-0123456789"]
        let found = try problems("microsoft.com", registration)
        #expect(found.count == 1 && found[0].hasPrefix("providers.microsoft.com.issuer: stands for every tenant"))
        let lines = registration + ["tenants: any"]
        let microsoft = try #require(try parse("microsoft.com", lines).providers.openIDConnect.first).registration
        #expect(microsoft.subjectClaims == ["tid", "oid"] && microsoft.firebaseSubjectClaims == ["oid"])
    }

    @Test(
        "Each mistake is named with what to write",
        arguments: [
            ("protocol: oauth2", "protocol: oauth", "protocol: write openid or oauth2"),
            (
                "members: {sub: /id, name: /global_name, email: /email}", "members: {name: /name}",
                "members.sub: is missing: write the JSON Pointer of the member that identifies the person for ever, such as /id"
            ),
            (
                "members: {sub: /id, name: /global_name, email: /email}", "members: {sub: id}",
                "members.sub: is not a JSON Pointer (RFC 6901): write /id for the member of that name, or /data/id for a member of a "
                    + "member"
            ),
            (
                "members: {sub: /id, name: /global_name, email: /email}", "members: {sub: /a~2b}",
                "members.sub: is not a JSON Pointer (RFC 6901): write /id, or /data/id for a member of a member"
            ),
            (
                "  userinfo: https://a.example/me", "  revocation: https://a.example/revoke",
                "endpoints.userinfo: is missing: write the URL from the provider's documentation"
            ),
            (
                "  token: https://a.example/token", "  token: http://a.example/token",
                "endpoints.token: write https:// at its beginning; http:// is only for loopback, and for the hosts in "
                    + "plain_http_hosts"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    accept: [authorization_code, access_token]",
                "accept: contains access_token, whose audience only an endpoint that names its application can prove: write "
                    + "the section introspection, or leave access_token out"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    accept: [id_token]",
                "accept[0]: id_token does not exist with protocol: oauth2: leave it out"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    introspection: {token_in: header}",
                "introspection.token_in: write authorization, query, form or json"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    introspection: {client_id: /client_id}",
                "introspection.url: is missing: write the URL of the endpoint that names the application of a token"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    emails: {list: /values}",
                "emails.url: is missing: write the URL of the list of addresses"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    parameters: {state: fixed}",
                "parameters.state: is reserved, so that neither an application nor the configuration can choose it: leave it "
                    + "out"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    parameters: {scope: read}",
                "parameters.scope: is reserved: if this section has the keys, write scopes, and allowed_scopes for what an application may "
                    + "choose; otherwise leave it out"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    redirect_uri: https://a.example/callback",
                "redirect_uri: is not a key of this section: leave it out. That of a provider is always "
                    + "{server.public_url}/callback/ID, and those of an application are clients.ID.redirect_uris"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    issuer: https://a.example",
                "issuer: is not a key of this section: a provider with protocol: openid has it; with protocol: oauth2 the iss of "
                    + "redirects is endpoints.issuer"
            ),
            (
                "client_id: a1b2", "client_id: ${STRAVA_CLIENT_ID}",
                "client_id: is a placeholder, or cannot be told from one: write the real value, env:NAME for that of a variable, "
                    + "or register another one"
            ),
            (
                "members: {sub: /id, name: /global_name, email: /email}", "members: {sub: /}",
                "members.sub: is not a JSON Pointer (RFC 6901): write /id, or /data/id for a member of a member"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    pkce: off\n    accept: [authorization_code]",
                "accept: contains authorization_code, which only PKCE binds to its application with protocol: oauth2: write "
                    + "pkce: S256, or leave authorization_code out"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    parameters: {prompt: none}",
                "parameters.prompt: is a parameter that only applications set: write it in allowed_parameters"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    parameters: {audience: env:ABSENT}",
                "parameters.audience: the variable ABSENT is not set for this process (sudo, systemd and Docker pass none on): set it there, or write another value"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    token_parameters: {grant_type: password}",
                "token_parameters.grant_type: is one that only the server sets: leave it out"
            ),
            (
                "  userinfo: https://a.example/me",
                "  userinfo: https://a.example/me\n      userinfo_body: '{viewer{id}}'",
                "endpoints.userinfo_body: is not an object in JSON: write it in single quotes, or 'null' if the request has no "
                    + "values"
            ),
            (
                "  userinfo: https://a.example/me",
                "  userinfo: https://a.example/me\n      userinfo_header: {Authorization: a}",
                "endpoints.userinfo_header.Authorization: is one that only the server sets: leave it out"
            ),
            (
                "  userinfo: https://a.example/me",
                "  userinfo: https://a.example/me\n      userinfo_header: {x-api-key: schlüssel}",
                "endpoints.userinfo_header.x-api-key: contains characters other than printable ASCII: leave them out"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    token_parameters: {client_key: ENV:LINE_SECRET}",
                "token_parameters.client_key: begins with env: in another case: write env:"
            ),
            (
                "client_id: a1b2",
                "client_id: a1b2\n    introspection: {url: https://a.example/i, token_name: access_token}\n    "
                    + "token_parameters: {access_token: a1b2c3}",
                "token_parameters: contains access_token, which has the token at the introspection endpoint: leave it out"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    introspection: {url: https://a.example/i, token_in: query}",
                "introspection.authentication: is client, which sends the form of the token endpoint: write token_in: form, or "
                    + "authentication: none, or basic or app_token with client_secret as a text"
            ),
            (
                "client_secret: secret-of-strava-0123",
                "token_endpoint_auth: none\n    introspection: {url: https://a.example/i, authentication: basic}",
                "introspection.authentication: needs client_secret as a text: write it, or none, or client with token_in: form"
            ),
            (
                "client_id: a1b2",
                "client_id: a1b2\n    trust_email: always\n    emails: {url: https://a.example/emails}",
                "trust_email: is always, but emails says of each address whether it is verified: write claim, or leave out "
                    + "the key"
            ),
            (
                "client_id: a1b2",
                "client_id: a1b2\n    introspection: {url: \"http://a.example/{client_id}\"}",
                "introspection.url: write https:// at its beginning; http:// is only for loopback, and for the hosts in "
                    + "plain_http_hosts"
            ),
            (
                "client_id: a1b2", "client_id: a1b2\n    scope_separator: semicolon",
                "scope_separator: write space or comma"
            ),
        ])
    func mistakes(_ line: String, _ other: String, _ problem: String) throws {
        let found = try problems("strava", Self.strava.map { $0 == line ? other : $0 })
        #expect(found.contains("providers.strava.\(problem)"), "\(found)")
    }

    @Test("The requests with which the server authenticates can have parameters of their own")
    func tokenParameters() throws {
        let settings = try parse(
            "strava",
            Self.strava + ["parameters: {audience: env}", "token_parameters: {client_key: env:LINE_SECRET}"])
        let oauth2 = try #require(settings.providers.oauth2.first).registration.oauth2
        #expect(oauth2.tokenParameters == ["client_key": "a87ff679line"])
        #expect(oauth2.authorizationParameters == ["audience": "env"])
        #expect(settings.summary.contains("providers.strava.token_parameters: {client_key: [secret elided]}"))
    }

    @Test(
        "The request to the user endpoint can have a body and header fields",
        arguments: ["null", #"{"query":"{me{id}}"}"#])
    func userRequest(_ body: String) throws {
        let user = try strava(
            replacing: "  userinfo: https://a.example/me",
            with: "  userinfo: https://a.example/me\n      userinfo_body: '\(body)'"
                + "\n      userinfo_header: {x-api-key: k}"
        ).registration.oauth2.user
        #expect(user.body == body && user.header == ["x-api-key": "k"])
    }

    @Test("Without PKCE no posted code is accepted")
    func withoutProofKey() throws {
        let lines = Self.strava + ["pkce: off"]
        #expect(try parse("strava", lines).providers.oauth2.first?.registration.acceptedCredentials == [])
    }

    @Test("With a token endpoint at another host, no endpoint of the template receives a token, a code or a secret")
    func otherServer() throws {
        let registration = ["client_id: a1b2", "client_secret: secret-0123456789"]
        let token = "token: https://github.example/login/oauth/access_token"
        let missing = "is missing: write the URL from the provider's documentation"
        #expect(
            try problems("github.com", registration + ["endpoints: {\(token)}"]) == [
                "providers.github.com.endpoints.authorization: \(missing)",
                "providers.github.com.endpoints.userinfo: \(missing)",
            ])
        let others = "authorization: https://github.example/a, userinfo: https://github.example/api/v3/user"
        let complete = registration + ["endpoints: {\(token), \(others)}"]
        let oauth2 = try #require(try parse("github.com", complete).providers.oauth2.first).registration.oauth2
        #expect(oauth2.introspection == nil && oauth2.emails == nil && oauth2.revocationEndpoint == nil)
        // Discord has an endpoint of revocation.
        let chat =
            registration + [
                "endpoints: {token: https://chat.example/t, authorization: https://chat.example/a, "
                    + "userinfo: https://chat.example/u}"
            ]
        let discord = try #require(try parse("discord", chat).providers.oauth2.first).registration.oauth2
        #expect(discord.revocationEndpoint == nil && discord.introspection == nil)
        let own = try #require(try parse("discord", registration).providers.oauth2.first).registration.oauth2
        #expect(own.revocationEndpoint != nil && own.introspection != nil)
    }

    @Test("With an issuer or a token endpoint at another host, keys and endpoints of an OpenID template are not used")
    func otherOpenIDServer() throws {
        let registration = ["client_id: a1b2", "client_secret: secret-0123456789"]
        func google(_ lines: String...) throws -> OpenIDConnectRegistration {
            try #require(try parse("google.com", registration + lines).providers.openIDConnect.first).registration
        }
        // Google's keys would sign events of the other server.
        let other = try google("issuer: https://idp.example", "events: [security_event]")
        #expect(other.endpoints == EndpointOverrides() && other.sentEvents == .standard)
        #expect(try google("issuer: https://accounts.google.com", "timeout: 3s").sentEvents == .google)
        let known = try google("endpoints: {token: \"https://oauth2.googleapis.com/other\"}")
        #expect(known.endpoints.userInfo == "https://openidconnect.googleapis.com/v1/userinfo")
        let missing =
            "is missing: write it, or issuer beside endpoints; or protocol: oauth2, if it has no OpenID Connect"
        let found = try problems("google.com", registration + ["endpoints: {token: \"https://idp.example/token\"}"])
        #expect(
            found == ["authorization", "issuer", "jwks"].map { "providers.google.com.endpoints.\($0): \(missing)" })
        let twitch = try #require(
            try parse("twitch", registration + ["issuer: https://idp.example"]).providers.openIDConnect.first)
        #expect(twitch.registration.introspection == nil)
    }

    @Test("Parameters of the file are sent beside those of a template")
    func templateParameters() throws {
        let registration = ["client_id: a1b2", "client_secret: secret-0123456789"]
        func parameters(_ lines: [String]) throws -> [String: String] {
            try #require(try parse("twitch", registration + lines).providers.openIDConnect.first).registration
                .authorizationParameters
        }
        let built = try parameters([])
        #expect(built.keys.sorted() == ["claims"])
        let written = try parameters([#"parameters: {force_verify: "true"}"#])
        #expect(written == built.merging(["force_verify": "true"]) { $1 })
    }

    @Test("The URL of a picture names the place of the provider's value")
    func pictureURL() throws {
        let members = "members: {sub: /id, name: /global_name, email: /email}"
        let provider = try strava(
            replacing: members, with: "members: {sub: /id, picture_url: \"https://cdn.example/{sub}/{picture}.png\"}")
        #expect(provider.registration.oauth2.user.mapping.pictureURL == "https://cdn.example/{sub}/{picture}.png")
        let found = try problems(
            "strava",
            Self.strava.map {
                $0 == members ? "members: {sub: /id, picture_url: \"http://cdn.example/{picture}.png\"}" : $0
            })
        #expect(found.first?.hasPrefix("providers.strava.members.picture_url: is not the URL of a picture") == true)
    }
}

extension Settings.Providers.Template {
    fileprivate var variable: String { id.text.split(separator: ".")[0].uppercased() + "_CLIENT_SECRET" }
}
