internal import Jansson

extension Catalogue {
    static let developmentSwitches: [Attack] = [
        refused(
            "KY-10a",
            "The configuration contains switches that would skip checks: insecure TLS, any audience, debug, mocks.",
            [
                ("providers/yahoo.com/insecure_tls", true), ("providers/yahoo.com/verify", false),
                ("providers/yahoo.com/skip_audience", true), ("providers/yahoo.com/skip_nonce", true),
                ("server/debug", true), ("server/insecure", true), ("firebase/mock", true), ("debug", true),
                ("providers/yahoo.com/tls_verify", false), ("clients/my-app/client_secret", "a-secret-1234567"),
                ("providers/yahoo.com/nonce", "off"), ("providers/yahoo.com/pkce", "plain"),
            ]),
        refused(
            "KY-10b", "The configuration contains http URLs of other hosts.",
            [
                ("server/public_url", "http://auth.example.com"),
                ("providers/yahoo.com/endpoints/token", "http://yahoo.example/token"),
                ("providers/yahoo.com/endpoints/jwks", "http://yahoo.example/certs"),
                ("providers/op.example/issuer", "http://op.example"),
                ("firebase/endpoints/oauth_token", "http://google.example/t"),
                ("firebase/endpoints/id_token_keys", "http://google.example/keys"),
                ("providers/twitter.com/endpoints/api", "http://x.example"),
                ("clients/my-app/redirect_uris", ["http://app.example/cb"]),
                ("providers/yahoo.com/endpoints/jwks", "file:///etc/passwd"),
                ("providers/yahoo.com/endpoints/jwks", "ftp://yahoo.example/certs"),
            ]),
        refused(
            "KY-10c",
            "The configuration contains redirect URIs and origins with wildcards, fragments, or unsafe schemes.",
            [
                ("clients/my-app/redirect_uris", ["https://*.app.example/cb"]), ("clients/my-app/redirect_uris", ["*"]),
                ("clients/my-app/redirect_uris", ["https://app.example/cb#a"]),
                ("clients/my-app/redirect_uris", ["javascript:alert(1)"]),
                ("clients/my-app/redirect_uris", ["myapp:/cb"]),
                ("clients/my-app/redirect_uris", ["data:text/html,a"]), ("clients/my-app/origins", ["*"]),
                ("clients/my-app/origins", ["null"]), ("clients/my-app/origins", ["https://*.app.example"]),
                ("clients/my-app/origins", ["https://app.example/"]), ("clients/my-app/redirect_uris", ["/cb"]),
            ]),
        refused(
            "KY-10d",
            "The configuration enables the emulator's unsigned tokens together with a key, or on a public address.",
            [("firebase/emulator_host", "127.0.0.1:9099"), ("firebase/emulator_host", "evil.example:9099")]),
        refused(
            "KY-10e",
            "The configuration contains values out of range: lifetimes, skews, limits, uids without a provider.",
            [
                ("firebase/token_lifetime", "2h"), ("firebase/token_lifetime", "0s"),
                ("firebase/token_lifetime", "-5m"),
                ("providers/yahoo.com/clock_skew", "1h"), ("providers/yahoo.com/max_age", "30d"),
                ("limits/exchange_per_address", "-1/min"), ("limits/exchange_per_address", "lots"),
                ("accounts/uid", "{subject}"), ("accounts/uid", "same"), ("claims", ["sub": "{subject}"]),
                ("accounts/recent_login", "2h"), ("server/trusted_proxies", ["everybody"]),
            ]),
        Attack(
            "KY-10f", .keys, .critical,
            "The environment variable of Firebase's emulator is set, which would make tokens unsigned.",
            oracle: "The server never reads the variable: the custom token is signed.",
            source: "CVE-2022-31105; firebase emulator",
            needs: [.processes]
        ) { context in
            let hostile = try context.standIns.addresses.hostile.dropFirst("http://".count)
            try await context.onOwnServer("emulator") {
                $0.environment = [
                    "FIREBASE_AUTH_EMULATOR_HOST": String(hostile), "FIREBASE_EMULATOR_HUB": String(hostile),
                    "GOOGLE_APPLICATION_CREDENTIALS": "/no/such/file", "GCLOUD_PROJECT": "evil",
                    "GCE_METADATA_HOST": String(hostile),
                ]
            } _: { target, _, _ in
                let answer = try await target.honest(try await target.genuine().request)
                let parts = answer["custom_token"]?.split(separator: ".", omittingEmptySubsequences: false) ?? []
                let header = parts.first.flatMap { Base64.urlDecode($0) }
                    .flatMap { try? JSON.parse($0, maximumBytes: 4096) }
                await context.expect(
                    header?["alg"]?.string == "RS256" && parts.count == 3 && parts[2].utf8.count > 300, .minted,
                    "The custom token is not signed.")
            }
        },
        Attack(
            "SR-16", .storage, .high, "The configured store is in memory, or has no absolute path.",
            oracle: "The server exits with code 78.", source: "CVE-2026-5774", needs: [.processes]
        ) { context in
            for (number, text) in [
                "sqlite::memory:", "sqlite://:memory:", "sqlite://", "memory:", "sqlite:///", "sqlite://relative.db",
                "sqlite:///tmp/a.db?mode=memory", "file:memory?cache=shared", "", "mysql://localhost/db",
            ].enumerated() {
                try await context.expectRefusedStart("store-\(number)") { $0.set("store", .string(text)) }
            }
        },
    ]

    private static func refused(_ id: String, _ sentence: String, _ changes: [(String, JSON)]) -> Attack {
        Attack(
            id, .keys, .high, sentence,
            oracle: "The server exits with code 78: the key is unknown, or its value is not allowed.",
            source: "CVE-2022-31105; RFC 9700 2.1, 2.6", needs: [.processes]
        ) { context in
            for (number, change) in changes.enumerated() {
                try await context.expectRefusedStart("\(number) \(change.0.replacing("/", with: "."))") {
                    $0.set(change.0, change.1)
                }
            }
        }
    }
}
