extension Catalogue {
    static let redirectURIs = Section(.start, .high, needs: [.browserFlow]).attacks(
        .sweep(
            "ST-01", "A flow is started with a redirect URI that is not registered.",
            severity: .critical,
            oracle: "The server responds with a 400 page without Location: redirect_uri_not_allowed.",
            source: "RFC 9700 2.1, 4.11; CVE-2025-4143", reveals: [.redirectUnchecked],
            over: ["https://evil.example/cb", "http://127.0.0.1:6666/hostile"]
        ) { context, redirectURI in
            await context.fire(redirectURI: redirectURI)
        },
        .attack(
            "ST-01a", "A flow is started with the redirect URI of another application.",
            severity: .critical, oracle: "The server responds with a 400 page: each client has its own list.",
            source: "RFC 9700 2.1",
            reveals: [.redirectUnchecked]
        ) { context in
            let application = context.lab.application
            await context.fire(redirectURI: application.otherRedirectURI)
            await context.fire(redirectURI: application.redirectURI, clientID: application.otherClientID)
        },
        .attack(
            "ST-01b", "A flow is started without a redirect URI, or with an empty one.",
            severity: .medium, oracle: "The server responds with a 400 page: there is no default redirect URI.",
            source: "RFC 6749 3.1.2.4"
        ) { context in
            let verifier = AttackContext.plainVerifier
            await context.fire(
                context.authorize(verifier: verifier, state: "s") { $0.set("redirect_uri", nil) },
                expecting: .page())
            await context.fire(redirectURI: "")
        },
        .sweep(
            "ST-01c", "A request with another error contains the attacker's redirect URI.",
            oracle: "The server responds with a 400 page: it never sends an error to an unregistered redirect URI.",
            source: "RFC 6749 4.1.2.1; RFC 9700 4.11.2", reveals: [.redirectUnchecked],
            over: [
                ("response_type", "token"), ("response_type", nil), ("code_challenge", nil), ("scope", "admin"),
                ("provider", "unknown.example"), ("response_mode", "fragment"), ("prompt", "none"),
            ] as [(String, String?)]
        ) { context, change in
            let (name, value) = change
            let request = context.authorize(
                verifier: AttackContext.plainVerifier, state: "s", redirectURI: "https://evil.example/cb"
            ) { $0.set(name, value) }
            await context.fire(request, expecting: .page())
        },
        .attack(
            "ST-04",
            "A flow is started with an http redirect URI to another host than this device, or with another scheme.",
            oracle: "The server responds with a 400 page.", source: "RFC 9700 2.6; RFC 8252 7.1",
            reveals: [.redirectUnchecked]
        ) { context in
            let registered = context.lab.application.redirectURI
            await context.fire(redirectURI: "http" + registered.dropFirst(5))
            for redirectURI in [
                "com.other.app:/oauth", "com.example.app2:/oauth", "com.example:/oauth", "COM.EXAMPLE.APP:/oauth",
                "com.example.app://oauth", "com.example.app:oauth", "example.app:/oauth",
                "urn:ietf:wg:oauth:2.0:oob",
            ] {
                await context.fire(redirectURI: redirectURI)
            }
        },
        .attack(
            "ST-04a",
            "A browser flow is started with a redirect URI that is registered only for codes of the application.",
            severity: .medium,
            oracle: "The server responds with a 400 page: redirect_uris and provider_redirect_uris are separate lists.",
            source: "RFC 9700 2.1", reveals: [.redirectUnchecked]
        ) { context in
            await context.fire(redirectURI: context.lab.application.yahooRedirectURI)
            await context.fire(redirectURI: context.lab.application.xRedirectURI)
        },
    )

    static let loopbackRedirectURIs = Section(.start, .high, needs: [.standIns, .browserFlow]).attacks(
        .sweep(
            "ST-03", "A flow is started with a redirect URI that resembles the registered loopback URI.",
            oracle: "The server responds with a 400 page: a loopback redirect URI may differ only in its port.",
            source: "RFC 8252 7.3; RFC 9700 4.1.3", reveals: [.redirectUnchecked],
            over: [
                "http://127.0.0.1.evil.example:1/callback", "http://localhost/callback",
                "http://localhost.evil.example/callback", "http://0x7f000001/callback",
                "http://2130706433/callback", "http://127.1/callback", "http://127.0.0.2/callback",
                "http://[::ffff:127.0.0.1]/callback", "http://[::1]:80/callback", "http://0.0.0.0/callback",
                "https://127.0.0.1/callback", "http://127.0.0.1:80@evil.example/callback",
                "http://127.0.0.1@evil.example/callback", "http://evil@127.0.0.1/callback",
                "http://127.000.000.001/callback", "http://127.0.0.1./callback",
            ]
        ) { context, redirectURI in
            await context.fire(redirectURI: redirectURI)
        },
        .attack(
            "ST-03a", "A loopback redirect URI has a port that is not a number, or that hides another part of a URI.",
            oracle: "The server responds with a 400 page; a number from 1 to 65535 starts a flow.",
            source: "RFC 8252 7.3",
            reveals: [.redirectUnchecked]
        ) { context in
            for port in [
                "", "0", "65536", "99999", "-1", "+80", " 80", "80 ", "8080evil", "80:80", "000080",
                "80@evil.example", "80.evil.example", "\u{FF18}\u{FF10}", "4294967376", "1/../..", "80#", "80\\",
            ] {
                await context.fire(redirectURI: "http://127.0.0.1:\(port)/callback")
            }
            for path in [
                "/callback/x", "/", "", "/Callback", "/callback?x=1", "/callback#x", "/x/../callback", "?", "?x=1",
                "?/callback", "#", "#/callback", "\\/callback", "?@evil.example/callback",
            ] {
                await context.fire(redirectURI: "http://127.0.0.1:49152\(path)")
            }
            try await context.honest(context.authorizing("http://127.0.0.1:49152/callback"))
        },
        .sweep(
            "ST-03b", "A flow is started for a scheme or a port that any program on the device can claim.",
            oracle: "The server first shows a page: no redirect to the provider before the user clicks a button.",
            source: "RFC 8252 8.6", reveals: [.redirectUnchecked],
            over: ["com.example.app:/oauth", "http://127.0.0.1:49152/callback"]
        ) { context, redirectURI in
            await context.fire(context.authorizing(redirectURI), expecting: .page(200))
        },
    )
}
