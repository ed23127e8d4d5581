import Fixtures
import Providers
import Settings
import Standards
import Testing

@Suite("Settings")
struct SettingsTests {
    let settings: Settings

    init() throws {
        settings = try Sample.loader().parse(yaml: Sample.yaml)
    }

    @Test("The section server is read")
    func server() {
        #expect(settings.server.publicURL == "https://auth.example.com")
        #expect(settings.server.listen.description == "127.0.0.1:8080")
        #expect(settings.server.adminListen?.port == 9090)
        #expect(settings.server.trustedProxies.map(\.description) == ["10.0.0.0/8"])
        #expect(settings.server.maximumInFlight == 100)
        #expect(settings.server.drainDelay == .seconds(5))
        #expect(settings.server.drainTimeout == .seconds(20))
    }

    @Test("The keys with other values are those that config check prints with other values")
    func changedKeys() throws {
        let yaml = Sample.yaml.replacing("127.0.0.1:8080", with: "127.0.0.1:8081")
        let other = try Sample.loader().parse(yaml: yaml.replacing("level: info", with: "level: debug"))
        #expect(settings.keys(differingFrom: other.summary) == ["logging.level", "server.listen"])
        #expect(settings.keys(differingFrom: settings.summary).isEmpty)
    }

    @Test("The section firebase is read, and the key file is loaded")
    func firebase() throws {
        guard case .serviceAccounts(let files) = settings.firebase.signing else {
            Issue.record("no service account")
            return
        }
        #expect(files.map(\.path) == ["/keys/account.json"])
        #expect(files.map(\.content.secretText) == [Sample.keyFile])
        #expect(settings.firebase.tokenLifetime == .seconds(300))
        #expect(settings.firebase.projectID == "my-project")
        #expect(settings.firebase.tenantID == "my-tenant")
    }

    @Test("A seal key is decoded from base64url")
    func sealKeys() throws {
        let key = try #require(settings.sealKeys.first)
        #expect(settings.sealKeys.count == 1)
        #expect(key.secretBytes.count == 32)
        #expect(key.secretBytes.prefix(3) == [0x9F, 0x4F, 0xB1])
        #expect(key.secretBytes.suffix(2) == [0xBF, 0xF0])
    }

    @Test("Claims are parsed as templates")
    func claims() {
        #expect(settings.claims["idp"] == [.placeholder(.provider)])
        #expect(settings.claims["level"] == [.text("gold "), .placeholder(.emailVerified)])
        #expect(settings.claims.count == 2)
    }

    @Test("The settings of a client are read")
    func client() throws {
        let client = try #require(settings.clients.first)
        #expect(client.id == "my-app")
        #expect(client.name == "My App")
        #expect(client.providerRedirectURIs == .separate(["yahoo.com": ["com.example.app:/yahoo"]]))
        #expect(client.providers == ["yahoo.com", "twitter.com"])
        #expect(client.origins == ["https://app.example.com"])
        #expect(client.returnProviderTokens)
        #expect(client.returnProviderProfile)
        #expect(client.tokenLifetime == .seconds(600))
    }

    @Test("The settings of yahoo.com are read")
    func yahoo() throws {
        let yahoo = try #require(settings.providers.openIDConnect.first)
        let registration = yahoo.registration
        #expect(yahoo.id == "yahoo.com")
        #expect(yahoo.registration.issuer == nil)
        #expect(registration.clientID == "dj0yJmk9")
        #expect(yahoo.authentication.secret?.secretText == Sample.yahooSecret)
        #expect(registration.furtherClientIDs == ["phone-app"])
        #expect(registration.scopes == ["openid", "email"])
        #expect(registration.allowedScopes == ["mail-r"])
        #expect(registration.allowedParameters == ["prompt", "language"])
        #expect(registration.pkce == .off)
        #expect(registration.acceptedCredentials == [.authorizationCode, .idToken])
        #expect(registration.maximumAge == .seconds(600))
        #expect(registration.clockSkew == .seconds(60))
        #expect(registration.endpoints.issuers == ["https://api.login.yahoo.com"])
        #expect(registration.endpoints.token == "https://api.login.yahoo.com/oauth2/get_token")
        #expect(registration.endpoints.jwks == "https://api.login.yahoo.com/openid/v1/certs")
    }

    @Test("The settings of twitter.com are read")
    func twitter() throws {
        let twitter = try #require(settings.providers.twitter)
        #expect(twitter.flow == .oauth2)
        #expect(twitter.oauth1?.consumerKey == "xvz1evFS4wEEPTGEFPHBog")
        // The line break at the end of the file is not part of the secret.
        #expect(twitter.oauth1?.consumerSecret.secretText == Sample.consumerSecret)
        #expect(twitter.oauth1?.requestEmail == false)
        #expect(twitter.oauth2?.clientID == "bmlnaHQ")
        #expect(twitter.oauth2?.scopes == ["users.read", "tweet.read"])
        #expect(twitter.accept == [.authorizationCode, .oauth1Token])
        #expect(twitter.endpoints.api == "https://api.x.com")
        #expect(twitter.endpoints.oauth1Authenticate == nil)
    }

