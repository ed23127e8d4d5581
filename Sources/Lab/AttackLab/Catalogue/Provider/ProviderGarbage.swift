internal import Jansson

extension Catalogue {
    /// Responses that are valid only as HTTP: UP-08, at each endpoint that identifies a user.
    static let providerGarbage: [Attack] =
        [
            ("a", "HTML", ["body": "<!DOCTYPE html><title>Sign in</title>", "header": ["Content-Type": "text/html"]]),
            ("c", "nothing", ["body": ""]),
            ("d", "`null`", ["body": "null"]),
            ("e", "`[]`", ["body": "[]"]),
            ("f", "a number", ["body": "42"]),
            ("g", "a text", ["body": "\"ok\""]),
            ("h", "`{}`", ["body": "{}"]),
            ("i", "JSON followed by text", ["body": "{} {}"]),
            ("j", "JSON after a byte-order mark", ["body": "\u{FEFF}{}"]),
            ("k", "JSON with an anti-hijacking prefix", ["body": ")]}'\n{}"]),
            ("l", "an incomplete object", ["body": "{\"access_token\":\"a\",\"token_type\":\"bearer\""]),
            ("n", "XML", ["body": "<?xml version=\"1.0\"?><id>1</id>", "header": ["Content-Type": "application/xml"]]),
            ("o", "objects nested 3,000 deep", ["body": "{\"a\":", "body_repeat": 3000]),
        ].map { (letter: String, what: String, fault: JSON) in
            Attack(
                "UP-08" + letter, .provider, .medium,
                "All endpoints that identify a user respond with \(what).",
                oracle: "The server responds with 502, signs no user in, and keeps running.",
                source: "RFC 8259; garbage tests", needs: [.standIns, .oauth1]
            ) { context in
                // A page at a token endpoint shows that its URL is wrong.
                let expected =
                    ["a", "n"].contains(letter)
                    ? Expectation.unusable("provider_response_invalid", "provider_error")
                    : .unusable("provider_response_invalid")
                try await context.fire(garbage: fault, expecting: expected)
            }
        } + [
            Attack(
                "UP-08p", .provider, .medium,
                "All endpoints that identify a user respond with other statuses than their success.",
                oracle: "The server responds with 502 provider_error, regardless of the body.",
                source: "RFC 6749 5.1; RFC 9110 15.3",
                needs: [.standIns, .oauth1]
            ) { context in
                let body =
                    "{\"access_token\":\"a\",\"token_type\":\"bearer\",\"id_str\":\"1666\",\"data\":{\"id\":\"1666\"}}"
                for status: JSON in [202, 204, 206, 304, 500] {
                    try await context.fire(
                        garbage: ["status": status, "body": .string(body)], expecting: .unusable("provider_error"))
                }
            },
            Attack(
                "UP-15", .provider, .high,
                "Errors of every endpoint contain markup, the server's secrets and line breaks.",
                oracle: "The server uses fixed texts; neither responses nor the log repeat anything.",
                source: "RFC 6819 4.6.7",
                needs: [.standIns, .oauth1, .logs]
            ) { context in
                let canary = try await context.canary()
                for secret in [
                    "sandbox-yahoo-secret-of-ours", "sandbox-x-client-secret-of-ours",
                    "sandbox-x-consumer-secret-of-ours",
                ] { await context.secret(secret) }
                let body =
                    "sandbox-x-client-secret-of-ours sandbox-yahoo-secret-of-ours "
                    + "sandbox-x-consumer-secret-of-ours\r\n<script>\(canary)</script>"
                for status: JSON in [403, 500, 503] {
                    try await context.fire(
                        garbage: [
                            "status": status, "body": .string(body),
                            "header": [
                                "X-Error": .string(canary), "WWW-Authenticate": .string("Bearer realm=\(canary)"),
                            ],
                        ],
                        expecting: .unusable("provider_error", "provider_response_invalid", "provider_refuses_us")
                            .or(.refused("code_rejected", "token_rejected")))
                }
            },
        ]
}

extension AttackContext {
    /// Calls each endpoint that identifies a user while it has this fault.
    fileprivate func fire(garbage fault: JSON, expecting expectation: Expectation) async throws {
        func place(_ targets: [String]) async throws {
            for target in targets { try await standIns.fault(fault.setting(["target"], to: .string(target))) }
        }
        let codes = [exchange(try await yahooCode()), exchange(try await xCode())]
        let pair = try await exchange(fresh: try await pair())
        try await place(["yahoo.token", "x.oauth2_token", "x.verify_credentials", "x.users_me"])
        for request in codes + [pair] { await fire(request, expecting: expectation) }
        let last = exchange(try await xCode())
        try await standIns.fault(["target": "x.oauth2_token", "times": 1, "delay_ms": 0])
        await fire(last, expecting: expectation)
    }
}

extension Catalogue {
    /// Members of the token endpoint's response: UP-09.
    static let tokenGarbage: [Attack] = [
        ("e", "an ID token of 70 KB", ["set": ["id_token": .string(String(repeating: "a", count: 70_000))]]),
        ("f", "an ID token that is an object", ["set": ["id_token": ["sub": "ALICEWJNWVNQD4GXZ5NGMZUST4"]]]),
        ("g", "no ID token", ["remove": ["id_token"]]),
        ("h", "an ID token that is null", ["set": ["id_token": .null]]),
        (
            "k", "an `expires_in` of 1e400",
            ["body": "{\"access_token\":\"a\",\"token_type\":\"bearer\",\"expires_in\":1e400}"]
        ),
        (
            "l", "a duplicate access token",
            ["body": "{\"access_token\":\"a\",\"access_token\":\"b\",\"token_type\":\"bearer\"}"]
        ),
        ("m", "`error` and valid other members", ["set": ["error": "invalid_grant"]]),
        ("n", "U+0000 in the access token", ["body": "{\"access_token\":\"a\\u0000b\",\"token_type\":\"bearer\"}"]),
        ("o", "half of a surrogate pair", ["body": "{\"access_token\":\"a\\ud800\",\"token_type\":\"bearer\"}"]),
        ("p", "an ID token that is not a JWT", ["set": ["id_token": "e30"]]),
        ("q", "an empty ID token", ["set": ["id_token": ""]]),
    ].map { (letter: String, what: String, fault: JSON) in
        Attack(
            "UP-09" + letter, .provider, .medium, "Yahoo's token endpoint responds with \(what).",
            oracle: "The server refuses the response with 502 or as an invalid ID token, and keeps running.",
            source: "RFC 6749 5.1; RFC 8259; jansson"
        ) { context in
            let request = context.exchange(try await context.yahooCode())
            try await context.standIns.fault(
                fault.setting(["target"], to: "yahoo.token").setting(["times"], to: 1))
            await context.fire(
                request,
                expecting: .unusable("provider_response_invalid").or(
                    .refused("malformed_token", "at_hash_mismatch", "code_rejected")))
        }
    }
}
