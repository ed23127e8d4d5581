extension Catalogue {
    static let authorizationRequests = Section(.start, .high, needs: [.browserFlow]).attacks(
        .attack(
            "ST-05", "A request contains a parameter twice, first with the correct value.",
            oracle: "The server responds with a 400 page to a duplicate parameter.", source: "RFC 6749 3.1"
        ) { context in
            for (name, value) in [
                ("redirect_uri", "https://evil.example/cb"), ("provider", "twitter.com"), ("code_challenge", "x"),
                ("state", "other"), ("client_id", "other-app"), ("response_type", "token"),
                ("code_challenge_method", "plain"), ("unknown", "1"),
            ] {
                let request = context.authorize(verifier: AttackContext.plainVerifier, state: "s") { parameters in
                    if name == "unknown" { parameters.append((name, "0")) }
                    parameters.append((name, value))
                }
                await context.fire(request, expecting: .page())
                let reversed = context.authorize(verifier: AttackContext.plainVerifier, state: "s") { parameters in
                    if name == "unknown" { parameters.append((name, "0")) }
                    parameters.insert((name, value), at: 0)
                }
                await context.fire(reversed, expecting: .page())
            }
        },
        .attack(
            "ST-05a", "A request contains a parameter twice, the second time with a percent-encoded name.",
            oracle: "The server responds with a 400 page: it decodes names before it compares them.",
            source: "RFC 6749 3.1"
        ) { context in
            let good = context.authorizing(context.lab.application.redirectURI)
            for pair in [
                "redirect%5Furi=https%3A%2F%2Fevil.example%2Fcb", "%72edirect_uri=https%3A%2F%2Fevil.example%2Fcb",
                "stat%65=other", "pr%6Fvider=twitter.com", "code%5fchallenge=x", "client%5Fid=other-app",
            ] {
                var request = good
                request.target += "&" + pair
                await context.fire(request, expecting: .page())
            }
        },
        .attack(
            "ST-10", "A parameter contains line feeds to inject fields into the response header.",
            oracle: "The server responds with a 400 page: it permits no control characters in parameters.",
            source: "GHSA-cq87-8r7h-962v; GHSA-7fj7-39wj-c64f; CWE-113"
        ) { context in
            let value = "x\r\nSet-Cookie: planted=1\r\nX-Planted: 1\r\n\r\n<p>"
            for name in [
                "state", "provider", "scope", "login_hint", "code_challenge", "response_type", "unknown", "x\r\ny",
            ] {
                let request = context.authorize(verifier: AttackContext.plainVerifier, state: "s") {
                    $0.set(name, value)
                }
                let reply = await context.fire(request, expecting: .page())
                await context.expect(
                    reply.answer.map { answer in
                        answer.field("x-planted") == nil
                            && !answer.allFields("set-cookie").contains { $0.hasPrefix("planted") }
                    } ?? true, .wrongAnswer, "A line feed added a header field.")
            }
        },
        .attack(
            "ST-17", "The application's `state` is too long.", severity: .medium,
            oracle: "The server responds with a 400 page, or 414 if the request target is too long.",
            source: "RFC 6819 4.4.1.11"
        ) { context in
            let expectations: [(Int, Expectation)] = [
                (1025, .page()), (6000, .page()), (9000, .page(414)), (65_536, .status(400, 414, 431).orClosed),
            ]
            for (length, expectation) in expectations {
                await context.fire(
                    context.authorize(
                        verifier: AttackContext.plainVerifier, state: String(repeating: "s", count: length)),
                    expecting: expectation)
            }
            try await context.honest(
                context.authorize(verifier: AttackContext.plainVerifier, state: String(repeating: "s", count: 1024)),
                status: 303, or: 200)
        },
        .attack(
            "ST-18", "The provider is unknown, or its name is a path, a URL or differently encoded.",
            oracle: "The server redirects to the application with invalid_request and fetches nothing.",
            source: "RFC 8725 3.10; CWE-22",
            needs: [.standIns, .browserFlow]
        ) { context in
            let mark = try await context.mark()
            for provider in [
                "unknown.example", "../yahoo.com", "YAHOO.COM", "yahoo.com ", "yahoo.com.", "yahoo.com/../twitter.com",
                "yahoo%2Ecom", "yahoo", "https://evil.example", "file:///etc/passwd", "__proto__", "yahoo\u{2024}com",
                try context.standIns.addresses.hostile,
            ] {
                await context.fire(changed: "provider", to: provider, telling: ["invalid_request"])
            }
            try await context.expectCalls(["yahoo.discovery": 0, "yahoo.certs": 0], since: mark)
        },
        .attack(
            "ST-18a", "A request names a provider that is disabled for the client.", severity: .medium,
            oracle: "The server redirects to the application with access_denied, not to the provider.",
            source: "dex GHSA-7qjx-gp9h-65qj", needs: [.standIns, .browserFlow, .processes]
        ) { context in
            let request = context.authorize(
                verifier: AttackContext.plainVerifier, state: "s", clientID: "x-only",
                redirectURI: "https://x.example/cb",
                provider: "yahoo.com")
            await context.fire(
                request, tellingApplication: ["access_denied"], state: "s", redirectURI: "https://x.example/cb")
        },
        .attack(
            "ST-30",
            "A request with `prompt=none` would show a page: no provider, a scheme or an address of the device "
                + "that any application can claim, a provider that does not know it, or `none` with another value.",
            severity: .medium,
            oracle: "The server redirects to the application with an error of OpenID Connect, and shows no page.",
            source: "OpenID Connect Core 3.1.2.1, 3.1.2.6", reveals: [.promptIgnored]
        ) { context in
            for (redirectURI, provider, prompt, errors) in [
                ("https://app.example/cb", nil, "none", ["account_selection_required"]),
                ("com.example.app:/oauth", "yahoo.com", "none", ["interaction_required"]),
                ("http://127.0.0.1:51004/callback", "yahoo.com", "none", ["interaction_required"]),
                ("https://app.example/cb", "twitter.com", "none", ["login_required"]),
                ("https://app.example/cb", "yahoo.com", "none login", ["invalid_request"]),
            ] as [(String, String?, String, Set<String>)] {
                let request = context.authorize(
                    verifier: AttackContext.plainVerifier, state: "s", redirectURI: redirectURI
                ) { parameters in
                    parameters.set("provider", provider)
                    parameters.append(("prompt", prompt))
                }
                await context.fire(request, tellingApplication: errors, state: "s", redirectURI: redirectURI)
            }
        },
        .attack(
            "ST-23", "The client id is unknown, missing, or differently encoded.",
            oracle: "The server responds with a 400 page.", source: "RFC 6749 4.1.2.1"
        ) { context in
            let id = context.lab.application.clientID
            for spelling in [
                "unknown-client", "", id.uppercased(), id + " ", " " + id, id + "\0", "%6dy-app", id + "%00", "*",
                "../" + id,
                "' OR '1'='1", String(repeating: "a", count: 4000),
            ] {
                await context.fire(
                    context.authorizing(context.lab.application.redirectURI, clientID: spelling), expecting: .page())
            }
            await context.fire(
                context.authorize(verifier: AttackContext.plainVerifier, state: "s") { $0.set("client_id", nil) },
                expecting: .page())
        },
        .sweep(
            "ST-25", "A request contains scopes that the configuration does not permit.", severity: .medium,
            oracle: "The server redirects to the application with invalid_scope, not to the provider.",
            source: "RFC 6749 3.3",
            over: ["admin", "openid admin", "dm.write", "offline.access", "openid\u{A0}admin"]
        ) { context, scope in
            await context.fire(changed: "scope", to: scope, telling: ["invalid_scope"])
        },
    )
}

