import OperatingSystem
import Settings
import Support
import Testing

/// A valid configuration, of which each test changes one thing.
enum Sample {
    static let yaml = """
        server:
          public_url: https://auth.example.com
          listen: 127.0.0.1:8080
          admin_listen: 127.0.0.1:9090
          trusted_proxies: [10.0.0.0/8]
          max_in_flight: 100
          drain_timeout: 20s
        firebase:
          service_account: /keys/account.json
          token_lifetime: 5m
          project_id: my-project
          tenant_id: my-tenant
        seal_keys: [env:SEAL_KEY]
        store: sqlite:///data/accounts.db
        claims:
          idp: "{provider}"
          level: "gold {email_verified}"
        clients:
          my-app:
            name: My App
            provider_redirect_uris: {yahoo.com: [com.example.app:/yahoo]}
            providers: [yahoo.com, twitter.com]
            origins: [https://app.example.com]
            return_provider_tokens: true
            return_provider_profile: true
            token_lifetime: 10m
        providers:
          yahoo.com:
            client_id: dj0yJmk9
            client_secret: env:YAHOO_SECRET
            client_ids: [phone-app]
            scopes: [openid, email]
            allowed_scopes: [mail-r]
            allowed_parameters: [prompt, language]
            pkce: off
            accept: [authorization_code, id_token]
            nonce: server
            max_age: 10m
            clock_skew: 60s
            trust_email: claim
            endpoints:
              issuer: https://api.login.yahoo.com
              token: https://api.login.yahoo.com/oauth2/get_token
            timeout: 10s
          twitter.com:
            flow: oauth2
            oauth1:
              consumer_key: xvz1evFS4wEEPTGEFPHBog
              consumer_secret: file:/keys/x-consumer
              request_email: false
            oauth2:
              client_id: bmlnaHQ
              client_secret: env:X_SECRET
              scopes: [users.read, tweet.read]
            accept: [authorization_code, oauth1_token]
            trust_email: always
            endpoints:
              api: https://api.x.com
              authorize: https://x.com/i/oauth2/authorize
          line:
            issuer: https://access.line.me
            client_id: 1653800000
            client_secret: env:LINE_SECRET
            token_endpoint_auth: client_secret_post
        accounts:
          uid: "{provider}:{subject}"
        limits:
          exchange_per_address: 60/min
        logging:
          level: info
          format: json
        store_keys: [env:STORE_KEY]
        """

    static let yahooSecret = "b3f1c7a9yahoo"
    static let consumerSecret = "c81e728dconsumer"
    static let sealKey = "n0-xPlfV8Wq2Yb7cRk4tZs9uGh3jLm6oEa1iDf5Tv_A"
    static let storeKey = "Q8s2vJ0yHk7Lw4Nf9Rd1Xc6Pb3Tz5Ga-Ue_Mi8Oq2sE"
    static let keyFile = #"{"private_key": "-----BEGIN PRIVATE KEY-----\nMIIEvQ"}"#

    static let chain = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
    static let key = "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n"

    static let environment = [
        "SEAL_KEY": sealKey, "STORE_KEY": storeKey, "YAHOO_SECRET": yahooSecret, "X_SECRET": "eccbc87ex",
        "LINE_SECRET": "a87ff679line",
        "EMPTY": "", "QUOTED": "\"eccbc87e\"", "PLACEHOLDER": "changeme", "BROKEN": "two\nlines", "BLANK": "eccbc87e ",
        "APPLE_KEY": "-----BEGIN PRIVATE KEY-----\nMIGTAgEA\n-----END PRIVATE KEY-----\n",
        "INDENTED": " eccbc87e", "ESCAPED": #"abcDEF123\n"#,
    ]

    static let files = [
        "/keys/account.json": keyFile, "/keys/x-consumer": consumerSecret + "\n", "/keys/empty": "\n",
        "/keys/blank.json": " \n", "/keys/federation.json": #"{"type": "external_account"}"#,
        "/keys/developer.json": #"{"source_credentials": {"refresh_token": "1//hunter2"}}"#, "/keys/chain.pem": chain,
        "/keys/chain2.pem": chain, "/keys/key.pem": key,
    ]

    /// A loader that reads ``files``.
    ///
    /// Files under `/open` have the same content, but others can read them. Files under `/shared` are in a folder that
    /// others can write.
    static func loader(
        environment: [String: String] = environment, allowInsecurePermissions: Bool = false
    ) -> SettingsLoader {
        SettingsLoader(
            environment: environment,
            allowances: Settings.Allowances(insecurePermissions: allowInsecurePermissions)
        ) { path throws(SettingsFileError) in
            let folder = path.split(separator: "/").first.map(String.init) ?? ""
            let isKnown = ["keys", "open", "shared"].contains(folder)
            guard let text = files[isKnown ? "/keys" + path.dropFirst(folder.count + 1) : path] else { throw .missing }
            return SettingsFile(
                bytes: Array(text.utf8), exposure: folder == "open" ? .readable : [],
                openFolders: folder == "shared" ? ["/shared"] : [])
        }
    }

    /// The sample with one line replaced, and the number of that line.
    ///
    /// The replacement may have several lines; it is indented like the line that it replaces.
    static func changing(_ old: String, to new: String, in yaml: String = yaml) throws -> (yaml: String, line: Int) {
        var lines = yaml.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let index = try #require(lines.firstIndex { $0.drop { $0 == " " } == old }, "no line is \(old)")
        let indent = lines[index].prefix { $0 == " " }
        lines[index] = new.split(separator: "\n").map { indent + $0 }.joined(separator: "\n")
        return (lines.joined(separator: "\n"), index + 1)
    }
}

/// A change of one line of ``Sample``, and the only problem that it causes.
struct Change: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    let key: String
    let message: String
    /// The distance of the problem from the changed line; `nil` if it has no line.
    let offset: Int?

    init(_ old: String, _ new: String, _ key: String, _ message: String, offset: Int? = 0) {
        (self.old, self.new, self.key, self.message, self.offset) = (old, new, key, message, offset)
    }

    var testDescription: String { "\(new) at \(key)" }

    /// Expects exactly this problem and no other.
    func expectRefusal(
        environment: [String: String] = Sample.environment, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (yaml, line) = try Sample.changing(old, to: new)
        let expected = SettingsProblem(line: offset.map { line + $0 }, key: key, message: message)
        #expect(throws: SettingsProblems([expected]), sourceLocation: sourceLocation) {
            try Sample.loader(environment: environment).parse(yaml: yaml)
        }
    }
}
