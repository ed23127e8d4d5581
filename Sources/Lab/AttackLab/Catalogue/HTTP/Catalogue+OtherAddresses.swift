extension Catalogue {
    static let otherAddresses = Section(.http, .high, needs: []).attacks(
        .attack(
            "HT-08a", "Fields that only a proxy may set name another host, scheme or path.",
            oracle: "Ignored: every URL is made of the configured public URL.",
            source: "RFC 9700 4.13; CVE-2025-64484; CVE-2026-40575"
        ) { strike in
            let target = "/.well-known/oauth-authorization-server"
            let plain = try await strike.honest(.get(target))
            for (name, value) in [
                ("X-Forwarded-Host", "evil.example"), ("X-Forwarded-Proto", "gopher"), ("X-Forwarded-Port", "1"),
                ("Forwarded", "for=192.0.2.1;host=evil.example;proto=gopher"), ("X-Host", "evil.example"),
                ("X-Original-URL", "/token"), ("X-Rewrite-URL", "/token"), ("X-Forwarded-Prefix", "/evil.example"),
                ("X-Original-Host", "evil.example"), ("Host", "evil.example"),
            ] {
                let reply = await strike.fire(.get(target).with(name, value), expecting: .status(200))
                await strike.expect(
                    reply.answer?.body == plain.body, .wrongAnswer, "\(name) changes what the metadata say.")
            }
        },
        .sweep(
            "HT-08b", "A browser flow is begun with a forged Host and forged proxy fields.", severity: .critical,
            oracle: "The provider is given the configured redirect URI, and never the attacker's host.",
            source: "CVE-2025-64484; host header injection", needs: [.browserFlow],
            over: [
                [("Host", "evil.example")], [("X-Forwarded-Host", "evil.example"), ("X-Forwarded-Proto", "https")],
                [("Forwarded", "host=evil.example;proto=https")], [("X-Original-Host", "evil.example")],
                [("Origin", "https://evil.example"), ("Referer", "https://evil.example/")],
            ]
        ) { strike, fields in
            var request = strike.authorize(verifier: String(repeating: "v", count: 43), state: "state")
            request.fields = fields.map { (name: $0.0, value: $0.1) }
            let answer = try await strike.honest(request, status: 303, or: 200)
            let text = answer.fields.map { $0.value }.joined(separator: "\n") + answer.text
            await strike.expect(
                !text.contains("evil.example"), .echoed, "The forged host stands in the answer.")
        },
        .attack(
            "HT-08c", "An address in fields of proxies, underscored ones among them, is to be logged.",
            severity: .medium,
            oracle: "From a peer that is no trusted proxy they are ignored: they do not reach the log.",
            source: "RFC 9700 4.13", needs: [.logs]
        ) { strike in
            let canary = try await strike.canary()
            for name in forwarding {
                await strike.fire(
                    .json("/v1/nonce", text: "{}").with(name, canary), expecting: .malformed("missing_field"))
            }
        },
    )

    /// Fields in which proxies say who asked.
    static let forwarding = [
        "X-Forwarded-For", "X-Real-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP", "X-Client-IP",
        "X-Cluster-Client-IP", "Fastly-Client-IP", "X_Forwarded_For",
    ]
}
