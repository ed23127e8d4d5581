internal import Jansson
internal import OpenSSL

extension Catalogue {
    static let codeForms: [Attack] =
        [
            Attack(
                "EX-06", .code, .medium,
                "The verifier has 42 or 129 characters, or ones that RFC 7636 does not know.",
                oracle: "invalid_request, malformed_body; the provider is not asked.", source: "RFC 7636 4.1"
            ) { strike in
                let code = try await strike.xCode()
                let mark = try await strike.mark()
                let good = String(repeating: "a", count: 42)
                let verifiers: [String] = [
                    good, String(repeating: "a", count: 129), good + "+", good + " ", good + "é", good + "/",
                    good + "=", good + "\n", good + "%41",
                ]
                for verifier in verifiers {
                    await strike.fire(
                        strike.exchange(code.with("code_verifier", .string(verifier))),
                        expecting: .malformed("malformed_body"))
                }
                for value: JSON in ["", .null, 1, ["a"]] {
                    await strike.fire(
                        strike.exchange(code.with("code_verifier", value)), expecting: .malformed("malformed_body"))
                }
                try await strike.expectCalls(["x.oauth2_token": 0], since: mark)
                try await strike.mustStillWork(strike.exchange(code))
            },
            Attack(
                "EX-21a", .code, .high,
                "A code is posted for a client that is not known, or whose id is written otherwise.",
                oracle: "401 invalid_client; the provider is not asked.", source: "RFC 6749 5.2"
            ) { strike in
                let code = try await strike.yahooCode()
                let mark = try await strike.mark()
                for clientID in ["unknown-client", "MY-APP", "my-app ", "my-app\u{200B}", "my‑app", "../my-app"] {
                    await strike.fire(
                        strike.exchange(code, clientID: clientID),
                        expecting: .refused("unknown_client", status: 401, error: "invalid_client"))
                }
                try await strike.expectCalls(["yahoo.token": 0], since: mark)
                try await strike.mustStillWork(strike.exchange(code))
            },
            Attack(
                "EX-21b", .code, .high, "A code is posted for a client that may not use the provider.",
                oracle: "403 access_denied, provider_disabled; the provider is not asked.",
                source: "dex GHSA-7qjx-gp9h-65qj", needs: [.standIns, .sessions]
            ) { strike in
                let code = try await strike.yahooCode()
                let mark = try await strike.mark()
                await strike.fire(
                    strike.exchange(code, clientID: "x-only"),
                    expecting: .refused("provider_disabled", status: 403, error: "access_denied"))
                try await strike.expectCalls(["yahoo.token": 0], since: mark)
            },
            Attack(
                "EX-23a", .code, .critical, "The nonce is left out, empty or no text.",
                oracle: "invalid_request; the provider is not asked, and the code stays good.",
                source: "SUPA token_oidc.go; OIDC Core 3.1.3.7"
            ) { strike in
                let code = try await strike.yahooCode()
                let mark = try await strike.mark()
                await strike.fire(strike.exchange(code.with("nonce", nil)), expecting: .malformed("missing_field"))
                for value: JSON in ["", .null, 7, true, ["n"], ["n": "n"]] {
                    await strike.fire(
                        strike.exchange(code.with("nonce", value)), expecting: .malformed("malformed_body"))
                }
                try await strike.expectCalls(["yahoo.token": 0], since: mark)
                try await strike.mustStillWork(strike.exchange(code))
            },
            Attack(
                "EX-23b", .code, .high, "The hash of the nonce is posted, where the ID token holds the nonce itself.",
                oracle: "invalid_grant, nonce_mismatch.", source: "SUPA token_oidc.go", reveals: [.nonceIgnored]
            ) { strike in
                let nonce = Base64.urlEncode(try SecureRandom.bytes(16))
                let code = try await strike.yahooCode(nonce: nonce)
                await strike.fire(
                    strike.exchange(code.with("nonce", .string(Strike.challenge(nonce)))),
                    expecting: .refused("nonce_mismatch"))
            },
            Attack(
                "EX-23c", .code, .high, "The nonce is posted, where the ID token holds the hash of it.",
                oracle: "invalid_grant, nonce_mismatch: what was sent to the provider is what is compared.",
                source: "SUPA token_oidc.go", reveals: [.nonceIgnored]
            ) { strike in
                let nonce = Base64.urlEncode(try SecureRandom.bytes(16))
                let code = try await strike.yahooCode(nonce: Strike.challenge(nonce))
                await strike.fire(
                    strike.exchange(code.with("nonce", .string(nonce))), expecting: .refused("nonce_mismatch"))
            },
            Attack(
                "EX-25", .code, .high, "The redirect URI is one that is not registered, or is written otherwise.",
                oracle:
                    "invalid_request, redirect_uri_not_allowed, character for character; the provider is not asked.",
                source: "RFC 9700 4.1.3; RFC 6749 4.1.3"
            ) { strike in
                let code = try await strike.yahooCode()
                let mark = try await strike.mark()
                let registered = strike.lab.application.yahooRedirectURI
                let spellings: [String] = [
                    registered + "/", registered + "?", registered + "#", registered + "/../yahoo",
                    registered.uppercased(), registered + "%00", "com.example.app:/%79ahoo", "com.example.app://yahoo",
                    " " + registered, "com.example.hostile:/yahoo", strike.lab.application.redirectURI,
                    "javascript:alert(1)",
                ]
                for spelling in spellings {
                    await strike.fire(
                        strike.exchange(code.with("redirect_uri", .string(spelling))),
                        expecting: .malformed("redirect_uri_not_allowed"))
                }
                await strike.fire(
                    strike.exchange(code.with("redirect_uri", nil)), expecting: .malformed("missing_field"))
                try await strike.expectCalls(["yahoo.token": 0], since: mark)
                try await strike.mustStillWork(strike.exchange(code))
            },
            Attack(
                "EX-26", .code, .medium, "The code is empty, too long, or no text.",
                oracle: "invalid_request; the provider is not asked.", source: "token-exchange API"
            ) { strike in
                let code = try await strike.yahooCode()
                let mark = try await strike.mark()
                let values: [JSON] = [
                    "", .null, 1234567, true, [.string(code.code)], ["code": .string(code.code)],
                    .string(String(repeating: "x", count: 4097)), .string(code.code + "\r\n"), .string("\u{0}"),
                ]
                for value in values {
                    await strike.fire(
                        strike.exchange(code.with("code", value)), expecting: .malformed("malformed_body"))
                }
                let without = code.with("type", "authorization_code").members
                await strike.fire(strike.exchange(.object(without)), expecting: .malformed("missing_field"))
                try await strike.expectCalls(["yahoo.token": 0], since: mark)
                try await strike.mustStillWork(strike.exchange(code))
            },
            Attack(
                "EX-35", .code, .medium, "Codes of Yahoo's, seven characters long, are guessed.",
                oracle:
                    "Refused, and soon 429 with Retry-After; the provider hears no more than the limit lets through.",
                source: "RFC 6749 10.10; RFC 6819 4.4.1.3", needs: [.standIns, .processes]
            ) { strike in
                var plan = ServerPlan("limited-\(strike.attack.id)")
                plan.set("limits/exchange_per_address", "10/min")
                try await strike.withServer(plan) { server in
                    let mark = try await strike.mark()
                    var limited = 0
                    for number in 0..<30 {
                        let code = IssuedCode(
                            provider: "yahoo.com", code: "guess\(number)",
                            members: [
                                "redirect_uri": .string(strike.lab.application.yahooRedirectURI),
                                "nonce": "a-nonce-of-mine-0001",
                            ])
                        let reply = await strike.fire(
                            strike.exchange(code), expecting: .refusedOrLimited("code_rejected"), at: server.wire)
                        if reply.answer?.status == 429 {
                            limited += 1
                            await strike.expect(
                                reply.answer?.field("retry-after") != nil, .wrongAnswer, "429 came without Retry-After."
                            )
                        }
                    }
                    await strike.expect(limited >= 15, .wrongAnswer, "Only \(limited) of 30 guesses were held off.")
                    try await strike.expectCalls(["yahoo.token": 30 - limited], since: mark)
                }
            },
            Attack(
                "EX-36", .code, .medium, "The provider's id is written in other ways, or is another's.",
                oracle: "invalid_request, unknown_provider; no provider is called, and the code stays valid.",
                source: "RFC 9700 4.4; CWE-178"
            ) { strike in
                let code = try await strike.yahooCode()
                let mark = try await strike.mark()
                for name in [
                    "YAHOO.COM", "yahoo.com ", "yahoo.com.", "yahoo", "yahoo.com/../twitter.com", "yahoo。com",
                    "yahoo.com,twitter.com", "*", "google.com", "password", "anonymous", "firebase", "custom",
                ] {
                    await strike.fire(
                        strike.exchange(code, provider: name), expecting: .malformed("unknown_provider"))
                }
                try await strike.expectCalls(["yahoo.token": 0], since: mark)
                try await strike.mustStillWork(strike.exchange(code))
            },
        ]
}

extension Expectation {
    /// 400 `invalid_grant` with this reason, or 429.
    fileprivate static func refusedOrLimited(_ reason: String) -> Self {
        Self(
            statuses: [400, 429], errors: ["invalid_grant", "temporarily_unavailable"],
            reasons: [reason, "rate_limited"])
    }
}
