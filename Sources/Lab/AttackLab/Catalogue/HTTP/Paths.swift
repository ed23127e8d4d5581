extension Catalogue {
    static let paths = Section(.http, .high, needs: []).attacks(
        .sweep(
            "HT-09a", "Endpoints are requested in all spellings that a proxy may treat as the same path.",
            oracle: "The server responds with 404 to all but the exact path, so that no proxy rule is bypassed.",
            source: "CVE-2025-54576; CVE-2026-41059",
            over: [
                "//v1/nonce", "/./v1/nonce", "/v1/nonce/", "/v1/./nonce", "/v1//nonce", "/x/../v1/nonce",
                "/v1/%6eonce", "/%76%31/nonce", "/v1%2fnonce", "/v1/nonce%00", "/v1/nonce%20", "/v1/nonce;a=b",
                "/v1;a=b/nonce", "/V1/NONCE", "/v1/Nonce", "/v1/nonce.json", "/v1/nonce/.", "/v1/nonce/..;/nonce",
                "/v1/..%2fv1/nonce", "/v1/%2e%2e/v1/nonce", "/v1/nonce%23", "/v1\\nonce", "\\v1\\nonce", "v1/nonce",
            ]
        ) { context, path in
            await context.fire(.json(path, text: context.nonceText), expecting: .status(400, 404).orClosed)
        },
        .attack(
            "HT-09b", "A complete form is posted to other spellings of /token.",
            oracle: "The server responds with 404 to all but the exact path.", source: "CVE-2025-54576"
        ) { context in
            let form = [("grant_type", "authorization_code"), ("client_id", context.lab.application.clientID)]
            for path in [
                "//token", "/./token", "/token/", "/x/../token", "/%74oken", "/token%00", "/token;a=b", "/TOKEN",
                "\\token", "/token%2f", "/token%3fa=b", "/oauth/token", "/v1/token", "/token/token",
            ] {
                await context.fire(.form(path, form), expecting: .status(400, 404).orClosed)
            }
        },
        .attack(
            "HT-09c", "The URL of a POST contains parameters, which proxies may log.", severity: .medium,
            oracle: "The server responds with 400 malformed_body: it reads no parameters from the URL.",
            source: "RFC 6749 3.2; RFC 9700 4.3.2"
        ) { context in
            let form = [("grant_type", "authorization_code"), ("client_id", context.lab.application.clientID)]
            for query in ["?", "?a=b", "?code=a&client_id=b", "?grant_type=refresh_token"] {
                await context.fire(.form("/token" + query, form), expecting: .malformed("malformed_body"))
                await context.fire(
                    .json("/v1/nonce" + query, text: context.nonceText), expecting: .malformed("malformed_body"))
                await context.fire(
                    .json("/v1/exchange" + query, text: context.nonceText), expecting: .malformed("malformed_body"))
            }
        },
        .sweep(
            "HT-09d", "The callback is requested in other spellings and with unknown providers.", severity: .medium,
            oracle: "The server responds with an error page.", source: "CVE-2025-54576", needs: [.browserFlow],
            over: [
                "/callback/", "/callback/yahoo.com/", "/callback/yahoo.com/..", "/callback//yahoo.com",
                "/callback/YAHOO.COM", "/callback/yahoo%2ecom", "/callback/yahoo.com%00",
                "/callback/../callback/yahoo.com",
                "/callback/%2e%2e%2ftoken", "/callback/yahoo.com;a=b",
            ]
        ) { context, path in
            await context.fire(.get(path + "?code=a&state=b"), expecting: .page(400).or(.page(404)))
        },
        .sweep(
            "HT-25",
            "Paths and parameters contain percent-encoded CR, LF and NUL, followed by a header field.",
            oracle: "The server responds with 400 or 404 and sets no cookie of the attacker.",
            source: "GHSA-cq87-8r7h-962v; GHSA-7fj7-39wj-c64f", needs: [.browserFlow],
            over: [
                "%0d%0aSet-Cookie:%20evil=1", "%0aSet-Cookie:%20evil=1", "%00", "%E5%98%8A%E5%98%8DSet-Cookie:evil=1",
            ]
        ) { context, text in
            for target in [
                "/authorize?response_type=code&client_id=\(context.lab.application.clientID)&state=\(text)",
                "/authorize?redirect_uri=https://app.example/cb\(text)",
                "/callback/yahoo.com\(text)?code=a&state=b",
                "/callback/yahoo.com?error=\(text)&state=\(text)", "/\(text)",
            ] {
                let reply = await context.fire(.get(target), expecting: .status(400, 404))
                let cookies = reply.answer?.allFields("set-cookie") ?? []
                await context.expect(
                    !cookies.contains { $0.contains("evil") }, .echoed, "The response sets a cookie of the attacker.")
            }
        },
    )
}