    @Test("The settings of a generic provider are read, and a client id of digits is a text")
    func generic() throws {
        let line = try #require(settings.providers.openIDConnect.last)
        #expect(line.id == "line")
        #expect(line.registration.issuer == "https://access.line.me")
        #expect(line.registration.clientID == "1653800000")
        #expect(line.authentication.method == .clientSecretPost)
        #expect(line.registration.pkce == .s256)
        #expect(settings.providers.ids == ["yahoo.com", "twitter.com", "line"])
    }

    @Test("Accounts, limits and logging are read")
    func rest() {
        #expect(settings.store == .sqlite(path: "/data/accounts.db"))
        #expect(settings.accounts.uid == [.placeholder(.provider), .text(":"), .placeholder(.subject)])
        #expect(settings.limits.exchangePerAddress?.count == 60)
        #expect(settings.limits.exchangePerAddress?.unit == .minute)
        #expect(settings.logging.level == .info)
        #expect(settings.logging.format == .json)
        #expect(settings.warnings.isEmpty)
    }

    @Test("Anchors and aliases are resolved")
    func aliases() throws {
        let yaml = try Sample.changing("scopes: [openid, email]", to: "scopes: &wanted [openid, email]").yaml
            .replacing("allowed_scopes: [mail-r]", with: "allowed_scopes: *wanted")
        let yahoo = try Sample.loader().parse(yaml: yaml).providers.openIDConnect.first
        #expect(yahoo?.registration.allowedScopes == ["openid", "email"])
    }

    @Test(
        "off is accepted as a word and as a Boolean of YAML",
        arguments: ["off", "\"off\"", "no", "false"])
    func off(word: String) throws {
        let pkce = try Sample.changing("pkce: off", to: "pkce: \(word)").yaml
        #expect(try Sample.loader().parse(yaml: pkce).providers.openIDConnect.first?.registration.pkce == .off)
        let rate = try Sample.changing("exchange_per_address: 60/min", to: "exchange_per_address: \(word)").yaml
        #expect(try Sample.loader().parse(yaml: rate).limits.exchangePerAddress == nil)
    }

    @Test(
        "Every unit of a rate is accepted",
        arguments: [
            ("1/s", Duration.seconds(1)), ("60/min", .seconds(60)), ("1000/h", .seconds(3600)),
        ])
    func rates(text: String, duration: Duration) throws {
        let yaml = try Sample.changing("exchange_per_address: 60/min", to: "exchange_per_address: \(text)").yaml
        let rate = try Sample.loader().parse(yaml: yaml).limits.exchangePerAddress
        #expect(rate?.unit.duration == duration)
        #expect(rate?.description == text)
    }

    @Test("The PKCE method S256 is read")
    func s256() throws {
        let yaml = try Sample.changing("pkce: off", to: "pkce: S256").yaml
        #expect(try Sample.loader().parse(yaml: yaml).providers.openIDConnect.first?.registration.pkce == .s256)
    }

    @Test("Several issuers are accepted if a provider changes its issuer")
    func issuers() throws {
        let yaml = try Sample.changing(
            "issuer: https://api.login.yahoo.com", to: "issuer: [https://api.login.yahoo.com, https://login.yahoo.com]"
        ).yaml
        #expect(
            try Sample.loader().parse(yaml: yaml).providers.openIDConnect.first?.registration.endpoints.issuers
                == ["https://api.login.yahoo.com", "https://login.yahoo.com"])
    }

    @Test("A provider with discovery may name the issuer of its tokens beside that of its metadata")
    func issuersWithDiscovery() throws {
        let yaml = try Sample.changing(
            "issuer: https://access.line.me",
            to: """
                issuer: https://access.line.me
                endpoints:
                  issuer: [https://access.line.me, https://access.line.me/]
                """
        ).yaml
        let line = try Sample.loader().parse(yaml: yaml).providers.openIDConnect.last
        #expect(line?.registration.issuer == "https://access.line.me")
        #expect(line?.registration.endpoints.issuers == ["https://access.line.me", "https://access.line.me/"])
    }

    @Test("A generic provider may name its endpoints instead of an issuer")
    func endpointsWithoutIssuer() throws {
        let yaml = try Sample.changing(
            "issuer: https://access.line.me",
            to: """
                endpoints:
                  issuer: http://127.0.0.1:9000
                  authorization: http://127.0.0.1:9000/authorize
                  token: http://localhost:9000/token
                  jwks: http://[::1]:9000/jwks
                """
        ).yaml
        let line = try Sample.loader().parse(yaml: yaml).providers.openIDConnect.last
        #expect(line?.registration.issuer == nil)
        #expect(line?.registration.endpoints.issuers == ["http://127.0.0.1:9000"])
        #expect(line?.registration.endpoints.jwks == "http://[::1]:9000/jwks")
    }

    @Test("A public client has no secret and uses PKCE")
    func publicClient() throws {
        let yaml = try Sample.changing("client_secret: env:LINE_SECRET", to: "pkce: S256").yaml
            .replacing("token_endpoint_auth: client_secret_post", with: "token_endpoint_auth: none")
        let line = try Sample.loader().parse(yaml: yaml).providers.openIDConnect.last
        #expect(line?.authentication.method == TokenEndpointAuthentication.none)
        #expect(line?.authentication.secret == nil)
    }
}
