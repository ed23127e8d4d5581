import Settings
import Testing

/// Tests that follow what a message says to write.
///
/// The tests of each section know the text of a message. They would not notice an advice that the next check refuses.
@Suite("Advice of config check")
struct AdviceTests {
    /// A configuration that is refused, what the refusals say, and the one that follows them.
    struct Advice: Sendable, CustomTestStringConvertible {
        /// The lines of the sample that are replaced, and the lines in their place.
        typealias Edits = [String: String]

        /// Each configuration on the way, and words of one of its problems.
        let refused: [(edits: Edits, words: String)]
        let followed: Edits

        init(_ steps: (Edits, String)..., followed: Edits) {
            (refused, self.followed) = (steps, followed)
        }

        /// An advice about one line.
        init(_ line: String, _ steps: (String, String)..., followed: String) {
            refused = steps.map { ([line: $0], $1) }
            self.followed = [line: followed]
        }

        var testDescription: String { refused.map(\.words).joined(separator: "; then ") }
    }

    private static let listen = "listen: 127.0.0.1:8080"
    private static let publicURL = "public_url: https://auth.example.com"
    private static let account = "service_account: /keys/account.json"
    private static let lifetime = "token_lifetime: 5m"
    private static let trusted = "trusted_proxies: [10.0.0.0/8]"
    private static let inFlight = "max_in_flight: 100"
    private static let store = "store: sqlite:///data/accounts.db"
    private static let origins = "origins: [https://app.example.com]"
    private static let clientName = "name: My App"
    private static let claims = "level: \"gold {email_verified}\""
    private static let uid = "uid: \"{provider}:{subject}\""
    private static let limit = "exchange_per_address: 60/min"
    private static let yahooSecret = "client_secret: env:YAHOO_SECRET"
    private static let yahooScopes = "scopes: [openid, email]"
    private static let yahooNonce = "nonce: server"
    private static let maximumAge = "max_age: 10m"
    private static let skew = "clock_skew: 60s"
    private static let xScopes = "scopes: [users.read, tweet.read]"
    private static let issuer = "issuer: https://access.line.me"
    private static let lineMethod = "token_endpoint_auth: client_secret_post"
    private static let oauth2 =
        "protocol: oauth2\nendpoints: {authorization: https://a.example/a, token: https://a.example/t, "
        + "userinfo: https://a.example/u}"
    private static let members = "members: {sub: /id}"

