extension Catalogue {
    static let overrides = Section(.start, .high, needs: [.standIns, .browserFlow]).attacks(
        .attack(
            "ST-08", "Parameters name other endpoints, issuers and keys for the provider.", severity: .critical,
            oracle: "The server ignores them and redirects to the configured provider with its own client id.",
            source: "PROF Malicious Endpoint; CVE-2026-31813"
        ) { context in
            let hostile = try context.standIns.addresses.hostile
            let request = context.authorize(verifier: AttackContext.plainVerifier, state: "s") { parameters in
                for name in [
                    "issuer", "iss", "authorization_endpoint", "authorization_url", "token_endpoint", "token_url",
                    "jwks_uri", "userinfo_endpoint", "redirect_to", "callback_url", "base_url", "audience", "resource",
                    "registration", "client_secret", "nonce", "oauth_callback", "oauth_token",
                ] {
                    parameters.append((name, hostile))
                }
            }
            let answer = try await context.honest(request, status: 303)
            await context.expectsOwnProvider(answer, without: hostile)
        },
        .attack(
            "ST-08a", "A request object, or the URL of one, is sent in place of the parameters.",
            oracle: "The server refuses the request and fetches nothing from the attacker's host.",
            source: "RFC 9101 10.4; CVE-2020-10770"
        ) { context in
            let hostile = try context.standIns.addresses.hostile
            await context.fire(changed: "request", to: "eyJhbGciOiJub25lIn0.e30.", telling: ["invalid_request"])
            for requestURI in [
                hostile + "/request", "file:///etc/passwd", "urn:ietf:params:oauth:request_uri:x", "x",
                "http://169.254.169.254/latest/meta-data/",
            ] {
                await context.fire(
                    context.authorize(verifier: AttackContext.plainVerifier, state: "s") {
                        $0.append(("request_uri", requestURI))
                    }, expecting: .page())
            }
        },
        .attack(
            "ST-08b", "A parameter that the server forwards to the provider contains further parameters.",
            oracle: "The server forwards it as one value: the provider receives each of the server's parameters once.",
            source: "CWE-88; RFC 6749 3.1"
        ) { context in
            let planted = "x&client_id=evil&redirect_uri=https://evil.example/cb&state=evil&nonce=evil#"
            for name in ["login_hint", "language", "prompt", "state"] {
                let request = context.authorize(verifier: AttackContext.plainVerifier, state: "s") {
                    $0.set(name, planted)
                }
                let answer = try await context.honest(request, status: 303)
                await context.expectsOwnProvider(answer, without: "evil.example")
            }
        },
        .attack(
            "ST-21", "Header fields contain another host name for the server.",
            oracle: "The server sends the configured callback to the provider, regardless of the header.",
            source: "CWE-644; practice"
        ) { context in
            let own = context.authorizing(context.lab.application.redirectURI)
            let usual = try await context.honest(own, status: 303)
            let callback = usual.redirected("redirect_uri")
            for (name, value) in [
                ("Host", "evil.example"), ("X-Forwarded-Host", "evil.example"), ("X-Forwarded-Proto", "https"),
                ("Forwarded", "host=evil.example;proto=https"), ("X-Original-Host", "evil.example"),
                ("X-Original-URL", "/evil"), ("X-Forwarded-Prefix", "/evil"),
            ] {
                let answer = try await context.honest(own.with(name, value), status: 303)
                await context.expect(
                    answer.redirected("redirect_uri") == callback, .wrongAnswer,
                    "\(name) changed the callback in the request to the provider.")
            }
        },
        .sweep(
            "ST-13", "The victim opens an attacker's URL that starts a flow with a linking intent.",
            severity: .critical,
            oracle: "The server refuses it: linking must start at /par, with the caller's Firebase ID token.",
            source: "CVE-2015-9284",
            needs: [.browserFlow], over: ["link", "reauthenticate", "LINK", "x"]
        ) { context, intent in
            await context.fire(changed: "intent", to: intent, telling: ["invalid_request"])
        },
    )
}

extension AttackContext {
    /// Expects a redirect to the stand-in with each parameter once, and without `text` in the server's own parameters.
    fileprivate func expectsOwnProvider(_ answer: Answer, without text: String) async {
        let location = answer.field("location") ?? ""
        let yahoo = (try? standIns.addresses.yahoo) ?? "none"
        await expect(location.hasPrefix(yahoo + "/"), .wrongAnswer, "The redirect is not to the provider.")
        let parameters = PercentEncoding.query(of: location)
        await expect(
            Set(parameters.map(\.name)).count == parameters.count, .wrongAnswer,
            "The provider receives a parameter twice.")
        let ours = ["client_id", "redirect_uri", "state", "nonce", "scope", "response_type", "code_challenge"]
        await expect(
            !parameters.contains { ours.contains($0.name) && ($0.value.contains(text) || $0.value == "evil") },
            .wrongAnswer, "The request set a parameter of the server.")
        await expect(
            (try? await audience) == parameters.first { $0.name == "client_id" }?.value, .wrongAnswer,
            "The client id at the provider is wrong.")
    }
}
