import Fixtures
import Foundation
import Settings
import Testing

/// Tests of the configuration file that is published with the program.
@Suite("config/token-exchange.yaml")
struct DefaultsTests {
    let text: String
    let loader = SettingsLoader(
        environment: [
            "YAHOO_CLIENT_ID": "dj0yJmk9", "YAHOO_CLIENT_SECRET": "b3f1c7a9", "X_CONSUMER_KEY": "xvz1evFS",
            "X_CONSUMER_SECRET": "c81e728d", "X_CLIENT_ID": "bmlnaHQ", "X_CLIENT_SECRET": "eccbc87e",
            "LINE_CLIENT_ID": "1653800000", "LINE_CLIENT_SECRET": "a87ff679",
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
              line:
                issuer: https://access.line.me
                client_id: env:LINE_CLIENT_ID
                client_secret: env:LINE_CLIENT_SECRET
            """
        #expect(try loader.parse(yaml: text) == loader.parse(yaml: least))
    }

    @Test("The defaults of the code are the documented ones")
    func values() throws {
        let settings = try loader.parse(yaml: text)
        #expect(settings.server.listen.description == "127.0.0.1:8080")
        #expect(settings.server.adminListen.description == "127.0.0.1:9090")
        #expect(!settings.server.proxyProtocol)
        #expect(settings.server.maximumInFlight == 4096)
        #expect(settings.server.drainDelay == .seconds(5))
        #expect(settings.server.drainTimeout == .seconds(20))
        #expect(settings.firebase.tokenLifetime == .seconds(300))
        #expect(!settings.firebase.checksRevocation)
        #expect(settings.firebase.directory == .local)
        #expect(!settings.firebase.syncsProfile)
        #expect(settings.firebase.apiKey == nil)
        #expect(settings.firebase.endpoints.identityToolkit == "https://identitytoolkit.googleapis.com")
        #expect(settings.firebase.endpoints.oauthToken == "https://oauth2.googleapis.com/token")
        #expect(
            settings.firebase.endpoints.idTokenKeys
                == "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com")
        #expect(settings.firebase.endpoints.appCheckKeys == "https://firebaseappcheck.googleapis.com/v1/jwks")
        #expect(
            settings.firebase.endpoints.serviceAccountKeys == "https://www.googleapis.com/robot/v1/metadata/x509")
        #expect(settings.firebase.endpoints.iamCredentials == "https://iamcredentials.googleapis.com")
        #expect(settings.firebase.endpoints.metadata == "http://metadata.google.internal")
        #expect(settings.sealKeys.isEmpty && settings.storeKeys.isEmpty)
        #expect(settings.store == .sqlite(path: "/var/lib/token-exchange/token-exchange.db"))
        #expect(settings.claims.mapValues(\.description) == ["idp": "{provider}", "idp_uid": "{subject}"])
        #expect(settings.clients.map(\.providers) == [["yahoo.com", "twitter.com", "line"]])
        let client = try #require(settings.clients.first)
        #expect(client.tokenLifetime == .seconds(300))
        #expect(client.appCheck == .off)
        #expect(client.appCheckApps == [])
        #expect(!client.allowsAnonymous)
        #expect(!client.redeems)
        #expect(!client.returnProviderProfile)
        #expect(client.tenantID == nil)
        #expect(client.pages.logo == nil && client.pages.accentColor == nil)
        #expect([client.pages.privacyURL, client.pages.termsURL, client.pages.supportURL] == [nil, nil, nil])
        #expect(settings.limits.exchangePerAddress?.description == "60/min")
        #expect(settings.limits.anonymousPerAddress?.description == "10/min")
        #expect(settings.accounts.oneAccountPerEmail)
        #expect(settings.accounts.recentLogin == .seconds(300))
        #expect(settings.accounts.anonymousRetention == nil)
        #expect(settings.audit.output)
        #expect(!settings.audit.store)
        #expect(settings.audit.retention == .seconds(90 * 86_400))
        let yahoo = try #require(settings.providers.openIDConnect.first)
        #expect(yahoo.accept == [.authorizationCode, .idToken])
        #expect(yahoo.nonce == .server)
        #expect(yahoo.maximumAge == .seconds(600))
        #expect(yahoo.clockSkew == .seconds(60))
        #expect(yahoo.emailTrust == .claim)
        #expect(yahoo.timeout == .seconds(10))
        #expect(yahoo.maximumLifetime == .seconds(86_400))
        #expect(yahoo.reauthentication == .authTime)
        #expect(yahoo.profile == .always)
        #expect(yahoo.maximumCalls == 256)
        #expect(yahoo.tokenEndpointAuthentication == .clientSecretBasic)
        let twitter = try #require(settings.providers.twitter)
        #expect(twitter.flow == .oauth2)
        #expect(twitter.accept == [.authorizationCode])
        #expect(twitter.emailTrust == .always)
        #expect(twitter.profile == .firstSignIn)
        #expect(twitter.maximumCalls == 256)
    }

    @Test("The published file contains every key of a configuration")
    func completeness() throws {
        let yaml = try Sample.changing("exchange_per_address: 60/min", to: "exchange_per_address: 1/h").yaml
        let keys = try Sample.loader().parse(yaml: yaml).summary.compactMap { line in
            line.split(separator: ":").first?.split(separator: ".").last.map(String.init)
        }
        #expect(keys.count > 40)
        for key in Set(keys).subtracting(["level"]) {
            #expect(text.contains(" \(key):") || text.contains("\n\(key):"), "\(key) is missing")
        }
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
