internal import Jansson

extension Catalogue {
    /// Responses that are valid only as HTTP: UP-08, at each endpoint that identifies a person.
    static let providerGarbage: [Attack] =
        [
            ("a", "HTML", ["body": "<!DOCTYPE html><title>Sign in</title>", "header": ["Content-Type": "text/html"]]),
            ("b", "JSON that says it is HTML", ["header": ["Content-Type": "text/html; charset=utf-8"]]),
            ("c", "nothing", ["body": ""]),
            ("d", "`null`", ["body": "null"]),
            ("e", "`[]`", ["body": "[]"]),
            ("f", "a number", ["body": "42"]),
            ("g", "a text", ["body": "\"ok\""]),
            ("h", "`{}`", ["body": "{}"]),
            ("i", "JSON with text behind it", ["body": "{} {}"]),
            ("j", "JSON behind a byte order mark", ["body": "\u{FEFF}{}"]),
            ("k", "JSON as script", ["body": ")]}'\n{}"]),
            ("l", "half an object", ["body": "{\"access_token\":\"a\",\"token_type\":\"bearer\""]),
            ("m", "JSON in no type at all", ["header": ["Content-Type": ""]]),
            ("n", "XML", ["body": "<?xml version=\"1.0\"?><id>1</id>", "header": ["Content-Type": "application/xml"]]),
            ("o", "objects 3,000 deep", ["body": "{\"a\":", "body_repeat": 3000]),
        ].map { (letter: String, what: String, fault: JSON) in
            Attack(
                "UP-08" + letter, .provider, .medium,
                "Yahoo's and X's token endpoints, X's user endpoint and its credentials check answer with \(what).",
                oracle: "502 provider_response_invalid at each; no one is signed in, and the server keeps running.",
                source: "RFC 8259; garbage tests", needs: [.standIns, .oauth1]
            ) { strike in
                let expected = Expectation.unusable("provider_response_invalid")
                try await strike.fire(garbage: fault, expecting: expected)
            }
        } + [
            Attack(
                "UP-08p", .provider, .medium, "The same endpoints answer with statuses that are no success of theirs.",
                oracle: "502 provider_error, whatever the body says.", source: "RFC 6749 5.1; RFC 9110 15.3",
                needs: [.standIns, .oauth1]
            ) { strike in
                let body =
                    "{\"access_token\":\"a\",\"token_type\":\"bearer\",\"id_str\":\"1666\",\"data\":{\"id\":\"1666\"}}"
                for status: JSON in [201, 204, 206, 304, 500] {
                    try await strike.fire(
                        garbage: ["status": status, "body": .string(body)], expecting: .unusable("provider_error"))
                }
            },
            Attack(
                "UP-15", .provider, .high,
                "Errors of every endpoint hold markup, our secrets and a line's end.",
                oracle: "Fixed words; neither answers nor the log repeat anything.", source: "RFC 6819 4.6.7",
                needs: [.standIns, .oauth1, .logs]
            ) { strike in
                let canary = try await strike.canary()
                for secret in [
                    "sandbox-yahoo-secret-of-ours", "sandbox-x-client-secret-of-ours",
                    "sandbox-x-consumer-secret-of-ours",
                ] { await strike.secret(secret) }
                let body =
                    "sandbox-x-client-secret-of-ours sandbox-yahoo-secret-of-ours "
                    + "sandbox-x-consumer-secret-of-ours\r\n<script>\(canary)</script>"
                for status: JSON in [403, 500, 503] {
                    try await strike.fire(
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

extension Strike {
    /// Calls each endpoint that identifies a person while it has this fault.
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
    /// Members of the token endpoint's answer: UP-09.
    static let tokenGarbage: [Attack] = [
        ("a", "an access token that is a number", ["set": ["access_token": 1]]),
        ("b", "an access token that is a list", ["set": ["access_token": ["a"]]]),
        ("c", "an access token that is null", ["set": ["access_token": .null]]),
        ("d", "no access token", ["remove": ["access_token"]]),
        ("e", "an access token of 20 KB", ["set": ["access_token": .string(String(repeating: "a", count: 20_480))]]),
        ("f", "an ID token that is an object", ["set": ["id_token": ["sub": "ALICEWJNWVNQD4GXZ5NGMZUST4"]]]),
        ("g", "no ID token", ["remove": ["id_token"]]),
        ("h", "an ID token that is null", ["set": ["id_token": .null]]),
        ("i", "a refresh token that is a list", ["set": ["refresh_token": ["a"]]]),
        ("j", "an `expires_in` of -1", ["set": ["expires_in": -1]]),
        (
            "k", "an `expires_in` of 1e400",
            ["body": "{\"access_token\":\"a\",\"token_type\":\"bearer\",\"expires_in\":1e400}"]
        ),
        (
            "l", "two access tokens",
            ["body": "{\"access_token\":\"a\",\"access_token\":\"b\",\"token_type\":\"bearer\"}"]
        ),
        ("m", "`error` and everything else right", ["set": ["error": "invalid_grant"]]),
        ("n", "U+0000 in the access token", ["body": "{\"access_token\":\"a\\u0000b\",\"token_type\":\"bearer\"}"]),
        ("o", "half a surrogate", ["body": "{\"access_token\":\"a\\ud800\",\"token_type\":\"bearer\"}"]),
        ("p", "an ID token of nonsense", ["set": ["id_token": "e30"]]),
        ("q", "an empty ID token", ["set": ["id_token": ""]]),
        ("r", "an access token with a line's end", ["set": ["access_token": "a\r\nX-Evil: 1"]]),
    ].map { (letter: String, what: String, fault: JSON) in
        Attack(
            "UP-09" + letter, .provider, .medium, "Yahoo's token endpoint answers with \(what).",
            oracle: "Refused: 502, or as an invalid ID token; no one is signed in, and the server keeps running.",
            source: "RFC 6749 5.1; RFC 8259; jansson"
        ) { strike in
            let request = strike.exchange(try await strike.yahooCode())
            try await strike.standIns.fault(
                fault.setting(["target"], to: "yahoo.token").setting(["times"], to: 1))
            await strike.fire(
                request,
                expecting: .unusable("provider_response_invalid").or(.refused("malformed_token", "at_hash_mismatch")))
        }
    }
}
