internal import Jansson

extension Catalogue {
    static let redirectURITricks: [Attack] = [tricksWithTheHost, tricksWithTheText].flatMap(\.self).map(\.attack)

    private static let tricksWithTheHost: [RedirectURITrick] = [
        RedirectURITrick(
            letter: "", sentence: "A flow is started with the registered host in the userinfo of another host.",
            spellings: [
                "https://{host}@evil.example{path}", "https://{host}:443@evil.example{path}",
                "https://{host}:pass@evil.example{path}", "https://evil.example\\@{host}{path}",
                "https://user@{host}{path}", "https://@{host}{path}", "https://{host}%40evil.example{path}",
            ]),
        RedirectURITrick(
            letter: "a", sentence: "A flow is started with a host that begins or ends like the registered one.",
            spellings: [
                "https://{host}.evil.example{path}", "https://evil{host}{path}", "https://sub.{host}{path}",
                "https://{host}.{path}", "https://{host}:443{path}", "https://{host}:8443{path}",
                "https://{host}:{path}", "https://{host}evil.example{path}",
            ]),
        RedirectURITrick(
            letter: "b", sentence: "A flow is started with a path that extends the registered one.",
            spellings: [
                "{uri}/", "{uri}\u{200B}", "{uri}/evil", "{uri}evil", "{uri}.evil.example", "{uri};evil",
                "{uri}/../evil",
                "{uri}/..%2fevil", "{uri}/%2e%2e/evil", "{uri},https://evil.example/", "{uri} https://evil.example/",
            ], reveals: [.redirectPrefix, .redirectUnchecked]),
        RedirectURITrick(
            letter: "c", sentence: "A flow is started with the registered redirect URI and a fragment.",
            spellings: ["{uri}#", "{uri}#x", "{uri}#@evil.example", "{uri}#?code=x"],
            reveals: [.redirectPrefix, .redirectUnchecked]),
        RedirectURITrick(
            letter: "d", sentence: "A flow is started with the registered redirect URI and a query of the attacker.",
            spellings: ["{uri}?", "{uri}?x=1", "{uri}?code=mine&state=mine", "{uri}?next=https://evil.example/"],
            reveals: [.redirectPrefix, .redirectUnchecked]),
        RedirectURITrick(
            letter: "e", sentence: "A flow is started with scheme, host or path in another case.",
            spellings: [
                "HTTPS://{host}{path}", "Https://{host}{path}", "https://APP.example{path}", "https://{host}/CB",
            ]),
        RedirectURITrick(
            letter: "f", sentence: "A flow is started with additional percent-encoding in the registered redirect URI.",
            spellings: [
                "https://{host}/%63%62", "https://{host}%2Fcb", "https%3A%2F%2F{host}{path}",
                "https:%2f%2f{host}{path}", "https://%61pp.example{path}", "https://{host}/%2563b",
            ]),
    ]

    private static let tricksWithTheText: [RedirectURITrick] = [
        RedirectURITrick(
            letter: "g",
            sentence: "A flow is started with missing, doubled or reversed slashes, which change the scheme or host.",
            spellings: [
                "//evil.example", "//{host}{path}", "/\\evil.example", "https:/\\evil.example",
                "https:\\\\{host}{path}",
                "https:/{host}{path}", "https:{host}{path}", "https:///{host}{path}", "/./\\evil.example",
                "/./../../\\evil.example", "{host}{path}", "{path}", "///evil.example/..",
            ]),
        RedirectURITrick(
            letter: "h", sentence: "A flow is started with white space and control characters that some parsers skip.",
            spellings: [
                "/\t/evil.example", "/\t\\evil.example", "/\u{B}/evil.example", "/\r/evil.example",
                "/\n\\evil.example", "/\t\t\\\t/evil.example", "{uri}\0", "{uri}\n", "{uri}\r\nLocation: x",
                "\thttps://{host}{path}", "java\tscript:alert(1)", "https://{host}\u{7F}{path}",
            ], reveals: []),
        RedirectURITrick(
            letter: "i", sentence: "A flow is started with a scheme that executes or displays its content.",
            spellings: [
                "javascript:alert(1)", "javascript://{host}/%0aalert(1)", "data:text/html,x", "vbscript:x",
                "file:///etc/passwd", "about:blank", "blob:https://{host}/x", "view-source:{uri}",
                "intent://{host}{path}",
            ]),
        RedirectURITrick(
            letter: "j",
            sentence: "A flow is started with letters that resemble those of the registered host, or fold to them.",
            spellings: [
                "https://\u{430}pp.example{path}", "https://app\u{3002}example{path}",
                "https://app\u{FF0E}example{path}",
                "https://{host}\u{FF0F}cb", "https://\u{FF41}pp.example{path}", "https://xn--pp-6kc.example{path}",
                "https://app\u{AD}.example{path}", "https://{host}/c\u{FF42}",
            ], reveals: [.redirectUnchecked]),
        RedirectURITrick(
            letter: "k",
            sentence: "A flow is started with dot segments and empty segments that resolve to the registered path.",
            spellings: [
                "https://{host}/.{path}", "https://{host}/{path}", "https://{host}/x/..{path}",
                "https://{host}/x/%2e%2e{path}",
                "https://{host}/\\..{path}",
            ]),
        RedirectURITrick(
            letter: "l",
            sentence: "A flow is started with spaces around the registered redirect URI, or with a prefix.",
            spellings: [
                " {uri}", "https://evil.example/ {uri}", "https://evil.example/?{uri}", "https://evil.example/#{uri}",
                "https://evil.example/{uri}", "<{uri}>", "\"{uri}\"",
            ]),
    ]
}

