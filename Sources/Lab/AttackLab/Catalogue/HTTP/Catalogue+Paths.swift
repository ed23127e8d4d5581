extension Catalogue {
    static let paths = Section(.http, .high, needs: []).attacks(
        .sweep(
            "HT-09a", "Endpoints are asked for in all spellings that a proxy may take for the same path.",
            oracle: "404 for all but the exact path, so that no rule of a proxy is passed by.",
            source: "CVE-2025-54576; CVE-2026-41059",
            over: [
                "//v1/nonce", "/./v1/nonce", "/v1/nonce/", "/v1/./nonce", "/v1//nonce", "/x/../v1/nonce",
                "/v1/%6eonce", "/%76%31/nonce", "/v1%2fnonce", "/v1/nonce%00", "/v1/nonce%20", "/v1/nonce;a=b",
                "/v1;a=b/nonce", "/V1/NONCE", "/v1/Nonce", "/v1/nonce.json", "/v1/nonce/.", "/v1/nonce/..;/nonce",
                "/v1/..%2fv1/nonce", "/v1/%2e%2e/v1/nonce", "/v1/nonce%23", "/v1\\nonce", "\\v1\\nonce", "v1/nonce",
            ]
        ) { strike, path in
            await strike.fire(.json(path, text: strike.nonceText), expecting: .status(400, 404).orClosed)
        },
        .attack(
            "HT-09b", "The same is done to POST /token, with a whole form behind it.",
            oracle: "404 for all but the exact path.", source: "CVE-2025-54576"
        ) { strike in
            let form = [("grant_type", "authorization_code"), ("client_id", strike.lab.application.clientID)]
            for path in [
                "//token", "/./token", "/token/", "/x/../token", "/%74oken", "/token%00", "/token;a=b", "/TOKEN",
                "\\token", "/token%2f", "/token%3fa=b", "/oauth/token", "/v1/token", "/token/token",
            ] {
                await strike.fire(.form(path, form), expecting: .status(400, 404).orClosed)
            }
        },
        .attack(
            "HT-09c", "Parameters stand in the URL of a POST, where they are logged on the way.", severity: .medium,
            oracle: "400 malformed_body: nothing is taken from the URL.", source: "RFC 6749 3.2; RFC 9700 4.3.2"
        ) { strike in
            let form = [("grant_type", "authorization_code"), ("client_id", strike.lab.application.clientID)]
            for query in ["?", "?a=b", "?code=a&client_id=b", "?grant_type=refresh_token"] {
                await strike.fire(.form("/token" + query, form), expecting: .malformed("malformed_body"))
                await strike.fire(
                    .json("/v1/nonce" + query, text: strike.nonceText), expecting: .malformed("malformed_body"))
                await strike.fire(
                    .json("/v1/exchange" + query, text: strike.nonceText), expecting: .malformed("malformed_body"))
            }
        },
        .sweep(
            "HT-09d", "The callback is asked for in other spellings, with providers that are none.", severity: .medium,
            oracle: "A page of refusal.", source: "CVE-2025-54576", needs: [.browserFlow],
            over: [
                "/callback/", "/callback/yahoo.com/", "/callback/yahoo.com/..", "/callback//yahoo.com",
                "/callback/YAHOO.COM", "/callback/yahoo%2ecom", "/callback/yahoo.com%00",
                "/callback/../callback/yahoo.com",
                "/callback/%2e%2e%2ftoken", "/callback/yahoo.com;a=b",
            ]
        ) { strike, path in
            await strike.fire(.get(path + "?code=a&state=b"), expecting: .page(400).or(.page(404)))
        },
        .sweep(
            "HT-25",
            "CR, LF and NUL are put into paths, queries and values, plain and percent-encoded, with a header behind.",
            oracle: "No header field of the attacker's in the answer, and one answer alone.",
            source: "GHSA-cq87-8r7h-962v; GHSA-7fj7-39wj-c64f", needs: [.browserFlow],
            over: [
                "%0d%0aSet-Cookie:%20evil=1", "%0aSet-Cookie:%20evil=1", "%00", "%E5%98%8A%E5%98%8DSet-Cookie:evil=1",
            ]
        ) { strike, text in
            for target in [
                "/authorize?response_type=code&client_id=\(strike.lab.application.clientID)&state=\(text)",
                "/authorize?redirect_uri=https://app.example/cb\(text)",
                "/callback/yahoo.com\(text)?code=a&state=b",
                "/callback/yahoo.com?error=\(text)&state=\(text)", "/\(text)",
            ] {
                let reply = await strike.fire(.get(target), expecting: .status(400, 404))
                let cookies = reply.answer?.allFields("set-cookie") ?? []
                await strike.expect(
                    !cookies.contains { $0.contains("evil") }, .echoed, "A cookie of the attacker's was set.")
            }
        },
    )
}