    private static let server: [Advice] = [
        Advice(listen, ("listen: env:PORT", "write 0.0.0.0:env:NAME"), followed: "listen: 0.0.0.0:env:PORT"),
        Advice(
            listen, ("listen: 0.0.0.0:$PORT", "write 0.0.0.0:env:NAME for the port"),
            followed: "listen: 0.0.0.0:env:PORT"),
        Advice(listen, ("listen: \"8080\"", "such as 127.0.0.1:8080"), followed: "listen: 127.0.0.1:8080"),
        Advice(
            publicURL, ("public_url: auth.example.com", "write https:// at its beginning"),
            followed: "public_url: https://auth.example.com"),
        Advice(
            publicURL, ("public_url: HTTPS://Auth.example.com:443/a", "write its scheme in lower case"),
            ("public_url: https://Auth.example.com:443/a", "write https://auth.example.com"),
            followed: "public_url: https://auth.example.com"),
        Advice(
            trusted, ("trusted_proxies: 10.0.0.0/8", "write [one, another]"), followed: "trusted_proxies: [10.0.0.0/8]"),
        Advice(
            trusted, ("trusted_proxies: [10.0.0.1]", "write 10.0.0.1/32"), followed: "trusted_proxies: [10.0.0.1/32]"),
        Advice(
            trusted, ("trusted_proxies: [10.0.0.1/8]", "write 10.0.0.0/8"), followed: "trusted_proxies: [10.0.0.0/8]"),
        Advice(
            trusted, ("trusted_proxies: [\"::1\"]", "write 0:0:0:0:0:0:0:1/128"),
            followed: "trusted_proxies: [\"0:0:0:0:0:0:0:1/128\"]"),
        Advice(
            trusted, ("trusted_proxies: []\nproxy_protocol: true", "such as [10.0.0.1/32]"),
            followed: "trusted_proxies: [10.0.0.1/32]\nproxy_protocol: true"),
        Advice(
            (
                [trusted: trusted + "\nproxy_protocol: true", "admin_listen: 127.0.0.1:9090": "admin_listen: off"],
                "write an address, such as 127.0.0.1:9090"
            ),
            followed: [trusted: trusted + "\nproxy_protocol: true"]),
        Advice(inFlight, ("max_in_flight: \"100\"", "without quotes"), followed: inFlight),
        Advice(inFlight, ("max_in_flight: 0100", "write the number in decimal, without it"), followed: inFlight),
        Advice(inFlight, ("reload_interval: 0s", "must be from 1s to 1h, or off"), followed: "reload_interval: off"),
        Advice(inFlight, ("drain_delay: 10", "write a number and its unit"), followed: "drain_delay: 10s"),
        Advice(
            inFlight, ("outbound_proxy: http://proxy.example", "write it, as in http://proxy.example:3128"),
            followed: "outbound_proxy: http://proxy.example:3128"),
        Advice(
            inFlight, ("outbound_proxy: proxy.example:3128", "write http://host:port"),
            followed: "outbound_proxy: http://proxy.example:3128"),
        Advice(
            inFlight,
            (
                "outbound_proxy: http://u:p@x@proxy.example:3128",
                "percent-encode all characters of user name and password"
            ),
            followed: "outbound_proxy: http://u:p%40x@proxy.example:3128"),
        Advice(
            inFlight, ("outbound_proxy: \"http://u:p#x@proxy.example:3128\"", "write it as %23"),
            followed: "outbound_proxy: http://u:p%23x@proxy.example:3128"),
        Advice(
            inFlight,
            ("outbound_proxy: http://proxy.example:3128\nno_proxy: [\"*.example.com\"]", "write the domain without *"),
            followed: "outbound_proxy: http://proxy.example:3128\nno_proxy: [example.com]"),
        Advice(
            inFlight,
            (
                "outbound_proxy: http://proxy.example:3128\nno_proxy: [\"*\"]",
                "leave out server.outbound_proxy and server.no_proxy"
            ),
            followed: inFlight),
        Advice(
            (
                ["server:": "public_url: https://auth.example.com\nserver:"],
                "If it is meant as server.public_url, write it there"
            ),
            followed: [:]),
    ]

    private static let stores: [Advice] = [
        Advice(
            store, ("store: postgresql://u:p@x@h/d", "write @ as %40"), followed: "store: postgresql://u:p%40x@h/d"),
        Advice(
            store, ("store: \"postgresql://u:p#x@h/d\"", "write it as %23"), followed: "store: postgresql://u:p%23x@h/d"
        ),
        Advice(
            store,
            (
                "store: postgresql://u@h/d?ssl=true&sslrootcert=system",
                "write sslmode=verify-full, without the option ssl"
            ),
            followed: "store: postgresql://u@h/d?sslmode=verify-full&sslrootcert=system"),
        Advice(
            store, ("store: postgresql://u@h/d?ssl=1", "write sslmode in its place"),
            ("store: postgresql://u@h/d?sslmode=1", "write disable, allow, prefer, require, verify-ca or verify-full"),
            followed: "store: postgresql://u@h/d?sslmode=require"),
        Advice(
            store,
            ("store: jdbc:postgresql://h/d?user=u&password=p", "write it as postgresql://user:password@host/database"),
            followed: "store: postgresql://u:p@h/d"),
        Advice(
            store, ("store: postgresql://u@h/d?schema=x", "write options=-csearch_path%3DNAME"),
            followed: "store: postgresql://u@h/d?options=-csearch_path%3Dx"),
        Advice(
            store, ("store: postgresql://u@h/d?connectTimeout=5", "write connect_timeout=SECONDS"),
            followed: "store: postgresql://u@h/d?connect_timeout=5"),
        Advice(
            store,
            ("store: postgresql://u@h/d?pgbouncer=true", "leave it out, and write store_pooling: transaction"),
            followed: "store: postgresql://u@h/d\nstore_pooling: transaction"),
        Advice(
            store,
            (
                "store: postgresql://u@/cloudsql/p:r:i/d",
                "as in postgresql://user@/database?host=/cloudsql/project:region:instance"
            ),
            followed: "store: postgresql://u@/d?host=/cloudsql/p:r:i"),
        Advice(
            store, ("store: firestore://my-project", "write firestore://my-project/token-exchange"),
            followed: "store: firestore://my-project/token-exchange"),
        Advice(
            store, ("store: sqlite:data/accounts.db", "write sqlite:// and the absolute path of a file"),
            followed: "store: sqlite:///data/accounts.db"),
        Advice(
            (["seal_keys: [env:SEAL_KEY]": "seal_keys: env:SEAL_KEY"], "write [one, another]"),
            followed: [:]),
    ]

