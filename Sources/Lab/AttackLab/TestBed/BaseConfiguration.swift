internal import Jansson

/// The configuration of a server that uses the stand-ins, with every feature that can be attacked.
struct BaseConfiguration {
    /// The seal key, which attacks may use as if it had been stolen with a backup.
    static let sealKey = "YXR0YWNrLWxhYi1zZWFsLWtleS0wMDAwMDAwMDAwMDA"
    /// The store key, which no attack may use.
    static let storeKey = "YXR0YWNrLWxhYi1zdG9yZS1rZXktMDAwMDAwMDAwMDA"

    let addresses: StandIns.Addresses
    let folder: String
    let port: Int
    let adminPort: Int
    let publicURL: String
    let store: String

    /// The configuration, whose registrations are those of the application `ours` at the stand-ins.
    var json: JSON {
        [
            "server": [
                "listen": .string("127.0.0.1:\(port)"), "admin_listen": .string("127.0.0.1:\(adminPort)"),
                "public_url": .string(publicURL), "drain_delay": "0s", "drain_timeout": "5s",
            ],
            "firebase": firebase, "store": .string(store), "clients": clients, "providers": providers,
            "seal_keys": [.string(Self.sealKey)], "store_keys": [.string(Self.storeKey)],
            "accounts": ["one_account_per_email": false],
            "limits": [
                "exchange_per_address": "off", "start_per_address": "off", "page_per_address": "off",
                "anonymous_per_address": "off",
                // Many attacks make a provider fail, one after the other.
                "provider_failures": "off",
            ],
            "logging": ["format": "text", "level": "debug"],
        ]
    }

    private var firebase: JSON {
        [
            "service_account": .string(folder + "/service-account.json"), "api_key": "sandbox-api-key",
            "endpoints": [
                "identity_toolkit": .string(addresses.google), "oauth_token": .string(addresses.google + "/token"),
                "id_token_keys": .string(
                    addresses.google + "/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"),
                "app_check_keys": .string(addresses.google + "/v1/jwks"),
                "iam_credentials": .string(addresses.google), "metadata": .string(addresses.google),
                "secret_manager": .string(addresses.google),
            ],
        ]
    }

    private var clients: JSON {
        let grants: JSON = ["authorization_code", "token_exchange", "device_code"]
        let own: JSON = [
            "yahoo.com": ["com.example.app:/yahoo"], "twitter.com": ["com.example.app:/x"],
            "op.example": ["com.example.app:/op"], "github.com": ["com.example.app:/github.com"],
            "discord": ["com.example.app:/discord"], "spotify": ["com.example.app:/spotify"],
        ]
        return [
            "my-app": [
                "name": "My App",
                "redirect_uris": ["com.example.app:/oauth", "http://127.0.0.1/callback", "https://app.example/cb"],
                "provider_redirect_uris": own, "grants": grants, "origins": ["https://app.example"],
                "anonymous": true, "return_provider_tokens": true,
            ],
            "other-app": [
                "name": "Another App", "redirect_uris": ["https://other.example/cb"], "provider_redirect_uris": own,
                "grants": grants, "anonymous": true,
            ],
            "x-only": [
                "name": "For X alone", "redirect_uris": ["https://x.example/cb"],
                "provider_redirect_uris": ["twitter.com": ["com.example.app:/x"]],
                "grants": grants, "providers": ["twitter.com"],
            ],
            "KIOSK": [
                "name": "A kiosk", "redirect_uris": ["https://kiosk.example/cb"], "provider_redirect_uris": own,
                "grants": grants,
            ],
            "checked-app": [
                "name": "With App Check", "provider_redirect_uris": own, "app_check": "required",
                "app_check_apps": ["1:1234567890:ios:abcdef"],
            ],
        ]
    }

    private var providers: JSON {
        [
            "yahoo.com": [
                "client_id": .string(Registrations.yahooClientID), "client_secret": "sandbox-yahoo-secret-of-ours",
                "timeout": "3s",
                "endpoints": [
                    "issuer": .string(addresses.yahoo),
                    "authorization": .string(addresses.yahoo + "/oauth2/request_auth"),
                    "token": .string(addresses.yahoo + "/oauth2/get_token"),
                    "userinfo": .string(addresses.yahoo + "/openid/v1/userinfo"),
                    "jwks": .string(addresses.yahoo + "/openid/v1/certs"),
                    "revocation": .string(addresses.yahoo + "/oauth2/revoke"),
                ],
            ],
            "twitter.com": [
                "flow": "oauth2", "accept": ["authorization_code", "oauth1_token"], "timeout": "3s",
                "oauth1": [
                    "consumer_key": "SandboxOursConsumerKey001",
                    "consumer_secret": "sandbox-x-consumer-secret-of-ours", "request_email": true,
                ],
                "oauth2": [
                    "client_id": "U2FuZGJveE91cnNDbGllbnQ6MTpjaQ", "client_secret": "sandbox-x-client-secret-of-ours",
                ],
                "endpoints": [
                    "api": .string(addresses.x), "authorize": .string(addresses.x + "/i/oauth2/authorize"),
                    "oauth1_authenticate": .string(addresses.x + "/oauth/authenticate"),
                ],
            ],
            "github.com": plain(
                "github.com", accept: ["authorization_code", "access_token"], authorization: "/login/oauth/authorize",
                token: "/login/oauth/access_token", user: "/user",
                further: [
                    "emails": ["url": .string(addresses.providers + "/github.com/user/emails")],
                    "introspection": [
                        "url": .string(addresses.providers + "/github.com/applications/{client_id}/token")
                    ],
                ]),
            "discord": plain(
                "discord", accept: ["authorization_code", "access_token"], authorization: "/oauth2/authorize",
                token: "/api/v10/oauth2/token", user: "/api/v10/users/@me",
                further: ["introspection": ["url": .string(addresses.providers + "/discord/api/v10/oauth2/@me")]]),
            "spotify": plain(
                "spotify", accept: ["authorization_code"], authorization: "/authorize", token: "/api/token",
                user: "/v1/me"),
            // The same provider, found by discovery.
            "op.example": [
                "name": "A provider by discovery", "issuer": .string(addresses.yahoo),
                "client_id": .string(Registrations.yahooClientID), "client_secret": "sandbox-yahoo-secret-of-ours",
                "pkce": "off", "timeout": "3s", "events": ["logout_token", "security_event"],
            ],
        ]
    }

    /// A provider without OpenID Connect at its stand-in, by its template.
    private func plain(
        _ id: String, accept: JSON, authorization: String, token: String, user: String, further: [String: JSON] = [:]
    ) -> JSON {
        let base = addresses.providers + "/" + id
        var endpoints: [String: JSON] = [
            "authorization": .string(base + authorization), "token": .string(base + token),
            "userinfo": .string(base + user),
        ]
        // Discord names its issuer in the callback.
        if id == "discord" { endpoints["issuer"] = .string(base) }
        let section: [String: JSON] = [
            "client_id": .string("sandbox-ours-at-\(id)"), "client_secret": "sandbox+secret/of=ours",
            "accept": accept, "timeout": "3s", "endpoints": .object(endpoints),
        ]
        return .object(section.merging(further) { $1 })
    }

    private enum Registrations {
        static let yahooClientID =
            "dj0yJmk9U2FuZGJveE91cnMmZD1ZV2s5VTJGdVpHSnZlRTkxY25NbWNHbzlNQS0tJnM9Y29uc3VtZXJzZWNyZXQmeD1mMA--"
    }
}
