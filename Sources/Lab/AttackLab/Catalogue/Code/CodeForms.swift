internal import Jansson
internal import OpenSSL

extension Catalogue {
    static let codeForms: [Attack] =
        [
            Attack(
                "EX-06", .code, .medium,
                "The verifier has a wrong length or characters that RFC 7636 does not allow.",
                oracle: "The server responds with malformed_body and does not call the provider.",
                source: "RFC 7636 4.1"
            ) { context in
                let code = try await context.xCode()
                let mark = try await context.mark()
                let good = String(repeating: "a", count: 42)
                let verifiers: [String] = [
                    good, String(repeating: "a", count: 129), good + "+", good + " ", good + "é", good + "/",
                    good + "=", good + "\n", good + "%41",
                ]
                for verifier in verifiers {
                    await context.fire(
                        context.exchange(code.with("code_verifier", .string(verifier))),
                        expecting: .malformed("malformed_body"))
                }
                for value: JSON in ["", .null, 1, ["a"]] {
                    await context.fire(
                        context.exchange(code.with("code_verifier", value)),
                        expecting: value == .null
                            ? .malformed("pkce_required", "malformed_body") : .malformed("malformed_body"))
                }
                try await context.expectCalls(["x.oauth2_token": 0], since: mark)
                try await context.mustStillWork(context.exchange(code))
            },
            Attack(
                "EX-21a", .code, .high,
                "A code is posted with an unknown client id, or with another spelling of a known one.",
                oracle: "The server responds with 401 invalid_client and does not call the provider.",
                source: "RFC 6749 5.2"
            ) { context in
                let code = try await context.yahooCode()
                let mark = try await context.mark()
                for clientID in ["unknown-client", "MY-APP", "my-app ", "my-app\u{200B}", "my‑app", "../my-app"] {
                    await context.fire(
                        context.exchange(code, clientID: clientID),
                        expecting: .unknownClient)
                }
                try await context.expectCalls(["yahoo.token": 0], since: mark)
                try await context.mustStillWork(context.exchange(code))
            },
            Attack(
                "EX-21b", .code, .high, "A code is posted for a client that may not use the provider.",
                oracle: "The server responds with 403 provider_disabled and does not call the provider.",
                source: "dex GHSA-7qjx-gp9h-65qj", needs: [.standIns, .sessions]
            ) { context in
                let code = try await context.yahooCode()
                let mark = try await context.mark()
                await context.fire(
                    context.exchange(code, clientID: "x-only"),
                    expecting: .denied("provider_disabled"))
                try await context.expectCalls(["yahoo.token": 0], since: mark)
            },
            Attack(
                "EX-23a", .code, .critical, "The nonce is missing, empty or not a string.",
                oracle:
                    """
                    The server responds with invalid_request and does not call the provider; the code can \
                    still be redeemed.
                    """,
                source: "SUPA token_oidc.go; OIDC Core 3.1.3.7"
            ) { context in
                let code = try await context.yahooCode()
                let mark = try await context.mark()
                await context.fire(context.exchange(code.with("nonce", nil)), expecting: .malformed("missing_field"))
                for value: JSON in ["", .null, 7, true, ["n"], ["n": "n"]] {
                    await context.fire(
                        context.exchange(code.with("nonce", value)),
                        expecting: value == .null
                            ? .malformed("missing_field", "malformed_body") : .malformed("malformed_body"))
                }
                try await context.expectCalls(["yahoo.token": 0], since: mark)
                try await context.mustStillWork(context.exchange(code))
            },
            Attack(
                "EX-23b", .code, .high,
                "The hash of the nonce is posted although the ID token contains the nonce itself.",
                oracle: "The server responds with nonce_mismatch.", source: "SUPA token_oidc.go",
                reveals: [.nonceIgnored]
            ) { context in
                let nonce = Base64.urlEncode(try SecureRandom.bytes(16))
                let code = try await context.yahooCode(nonce: nonce)
                await context.fire(
                    context.exchange(code.with("nonce", .string(AttackContext.challenge(nonce)))),
                    expecting: .refused("nonce_mismatch"))
            },
            Attack(
                "EX-23c", .code, .high, "The nonce is posted although the ID token contains its hash.",
                oracle: "The server responds with nonce_mismatch: it compares the value that was sent to the provider.",
                source: "SUPA token_oidc.go", reveals: [.nonceIgnored]
            ) { context in
                let nonce = Base64.urlEncode(try SecureRandom.bytes(16))
                let code = try await context.yahooCode(nonce: AttackContext.challenge(nonce))
                await context.fire(
                    context.exchange(code.with("nonce", .string(nonce))), expecting: .refused("nonce_mismatch"))
            },
            Attack(
                "EX-25", .code, .high,
                "The redirect URI is not registered, or is another spelling of a registered one.",
                oracle:
                    """
                    The server compares each character, responds with redirect_uri_not_allowed and does not \
                    call the provider.
                    """,
                source: "RFC 9700 4.1.3; RFC 6749 4.1.3"
            ) { context in
                let code = try await context.yahooCode()
                let mark = try await context.mark()
                let registered = context.lab.application.yahooRedirectURI
                let spellings: [String] = [
                    registered + "/", registered + "?", registered + "#", registered + "/../yahoo",
                    registered.uppercased(), registered + "%00", "com.example.app:/%79ahoo", "com.example.app://yahoo",
                    " " + registered, "com.example.hostile:/yahoo", context.lab.application.redirectURI,
                    "javascript:alert(1)",
                ]
                for spelling in spellings {
                    await context.fire(
                        context.exchange(code.with("redirect_uri", .string(spelling))),
                        expecting: .malformed("redirect_uri_not_allowed"))
                }
                await context.fire(
                    context.exchange(code.with("redirect_uri", nil)), expecting: .malformed("missing_field"))
                try await context.expectCalls(["yahoo.token": 0], since: mark)
                try await context.mustStillWork(context.exchange(code))
            },
            Attack(
                "EX-26", .code, .medium, "The code is empty, too long, or not a string.",
                oracle: "The server responds with invalid_request and does not call the provider.",
                source: "token-exchange API"
            ) { context in
                let code = try await context.yahooCode()
                let mark = try await context.mark()
                let values: [JSON] = [
                    "", .null, 1234567, true, [.string(code.code)], ["code": .string(code.code)],
                    .string(String(repeating: "x", count: 4097)), .string(code.code + "\r\n"), .string("\u{0}"),
                ]
                for value in values {
                    await context.fire(
                        context.exchange(code.with("code", value)),
                        expecting: value == .null
                            ? .malformed("missing_field", "malformed_body") : .malformed("malformed_body"))
                }
                let without = code.with("type", "authorization_code").members
                await context.fire(context.exchange(.object(without)), expecting: .malformed("missing_field"))
                try await context.expectCalls(["yahoo.token": 0], since: mark)
                try await context.mustStillWork(context.exchange(code))
            },
            Attack(
                "EX-35", .code, .medium, "The attacker guesses codes of Yahoo, which have seven characters.",
                oracle:
                    """
                    The server refuses each guess, soon with 429 and Retry-After; it makes no more calls than \
                    the limit allows.
                    """,
                source: "RFC 6749 10.10; RFC 6819 4.4.1.3", needs: [.standIns, .processes]
            ) { context in
                var plan = ServerPlan("limited-\(context.attack.id)")
                plan.set("limits/exchange_per_address", "10/min")
                try await context.withServer(plan) { server in
                    let mark = try await context.mark()
                    var limited = 0
                    for number in 0..<30 {
                        let code = IssuedCode(
                            provider: "yahoo.com", code: "guess\(number)",
                            members: [
                                "redirect_uri": .string(context.lab.application.yahooRedirectURI),
                                "nonce": "a-nonce-of-mine-0001",
                            ])
                        let reply = await context.fire(
                            context.exchange(code), expecting: .refusedOrLimited("code_rejected"), at: server.wire)
                        if reply.answer?.status == 429 {
                            limited += 1
                            await context.expect(
                                reply.answer?.field("retry-after") != nil, .wrongAnswer,
                                "The 429 response has no Retry-After field."
                            )
                        }
                    }
                    await context.expect(limited >= 15, .wrongAnswer, "Only \(limited) of 30 guesses were limited.")
                    try await context.expectCalls(["yahoo.token": 30 - limited], since: mark)
                }
            },
            Attack(
                "EX-36", .code, .medium, "The provider id is spelled differently, or belongs to another provider.",
                oracle:
                    "The server responds with unknown_provider and calls no provider; the code can still be redeemed.",
                source: "RFC 9700 4.4; CWE-178"
            ) { context in
                let code = try await context.yahooCode()
                let mark = try await context.mark()
                for name in [
                    "YAHOO.COM", "yahoo.com ", "yahoo.com.", "yahoo", "yahoo.com/../twitter.com", "yahoo。com",
                    "yahoo.com,twitter.com", "*", "google.com", "password", "anonymous", "firebase", "custom",
                ] {
                    await context.fire(
                        context.exchange(code, provider: name), expecting: .malformed("unknown_provider"))
                }
                try await context.expectCalls(["yahoo.token": 0], since: mark)
                try await context.mustStillWork(context.exchange(code))
            },
        ]
}

extension Expectation {
    /// Expects 400 `invalid_grant` with this reason, or 429.
    fileprivate static func refusedOrLimited(_ reason: String) -> Self {
        Self(
            statuses: [400, 429], errors: ["invalid_grant", "temporarily_unavailable"],
            reasons: [reason, "rate_limited"])
    }
}