/// A family of redirect URIs that a lax comparison accepts as the registered one.
struct RedirectURITrick: Sendable {
    let letter: String
    /// The attacker's action, as a sentence.
    let sentence: String
    /// Templates, in which `{uri}`, `{host}` and `{path}` are the registered redirect URI and its parts.
    let spellings: [String]
    var reveals: Set<Mistake> = [.redirectUnchecked]

    /// Around an `https` URI.
    func redirectURIs(around registered: String) -> [String] {
        let rest = registered.dropFirst("https://".count)
        let host = String(rest.prefix { $0 != "/" })
        let path = String(rest.drop { $0 != "/" })
        return spellings.map { spelling in
            spelling.replacing("{uri}", with: registered).replacing("{host}", with: host)
                .replacing("{path}", with: path)
        }
    }

    var attack: Attack {
        Attack(
            "ST-02\(letter)", .start, .critical, sentence,
            oracle:
                "The server responds to each with a 400 page without Location: it compares redirect URIs byte by byte.",
            source: "RFC 9700 2.1; CVE-2026-28512; CVE-2021-21291; CVE-2016-1000001", needs: [.browserFlow],
            reveals: reveals
        ) { context in
            let registered = context.lab.application.redirectURI
            for redirectURI in redirectURIs(around: registered) { await context.fire(redirectURI: redirectURI) }
            // Only the redirect URI must cause the refusal.
            try await context.honest(context.authorizing(registered), status: 303, or: 200)
        }
    }
}

extension AttackContext {
    /// Returns a valid request except for its redirect URI.
    func authorizing(_ redirectURI: String, clientID: String? = nil) -> Request {
        authorize(verifier: Self.plainVerifier, state: "s", clientID: clientID, redirectURI: redirectURI)
    }

    /// Expects that the browser is not redirected.
    func fire(redirectURI: String, clientID: String? = nil) async {
        await fire(authorizing(redirectURI, clientID: clientID), expecting: .page())
    }

    /// The code verifier of flows that are never completed.
    static let plainVerifier = "plain-verifier-of-a-flow-that-never-completes"
}

/// Identifiers that resemble registered ones: Unicode treats some letters as equal that differ in their bytes.
enum LookAlikes {
    /// KELVIN SIGN is canonically equivalent to K, ANGSTROM SIGN to Å.
    private static let kelvin = "\u{212A}IOSK"

    static let all = Section(.start, .high).attacks(
        .attack(
            "ST-28a", "A client_id with KELVIN SIGN in place of K is sent to every endpoint that takes one.",
            oracle: "The server responds with 401 unknown_client or a 400 page: it compares identifiers byte by byte.",
            source: "Unicode UAX 15; CWE-178", reveals: [.lookAlikeNames]
        ) { context in
            let unknown = Expectation.unknownClient
            let provider = JSON.string(context.lab.application.provider)
            let (request, _) = try await context.genuine()
            let good = try JSON.parse(request.body, maximumBytes: 1 << 16)
            await context.fire(
                .json("/v1/nonce", ["client_id": .string(kelvin), "provider": provider]), expecting: unknown)
            await context.fire(
                .json("/v1/exchange", good.setting(["client_id"], to: .string(kelvin))), expecting: unknown)
            await context.fire(
                .form(
                    "/token",
                    [
                        ("grant_type", "authorization_code"), ("client_id", kelvin), ("code", "x"),
                        ("redirect_uri", "https://kiosk.example/cb"), ("code_verifier", AttackContext.plainVerifier),
                    ]), expecting: unknown)
            await context.fire(
                context.authorize(
                    verifier: AttackContext.plainVerifier, state: "s", clientID: kelvin,
                    redirectURI: "https://kiosk.example/cb"), expecting: .page())
            try await context.mustStillWork(.json("/v1/nonce", ["client_id": "KIOSK", "provider": provider]))
        },
        .attack(
            "ST-28b", "A provider name with KELVIN SIGN, whose lower case is k, is sent in a body, a query and a path.",
            oracle: "The server responds with 400 unknown_provider, and with 400 pages.",
            source: "Unicode UAX 15; CWE-178",
            needs: [.standIns, .processes, .discovery, .browserFlow]
        ) { context in
            let (registered, alike) = ("kop.example", "\u{212A}op.example")
            try await context.onOwnServer("kelvin") {
                $0.set("providers/\(registered)", $0.discovered(at: try? context.standIns.addresses.yahoo))
            } _: { target, _, _ in
                let client = JSON.string(target.lab.application.clientID)
                await target.fire(
                    .json("/v1/nonce", ["client_id": client, "provider": .string(alike)]),
                    expecting: .malformed("unknown_provider"))
                await target.fire(
                    .get("/callback/\(PercentEncoding.encode(alike))?code=x&state=y"), expecting: .page())
                let reply = await target.fire(
                    target.authorize(verifier: AttackContext.plainVerifier, state: "s", provider: alike),
                    expecting: .status(303, 400))
                await target.expect(
                    reply.answer?.redirected("client_id") == nil, .wrongAnswer,
                    "The browser was redirected to the provider.")
                try await target.mustStillWork(
                    .json("/v1/nonce", ["client_id": client, "provider": .string(registered)]))
            }
        },
    )
}

extension ServerPlan {
    /// The stand-in of Yahoo, configured as a provider by discovery.
    fileprivate func discovered(at issuer: String?) -> JSON {
        [
            "name": "A provider by discovery", "issuer": .string(issuer ?? ""), "client_id": "kop",
            "client_secret": "sandbox-yahoo-secret-of-ours", "pkce": "off", "timeout": "3s",
        ]
    }
}