    private static let firebase: [Advice] = [
        Advice(
            (
                [account: account + "\niam_service_account: a@my-project.iam.gserviceaccount.com"],
                "with signer: iam: write that with project_id, and without service_account"
            ),
            followed: [account: "signer: iam\niam_service_account: a@my-project.iam.gserviceaccount.com"]),
        Advice(
            ([account: account + "\nsigner: iam"], "leave out one of the two"), followed: [account: "signer: iam"]),
        Advice(
            ([account: "signer: iam", "project_id: my-project": ""], "write the id that the Firebase console shows"),
            followed: [account: "signer: iam"]),
        Advice(
            account, ("service_account: \"'/keys/account.json'\"", "in quotation marks"), followed: account),
        Advice(lifetime, ("token_lifetime: 2h", "must be from 1s to 1h"), followed: "token_lifetime: 1h"),
        Advice(
            lifetime, ("sync_profile: true", "write directory: firebase"),
            followed: "sync_profile: true\ndirectory: firebase"),
        Advice(
            lifetime,
            (
                "endpoints: {metadata: https://metadata.google.internal/}",
                "write https://metadata.google.internal"
            ),
            followed: "endpoints: {metadata: https://metadata.google.internal}"),
    ]

    private static let clients: [Advice] = [
        Advice(
            origins, ("origins: [\"https://App.example.com/\"]", "write https://app.example.com"), followed: origins),
        Advice(origins, ("origins: [\"*\"]", "such as https://app.example.com"), followed: origins),
        Advice(origins, ("origins: [http://app.example.com]", "write https:// at its beginning"), followed: origins),
        Advice(
            clientName, ("redirect_uris: com.example.app:/cb", "write [one, another]"),
            followed: "redirect_uris: [com.example.app:/cb]"),
        Advice(
            clientName,
            ("redirect_uris: [MyApp://cb]", "write it in lower case"),
            ("redirect_uris: [myapp://cb]", "set allow_unowned_schemes: true for this client"),
            followed: "redirect_uris: [myapp://cb]\nallow_unowned_schemes: true"),
        Advice(
            clientName, ("redirect_uris: [app.example.com/cb]", "as a scheme: com.example.app:/path"),
            followed: "redirect_uris: [com.example.app:/cb]"),
        Advice(
            clientName,
            ("redirect_uris: [com.example.app://oauth_callback]", "With one slash, as in com.example.app:/path"),
            followed: "redirect_uris: [com.example.app:/oauth_callback]"),
        Advice(
            clientName, ("redirect_uris: [http://app.example.com/cb]", "write https:// at its beginning"),
            followed: "redirect_uris: [https://app.example.com/cb]"),
        Advice(
            clientName, ("redirect_uris: [\"https://a.example/#/cb\"]", "leave out # and what follows"),
            followed: "redirect_uris: [https://a.example/]"),
        Advice(
            clientName, ("redirect_uris: [https://a.example/x/../cb]", "write the resulting path"),
            followed: "redirect_uris: [https://a.example/cb]"),
        Advice(
            clientName, ("app_check_apps: [\"1:1234567890:ios:0a1b\"]", "write app_check: required"),
            followed: "app_check: required\napp_check_apps: [\"1:1234567890:ios:0a1b\"]"),
        Advice(
            ([clientName: "redeem: true"], "needs firebase.api_key: write it there, as env:NAME"),
            followed: [clientName: "redeem: true", lifetime: "api_key: env:API_KEY"]),
        Advice(
            clientName, ("anonymous: \"true\"", "write true or false, without quotes"), followed: "anonymous: true"),
        Advice(clientName, ("name: off", "write it in quotes"), followed: "name: \"off\""),
        Advice(
            clientName, ("pages:\n  accent_color: #3046b8", "in quotes, such as \"#3046b8\""),
            followed: "pages: {accent_color: \"#3046b8\"}"),
        Advice(
            clientName, ("grants: [implicit]", "write authorization_code, token_exchange or device_code"),
            followed: "grants: [authorization_code, token_exchange, device_code]"),
        Advice(claims, ("level: {provider}", "write it in quotes"), followed: "level: \"{provider}\""),
        Advice(
            uid, ("uid: \"{provider}\"", "write {provider} and {subject} once each, or random"), followed: "uid: random"
        ),
        Advice(limit, ("exchange_per_address: 60", "write a rate such as 60/min"), followed: limit),
        Advice(limit, ("provider_failures: 0", "must be from 1 to 1000, or off"), followed: "provider_failures: off"),
    ]