extension Catalogue {
    static let proofKeysAtStart = Section(.start, .high, needs: [.browserFlow]).attacks(
        .attack(
            "ST-06", "A flow is started without a code challenge.", severity: .critical,
            oracle: "The server redirects to the application with invalid_request and starts no flow.",
            source: "RFC 9700 2.1.1",
            reveals: [.challengeOptional]
        ) { context in
            await context.fire(changed: "code_challenge", to: nil, telling: ["invalid_request"])
            await context.fire(changed: "code_challenge", to: "", telling: ["invalid_request"])
        },
        .attack(
            "ST-06a", "A flow is started with the method plain, whose challenge is the verifier itself.",
            severity: .critical,
            oracle: "The server redirects to the application with invalid_request: S256 is the only method.",
            source: "RFC 9700 2.1.1", reveals: [.challengeOptional]
        ) { context in
            await context.fire(changed: "code_challenge_method", to: "plain", telling: ["invalid_request"])
        },
        .attack(
            "ST-06b", "A flow is started without `code_challenge_method`, whose default is plain.",
            oracle: "The server redirects to the application with invalid_request.", source: "RFC 7636 4.3",
            reveals: [.challengeOptional]
        ) { context in
            await context.fire(changed: "code_challenge_method", to: nil, telling: ["invalid_request"])
            await context.fire(changed: "code_challenge_method", to: "", telling: ["invalid_request"])
        },
        .sweep(
            "ST-06c", "The challenge method is unknown, or S256 in another spelling.",
            oracle: "The server redirects to the application with invalid_request: it accepts only the literal S256.",
            source: "RFC 7636 4.4.1",
            reveals: [.challengeOptional],
            over: ["s256", "S256 ", "S512", "none", "PLAIN", "sha256", "S256,plain", "\u{FF33}256"]
        ) { context, method in
            await context.fire(changed: "code_challenge_method", to: method, telling: ["invalid_request"])
        },
        .attack(
            "ST-07", "The code challenge cannot be a SHA-256 digest.", severity: .medium,
            oracle: "The server redirects to the application with invalid_request.", source: "RFC 7636 4.2",
            reveals: [.challengeOptional]
        ) { context in
            let right = AttackContext.challenge(AttackContext.plainVerifier)
            let tail: String = String(right.dropFirst())
            let malformed: [String] = [
                String(right.dropLast()), "\(right)A", String(repeating: "A", count: 128),
                String(repeating: "A", count: 129), "\(right)=", "+\(tail)", "/\(tail)", " \(tail)", "\u{E9}\(tail)",
                // 256 bits leave two bits of the last character unused.
                "\(right.dropLast())B", "\(right.dropLast()).", "x",
            ]
            for challenge in malformed {
                await context.fire(changed: "code_challenge", to: challenge, telling: ["invalid_request"])
            }
        },
        .attack(
            "ST-26", "A request asks for tokens in the redirect, or for another response type or mode.",
            oracle: "The server redirects to the application with unsupported_response_type or invalid_request.",
            source: "RFC 9700 2.1.2"
        ) { context in
            for type in ["token", "id_token", "code token", "code id_token", "none", "CODE", "code "] {
                await context.fire(changed: "response_type", to: type, telling: ["unsupported_response_type"])
            }
            await context.fire(changed: "response_type", to: nil, telling: ["invalid_request"])
            for mode in ["fragment", "jwt", "form_post.jwt", "QUERY", "Web_Message", "query form_post"] {
                await context.fire(changed: "response_mode", to: mode, telling: ["invalid_request"])
            }
        },
        .sweep(
            "ST-29", "A response is requested by web_message for a redirect URI whose origin is not registered.",
            severity: .critical,
            oracle: "The server redirects to the application with invalid_request: no page posts to another origin.",
            source: "draft-sakimura-oauth-wmrm 5; CWE-345",
            over: ["com.example.app:/oauth", "http://127.0.0.1:49152/callback", "http://127.0.0.1/callback"]
        ) { context, redirectURI in
            await context.fire(mode: "web_message", at: redirectURI)
        },
        .attack(
            "ST-29a", "A response is requested by form_post for a redirect URI with a private-use scheme.",
            oracle:
                "The server redirects to the application with invalid_request: a form cannot be posted to a scheme.",
            source: "OAuth 2.0 Form Post Response Mode 2; RFC 8252 7.1"
        ) { context in
            await context.fire(mode: "form_post", at: "com.example.app:/oauth")
        },
        .attack(
            "ST-29b", "A response mode brings the response to a redirect URI that is not registered, or is sent twice.",
            severity: .critical, oracle: "The server responds with a 400 page without a script or a form.",
            source: "RFC 6749 3.1, 4.1.2.1", reveals: [.redirectUnchecked]
        ) { context in
            for mode in ["form_post", "web_message"] {
                let foreign = context.authorize(
                    verifier: AttackContext.plainVerifier, state: "s", redirectURI: "https://evil.example/cb"
                ) { $0.append(("response_mode", mode)) }
                await context.fire(foreign, expecting: .page())
                for pair in [["query", mode], [mode, "query"], [mode, mode]] {
                    let twice = context.authorize(verifier: AttackContext.plainVerifier, state: "s") { parameters in
                        parameters += pair.map { ("response_mode", $0) }
                    }
                    await context.fire(twice, expecting: .page())
                }
            }
        },
    )
}

extension AttackContext {
    /// Fires a request for a response mode that is not possible for a registered redirect URI.
    fileprivate func fire(mode: String, at redirectURI: String) async {
        let request = authorize(verifier: Self.plainVerifier, state: "state-of-mine", redirectURI: redirectURI) {
            $0.append(("response_mode", mode))
        }
        await fire(
            request, tellingApplication: ["invalid_request"], state: "state-of-mine", redirectURI: redirectURI)
    }
}