extension Catalogue {
    static let adminPaths = Section(.http, .medium, needs: [.admin]).attacks(
        .attack(
            "HT-21a", "The admin listener gets requests for other paths, with other methods and large bodies.",
            oracle: "The server responds with 404 and 405; health responses name no version and no host.",
            source: "CVE-2026-34457"
        ) { context in
            let admin = try context.lab.needed(context.lab.admin, "admin listeners")
            for path in ["/", "/livez", "/health", "/readyz/", "/readyz?a=b", "/debug/pprof", "/metrics/", "/v1/nonce"]
            {
                await context.fire(.get(path), expecting: .status(404), at: admin)
            }
            for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"] {
                await context.fire(Request(method, "/readyz"), expecting: .status(405), at: admin)
            }
            let large = Request("GET", "/healthz", body: Array(repeating: 0x61, count: 100_000))
            await context.fire(
                large.with("Content-Length", "100000"), expecting: .status(200, 400, 413).orClosed, at: admin)
            for (path, text) in [("/healthz", #"{"status":"ok"}"#), ("/readyz", #"{"status":"ready"}"#)] {
                let answer = await context.fire(.get(path), expecting: .status(200), at: admin).answer
                await context.expect(answer?.text == text, .leaked, "\(path) returns more than its fixed text.")
            }
        },
        .sweep(
            "HT-21b", "The public listener is asked for admin paths with the User-Agent of a known prober.",
            oracle: "The server responds with 404, whatever the User-Agent.", source: "CVE-2026-34457",
            over: ["kube-probe/1.30", "ELB-HealthChecker/2.0", "GoogleHC/1.0", "Prometheus/2.0"]
        ) { context, agent in
            for path in ["/healthz", "/readyz", "/metrics"] {
                await context.fire(.get(path).with("User-Agent", agent), expecting: .status(404))
            }
            await context.fire(
                .json("/v1/exchange", text: "{}").with("User-Agent", agent), expecting: .malformed("missing_field"))
        },
    )
}

extension Catalogue {
    static let otherAddresses = Section(.http, .high, needs: []).attacks(
        .attack(
            "HT-08a", "Header fields that only a proxy may set name another host, scheme or path.",
            oracle: "The server ignores them: it builds every URL from the configured public URL.",
            source: "RFC 9700 4.13; CVE-2025-64484; CVE-2026-40575"
        ) { context in
            let target = "/.well-known/oauth-authorization-server"
            let plain = try await context.honest(.get(target))
            for (name, value) in [
                ("X-Forwarded-Host", "evil.example"), ("X-Forwarded-Proto", "gopher"), ("X-Forwarded-Port", "1"),
                ("Forwarded", "for=192.0.2.1;host=evil.example;proto=gopher"), ("X-Host", "evil.example"),
                ("X-Original-URL", "/token"), ("X-Rewrite-URL", "/token"), ("X-Forwarded-Prefix", "/evil.example"),
                ("X-Original-Host", "evil.example"), ("Host", "evil.example"),
            ] {
                let reply = await context.fire(.get(target).with(name, value), expecting: .status(200))
                await context.expect(
                    reply.answer?.body == plain.body, .wrongAnswer, "\(name) changes the metadata.")
            }
        },
        .sweep(
            "HT-08b", "A browser flow is begun with a forged Host and forged proxy fields.", severity: .critical,
            oracle: "The provider gets the configured redirect URI and never the attacker's host.",
            source: "CVE-2025-64484; host header injection", needs: [.browserFlow],
            over: [
                [("Host", "evil.example")], [("X-Forwarded-Host", "evil.example"), ("X-Forwarded-Proto", "https")],
                [("Forwarded", "host=evil.example;proto=https")], [("X-Original-Host", "evil.example")],
                [("Origin", "https://evil.example"), ("Referer", "https://evil.example/")],
            ]
        ) { context, fields in
            var request = context.authorize(verifier: String(repeating: "v", count: 43), state: "state")
            request.fields = fields.map { (name: $0.0, value: $0.1) }
            let answer = try await context.honest(request, status: 303, or: 200)
            let text = answer.fields.map { $0.value }.joined(separator: "\n") + answer.text
            await context.expect(
                !text.contains("evil.example"), .echoed, "The response contains the forged host.")
        },
        .attack(
            "HT-08c",
            "Proxy fields, some with underscores in their names, contain a marker that must not reach the log.",
            severity: .medium,
            oracle: "The server ignores the fields of an untrusted peer and does not log them.",
            source: "RFC 9700 4.13", needs: [.logs]
        ) { context in
            let canary = try await context.canary()
            for name in forwarding {
                await context.fire(
                    .json("/v1/nonce", text: "{}").with(name, canary), expecting: .malformed("missing_field"))
            }
        },
    )

    /// Header fields in which proxies report the address of the client.
    static let forwarding = [
        "X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP", "X-Client-IP",
        "X-Cluster-Client-IP", "Fastly-Client-IP", "X_Forwarded_For",
    ]
}