    private static let providers: [Advice] = [
        Advice(
            ([yahooSecret: ""], "token_endpoint_auth: none with pkce: S256"),
            followed: [yahooSecret: "token_endpoint_auth: none", "pkce: off": "pkce: S256"]),
        Advice(
            yahooSecret, ("client_secret: env:$YAHOO_SECRET", "which has letters, digits and"),
            followed: "client_secret: env:YAHOO_SECRET"),
        Advice(
            yahooScopes, ("scopes: openid email", "write [one, another]"),
            ("scopes: [openid email]", "as in [openid, email]"), followed: yahooScopes),
        Advice(
            yahooScopes, ("scopes: [\"openid,email\"]", "must contain openid as an element of its own"),
            followed: yahooScopes),
        Advice(xScopes, ("scopes: [users.read]", "must contain tweet.read and users.read"), followed: xScopes),
        Advice(
            ([yahooNonce: "nonce: none", maximumAge: "max_age: 10m"], "write max_age: 2m or less"),
            followed: [yahooNonce: "nonce: none", maximumAge: "max_age: 2m"]),
        Advice(
            ([yahooNonce: "nonce: none", maximumAge: "max_age: 2m", skew: "clock_skew: 5m"], "write clock_skew: 60s"),
            followed: [yahooNonce: "nonce: none", maximumAge: "max_age: 2m", skew: "clock_skew: 60s"]),
        Advice(
            issuer,
            (
                "issuer: https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
                "the part before /.well-known/openid-configuration"
            ),
            ("issuer: https://login.microsoftonline.com/common/v2.0", "write tenants:"),
            followed: "issuer: https://login.microsoftonline.com/common/v2.0\ntenants: any"),
        Advice(
            issuer,
            (
                "issuer: https://login.microsoftonline.com/consumers/v2.0",
                "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
            ),
            followed: "issuer: https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"),
        Advice(
            issuer,
            (
                "issuer: https://login.microsoftonline.com/d5fe733d-6d61-4060-a35c-27f589675587",
                "https://login.microsoftonline.com/d5fe733d-6d61-4060-a35c-27f589675587/v2.0"
            ),
            followed: "issuer: https://login.microsoftonline.com/d5fe733d-6d61-4060-a35c-27f589675587/v2.0"),
        Advice(
            issuer, ("issuer: https://a.example/x/{tenantid}\ntenants: any", "such as common"),
            followed: "issuer: https://a.example/x/common\ntenants: any"),
        Advice(
            issuer,
            (issuer + "\ntenants: any\nendpoints: {issuer: https://a.example/x}", "has no {tenantid}"),
            followed: issuer + "\ntenants: any\nendpoints: {issuer: \"https://a.example/{tenantid}\"}"),
        Advice(
            issuer, ("issuer: access.line.me", "write https:// at its beginning"), followed: issuer),
        Advice(
            issuer,
            (issuer + "\nendpoints: {token: http://keycloak:8080/t}", "for the hosts in plain_http_hosts"),
            (
                issuer + "\nendpoints: {token: http://keycloak:8080/t}\nplain_http_hosts: [\"keycloak:8080\"]",
                "such as keycloak or 10.0.0.7"
            ),
            followed: issuer + "\nendpoints: {token: http://keycloak:8080/t}\nplain_http_hosts: [keycloak]"),
        Advice(
            issuer, (issuer + "\naccept: [access_token]", "write endpoints.introspection"),
            followed: issuer + "\naccept: [access_token]\nendpoints: {introspection: https://a.example/i}"),
        Advice(
            issuer, (issuer + "\nparameters: {prompt: consent}", "write it in allowed_parameters"),
            followed: issuer + "\nallowed_parameters: [prompt]"),
        Advice(
            issuer, (oauth2 + "\nmembers: {sub: id}", "write /id for the member of that name"),
            followed: oauth2 + "\n" + members),
        Advice(
            issuer,
            (
                oauth2 + "\nmembers: {sub: https://a.example/id}",
                "write /https:~1~1a.example~1id for the member of that name"
            ),
            followed: oauth2 + "\nmembers: {sub: /https:~1~1a.example~1id}"),
        Advice(
            issuer,
            (oauth2 + "\nmembers: {sub: /data/https://a.example/id}", "write /data/https:~1~1a.example~1id"),
            followed: oauth2 + "\nmembers: {sub: /data/https:~1~1a.example~1id}"),
        Advice(
            issuer,
            (oauth2 + "\n\(members)\naccept: [access_token]", "write the section introspection"),
            followed: oauth2 + "\n\(members)\naccept: [access_token]\nintrospection: {url: https://a.example/i}"),
        Advice(
            issuer, (oauth2 + "\n\(members)\naccept: [authorization_code]\npkce: off", "write pkce: S256"),
            followed: oauth2 + "\n\(members)\naccept: [authorization_code]\npkce: S256"),
        Advice(
            issuer, (oauth2 + "\n\(members)\nissuer: https://a.example", "endpoints.issuer"),
            followed: oauth2.dropLast() + ", issuer: https://a.example}\n\(members)"),
        Advice(
            issuer,
            (oauth2 + "\nmembers: {sub: /id, picture_url: https://c.example/x}", "write it with {picture}"),
            followed: oauth2 + "\nmembers: {sub: /id, picture_url: \"https://c.example/{picture}.png\"}"),
        Advice(
            issuer,
            (oauth2 + "\n\(members)\ntrust_email: always\nemails: {url: https://a.example/e}", "write claim"),
            followed: oauth2 + "\n\(members)\ntrust_email: claim\nemails: {url: https://a.example/e}"),
        Advice(
            lineMethod,
            ("token_endpoint_auth: client_secret_jwt", "choose client_secret_basic"),
            followed: "token_endpoint_auth: client_secret_basic"),
    ]

    @Test("What a message says to write is accepted", arguments: server + stores + firebase + clients + providers)
    func followed(advice: Advice) throws {
        let environment = Sample.environment.merging(["PORT": "8080", "API_KEY": "AIzaSyA1b2c3d4e5f6"]) { $1 }
        let loader = Sample.loader(environment: environment)
        for (edits, words) in advice.refused {
            let yaml = try Self.yaml(edits)
            let problems = try #require(throws: SettingsProblems.self) { try loader.parse(yaml: yaml) }
            #expect(problems.problems.contains { $0.message.contains(words) }, "\(problems)")
        }
        let yaml = try Self.yaml(advice.followed)
        #expect(throws: Never.self) { try loader.parse(yaml: yaml) }
    }

    private static func yaml(_ edits: Advice.Edits) throws -> String {
        var yaml = Sample.yaml
        for (line, lines) in edits { yaml = try Sample.changing(line, to: lines, in: yaml).yaml }
        return yaml
    }
}
