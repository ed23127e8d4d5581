extension Catalogue {
    static let redirectURIs: [Attack] = [
        Attack(
            "ST-01", .start, .critical, "A flow begins with a redirect URI that nobody has registered.",
            oracle: "A page with status 400 and no Location: redirect_uri_not_allowed.",
            source: "RFC 9700 2.1, 4.11; CVE-2025-4143", needs: [.browserFlow], reveals: [.redirectUnchecked]
        ) { strike in
            await strike.fire(redirectURI: "https://evil.example/cb")
            await strike.fire(redirectURI: "http://127.0.0.1:6666/hostile")
        },
        Attack(
            "ST-01a", .start, .critical, "A flow begins with a redirect URI that is another application's.",
            oracle: "A page with status 400: each client has a list of its own.", source: "RFC 9700 2.1",
            needs: [.browserFlow], reveals: [.redirectUnchecked]
        ) { strike in
            let application = strike.lab.application
            await strike.fire(redirectURI: application.otherRedirectURI)
            await strike.fire(redirectURI: application.redirectURI, clientID: application.otherClientID)
        },
        Attack(
            "ST-01b", .start, .medium, "A flow begins without a redirect URI, or with an empty one.",
            oracle: "A page with status 400: there is no default that could be guessed.", source: "RFC 6749 3.1.2.4",
            needs: [.browserFlow]
        ) { strike in
            let verifier = Strike.plainVerifier
            await strike.fire(
                strike.authorize(verifier: verifier, state: "s") { $0.removeAll { $0.0 == "redirect_uri" } },
                expecting: .page())
            await strike.fire(redirectURI: "")
        },
        Attack(
            "ST-01c", .start, .high, "A request that is wrong in other ways, too, names the attacker's redirect URI.",
            oracle: "A page with status 400: an error is no reason to redirect to a stranger.",
            source: "RFC 6749 4.1.2.1; RFC 9700 4.11.2", needs: [.browserFlow], reveals: [.redirectUnchecked]
        ) { strike in
            let changes: [(String, String?)] = [
                ("response_type", "token"), ("response_type", nil), ("code_challenge", nil), ("scope", "admin"),
                ("provider", "nobody.example"), ("response_mode", "fragment"), ("prompt", "none"),
            ]
            for (name, value) in changes {
                let request = strike.authorize(
                    verifier: Strike.plainVerifier, state: "s", redirectURI: "https://evil.example/cb"
                ) { parameters in
                    parameters.removeAll { $0.0 == name }
                    if let value { parameters.append((name, value)) }
                }
                await strike.fire(request, expecting: .page())
            }
        },
        Attack(
            "ST-04", .start, .high, "A flow begins with http to a host that is not this device, or another scheme.",
            oracle: "A page with status 400.", source: "RFC 9700 2.6; RFC 8252 7.1", needs: [.browserFlow],
            reveals: [.redirectUnchecked]
        ) { strike in
            let registered = strike.lab.application.redirectURI
            await strike.fire(redirectURI: "http" + registered.dropFirst(5))
            for redirectURI in [
                "com.other.app:/oauth", "com.example.app2:/oauth", "com.example:/oauth", "COM.EXAMPLE.APP:/oauth",
                "com.example.app://oauth", "com.example.app:oauth", "example.app:/oauth", "urn:ietf:wg:oauth:2.0:oob",
            ] {
                await strike.fire(redirectURI: redirectURI)
            }
        },
        Attack(
            "ST-04a", .start, .medium,
            "The redirect URI of codes that the application gets by itself is used for the browser flow.",
            oracle: "A page with status 400: the lists redirect_uris and provider_redirect_uris are apart.",
            source: "RFC 9700 2.1", needs: [.browserFlow], reveals: [.redirectUnchecked]
        ) { strike in
            await strike.fire(redirectURI: strike.lab.application.yahooRedirectURI)
            await strike.fire(redirectURI: strike.lab.application.xRedirectURI)
        },
    ]

    static let loopbackRedirectURIs: [Attack] = [
        Attack(
            "ST-03", .start, .high, "A redirect URI looks like the registered loopback address.",
            oracle: "A page with status 400: of a loopback redirect URI nothing but the port may differ.",
            source: "RFC 8252 7.3; RFC 9700 4.1.3", needs: [.standIns, .browserFlow], reveals: [.redirectUnchecked]
        ) { strike in
            for redirectURI in [
                "http://127.0.0.1.evil.example:1/callback", "http://localhost/callback",
                "http://localhost.evil.example/callback", "http://0x7f000001/callback", "http://2130706433/callback",
                "http://127.1/callback", "http://127.0.0.2/callback", "http://[::ffff:127.0.0.1]/callback",
                "http://[::1]:80/callback", "http://0.0.0.0/callback", "https://127.0.0.1/callback",
                "http://127.0.0.1:80@evil.example/callback", "http://127.0.0.1@evil.example/callback",
                "http://evil@127.0.0.1/callback", "http://127.000.000.001/callback", "http://127.0.0.1./callback",
            ] {
                await strike.fire(redirectURI: redirectURI)
            }
        },
        Attack(
            "ST-03a", .start, .high, "The port of a loopback redirect URI is no port, or hides something else.",
            oracle: "A page with status 400; a real port begins a flow.", source: "RFC 8252 7.3",
            needs: [.standIns, .browserFlow], reveals: [.redirectUnchecked]
        ) { strike in
            for port in [
                "", "0", "65536", "99999", "-1", "+80", " 80", "80 ", "8080evil", "80:80", "000080", "80@evil.example",
                "80.evil.example", "\u{FF18}\u{FF10}", "4294967376", "1/../..", "80#", "80\\",
            ] {
                await strike.fire(redirectURI: "http://127.0.0.1:\(port)/callback")
            }
            for path in ["/callback/x", "/", "", "/Callback", "/callback?x=1", "/callback#x", "/x/../callback"] {
                await strike.fire(redirectURI: "http://127.0.0.1:49152\(path)")
            }
            try await strike.honest(strike.authorizing("http://127.0.0.1:49152/callback"))
        },
        Attack(
            "ST-03b", .start, .high,
            "A flow begins for a scheme or a port that anybody on the device can claim, without anybody pressing.",
            oracle: "A page asks first: no redirect to the provider before a person has pressed a button.",
            source: "RFC 8252 8.6", needs: [.standIns, .browserFlow], reveals: [.redirectUnchecked]
        ) { strike in
            for redirectURI in ["com.example.app:/oauth", "http://127.0.0.1:49152/callback"] {
                await strike.fire(strike.authorizing(redirectURI), expecting: .page(200))
            }
        },
    ]
}
