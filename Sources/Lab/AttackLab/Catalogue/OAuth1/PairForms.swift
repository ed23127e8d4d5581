internal import Jansson

extension Catalogue {
    static let pairForms = Section(.oauth1, .high, needs: [.standIns, .oauth1]).attacks(
        .attack(
            "O1-05a", "Token or secret contain line breaks, NUL or 10 KB, or are not strings.",
            oracle: "The server responds with invalid_request, malformed_body, and does not call X.",
            source: "curl libcurl-security (CRLF)"
        ) { context in
            let pair = try await context.pair()
            let nonce = try await context.xNonce()
            let mark = try await context.mark()
            let values: [JSON] = [
                "a\r\nX-Evil: 1", "a\n", "\r", "\u{0}", "a\u{0}b", "\u{7F}", "", .null, 1, ["a"], ["a": "b"],
                .string(String(repeating: "a", count: 10_240)),
            ]
            for value in values {
                for member in ["oauth_token", "oauth_token_secret"] {
                    await context.fire(
                        context.exchange(pair, nonce: nonce, further: [member: value]),
                        expecting: value == .null
                            ? .malformed("missing_field", "malformed_body") : .malformed("malformed_body"))
                }
            }
            try await context.expectCalls(["x.verify_credentials": 0], since: mark)
            try await context.mustStillWork(context.exchange(pair, nonce: nonce))
        },
        .attack(
            "O1-05b",
            "Token or secret contain characters with a meaning in the signature base string or the header field.",
            severity: .critical,
            oracle:
                "The server responds with token_rejected: it sends each as one percent-encoded value.",
            source: "RFC 5849 3.4.1, 3.5.1, 3.6"
        ) { context in
            let pair = try await context.pair()
            let texts: [String] = [
                "&oauth_consumer_key=x", "=", "%", "%26", "\", oauth_token=\"1-a", ",oauth_token=x", "'", "\\", "+",
                " a",
                "é", "\u{2028}", "💥", "a&b=c", "#", "?", "/../",
            ]
            let mark = try await context.mark()
            for text in texts {
                var changed = pair
                changed.token += text
                await context.fire(
                    try await context.exchange(fresh: changed), expecting: .refused("token_rejected"))
                changed = pair
                changed.secret += text
                await context.fire(
                    try await context.exchange(fresh: changed), expecting: .refused("token_rejected"))
            }
            let seen = try await context.standIns.requests(since: mark)
                .filter { $0["endpoint"]?.string == "x.verify_credentials" }
            await context.expect(
                seen.count == texts.count * 2 && seen.allSatisfy { $0["status"]?.integer == 401 }, .sideEffect,
                "X received something other than an unknown token or a wrong signature.")
        },
        .attack(
            "O1-21", "Token credentials are posted without the token, without the secret, or with duplicate members.",
            severity: .medium,
            oracle: "The server responds with invalid_request and does not call X.", source: "token-exchange API"
        ) { context in
            let pair = try await context.pair()
            let nonce = try await context.xNonce()
            let mark = try await context.mark()
            let request = context.exchange(pair, nonce: nonce)
            for member in ["oauth_token", "oauth_token_secret"] {
                let good = try JSON.parse(request.body, maximumBytes: 1 << 16)
                let body = good.setting(["credential", member], to: nil)
                await context.fire(.json("/v1/exchange", body), expecting: .malformed("missing_field"))
                let doubled = String(decoding: request.body, as: UTF8.self)
                    .replacing("\"\(member)\":", with: "\"\(member)\":\"1-other\",\"\(member)\":")
                await context.fire(.json("/v1/exchange", text: doubled), expecting: .malformed("duplicate_parameter"))
            }
            try await context.expectCalls(["x.verify_credentials": 0], since: mark)
            try await context.mustStillWork(request)
        },
        .attack(
            "O1-22", "Token credentials are posted to a server whose configuration permits only codes.",
            oracle: "The server responds with invalid_request, unsupported_credential, and does not call X.",
            source: "token-exchange API",
            needs: [.standIns, .oauth1, .processes]
        ) { context in
            let pair = try await context.pair()
            var plan = ServerPlan("codes-alone")
            plan.sharesStore = true
            plan.set("providers/twitter.com/accept", ["authorization_code"])
            let request = try await context.exchange(fresh: pair)
            try await context.withServer(plan) { server in
                let mark = try await context.mark()
                await context.fire(request, expecting: .malformed("unsupported_credential"), at: server.wire)
                try await context.expectCalls(["x.verify_credentials": 0], since: mark)
            }
        },
    )
}
