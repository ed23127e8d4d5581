internal import Jansson

extension Catalogue {
    /// Faulty responses of X's token and user endpoints.
    static let xAnswers: [Attack] =
        xPeople.map { letter, what, fault in
            xAnswer("X2-04" + letter, "The user endpoint responds with \(what).", "x.users_me", fault)
        }
        + xTokens.map { letter, what, fault in
            xAnswer("X2-05" + letter, "The token endpoint responds with \(what).", "x.oauth2_token", fault)
        } + [
            Attack(
                "X2-16", .oauth2, .high, "X's user endpoint refuses the token that X has just issued.",
                oracle:
                    "The server responds with 502 provider_error or provider_refuses_us; the code stays spent.",
                source: "resilience of the provider calls", reveals: [.codeReused]
            ) { context in
                let rows: [(status: JSON, reason: String, retry: String?)] = [
                    (401, "provider_error", "restart"), (402, "provider_refuses_us", nil),
                    (403, "provider_refuses_us", nil), (404, "provider_error", "restart"),
                    (429, "provider_error", "restart"), (500, "provider_error", "restart"),
                    (503, "provider_error", "restart"),
                ]
                for (status, reason, retry) in rows {
                    let request = context.exchange(try await context.xCode())
                    try await context.standIns.fault(["target": "x.users_me", "status": status, "body": "{}"])
                    let reply = await context.fire(request, expecting: .unusable(reason))
                    await context.expect(
                        reply.answer?["retry"] == retry, .wrongAnswer,
                        "After \(status.integer ?? 0) of X the retry is \(reply.answer?["retry"] ?? "missing").")
                    await context.fire(request, expecting: .refused("replayed"))
                }
            }
        ]

    private static func xAnswer(_ id: String, _ sentence: String, _ target: String, _ fault: JSON) -> Attack {
        Attack(
            id, .oauth2, .high, sentence,
            oracle: "The server responds with 502 provider_response_invalid and signs no user in.",
            source: "RFC 6749 5.1; RFC 8259 4, 6"
        ) { context in
            let request = context.exchange(try await context.xCode())
            try await context.standIns.fault(
                fault.setting(["target"], to: .string(target)).setting(["times"], to: 1))
            await context.fire(request, expecting: .unusable("provider_response_invalid"))
        }
    }

    private static let xPeople: [(letter: String, what: String, fault: JSON)] = [
        ("a", "no `data`", ["remove": ["data"]]),
        ("b", "`data` that is an array", ["set": ["data": [["id": "2244994945"]]]]),
        ("c", "`data` without an id", ["set": ["data": ["username": "alice_example"]]]),
        ("d", "an id that is a number", ["set": ["data": ["id": 2_244_994_945]]]),
        ("e", "an empty id", ["set": ["data": ["id": ""]]]),
        ("f", "an id that is an array", ["set": ["data": ["id": ["2244994945"]]]]),
        ("g", "an id with letters", ["set": ["data": ["id": "2244994945x"]]]),
        ("h", "an id at the top and none in `data`", ["set": ["id": "2244994945", "data": [:]]]),
        ("i", "`errors` and status 200", ["body": "{\"errors\":[{\"title\":\"Not Found Error\"}]}"]),
        (
            "j", "two `data`",
            ["body": "{\"data\":{\"id\":\"1666\"},\"data\":{\"id\":\"2244994945\"}}"]
        ),
        ("k", "two ids", ["body": "{\"data\":{\"id\":\"1666\",\"id\":\"2244994945\"}}"]),
        ("l", "null", ["body": "null"]),
    ]

    private static let xTokens: [(letter: String, what: String, fault: JSON)] = [
        ("a", "a scope without `users.read`", ["set": ["scope": "tweet.read"]]),
        ("b", "a scope that is a list without `users.read`", ["set": ["scope": ["tweet.read"]]]),
        ("c", "a token type other than Bearer", ["set": ["token_type": "mac"]]),
        ("d", "no access token", ["remove": ["access_token"]]),
        ("e", "an access token that is a number", ["set": ["access_token": 1]]),
        ("f", "an empty access token", ["set": ["access_token": ""]]),
        ("g", "an access token that is null", ["set": ["access_token": .null]]),
        ("h", "an access token that is a list", ["set": ["access_token": ["a"]]]),
        (
            "i", "two access tokens",
            ["body": "{\"access_token\":\"a\",\"access_token\":\"b\",\"token_type\":\"bearer\"}"]
        ),
        ("j", "a scope of which `users.read` is only a prefix", ["set": ["scope": "users.reader tweet.readonly"]]),
    ]
}

extension Catalogue {
    /// The account that a user of X gets.
    static let xIdentities = Section(.oauth2, .critical).attacks(
        .attack(
            "X2-08", "A user of X signs in with the confirmed email address of another user of Yahoo.",
            oracle: "The server assigns two uids: an email address never joins accounts.",
            source: "nOAuth; CVE-2026-55075",
            reveals: [.joinedByEmail]
        ) { context in
            let yahoo = try await context.honest(context.exchange(try await context.yahooCode()))
            let code = try await context.xCode(user: "mallory")
            try await context.standIns.fault([
                "target": "x.users_me", "times": 1,
                "set": ["data": ["id": "1666", "username": "mallory", "confirmed_email": "alice@example.com"]],
            ])
            let x = try await context.honest(context.exchange(code))
            await context.expect(
                yahoo["uid"] != nil && x["uid"] != yahoo["uid"] && x["provider_uid"] == "1666", .minted,
                "The user of X was signed in as the user of Yahoo.")
        },
        .attack(
            "X2-09", "A user of Yahoo signs in whose `sub` is the id of another user at X.",
            oracle: "The server assigns two uids: the provider is part of each.", source: "RFC 8725 3.8",
            reveals: [.bareSubject]
        ) { context in
            let x = try await context.honest(context.exchange(try await context.xCode()))
            let yahoo = try await context.honest(try await context.forged(subject: "2244994945") { _ in })
            await context.expect(
                x["uid"] != nil && x["uid"] != yahoo["uid"], .minted,
                "The user of Yahoo was signed in as the user of X.")
            let prefixed = try await context.honest(
                try await context.forged(subject: "twitter.com:2244994945") { _ in })
            await context.expect(
                x["uid"] != prefixed["uid"], .minted, "A subject with a prefix was signed in as the user of X.")
        },
        .attack(
            "X2-15", "Users of X sign in whose ids exceed 2^53 and differ by one.", severity: .high,
            oracle: "The server treats the id as a string and changes no digit.",
            source: "RFC 8259 6; X documentation of ids"
        ) { context in
            var uids: Set<String> = []
            for id in ["1580661436132757506", "1580661436132757507", "1580661436132757505", "9007199254740993"] {
                try await context.standIns.fault([
                    "target": "x.users_me", "times": 1, "set": ["data": ["id": .string(id), "username": "a"]],
                ])
                let answer = try await context.honest(context.exchange(try await context.xCode()))
                await context.expect(answer["provider_uid"] == id, .minted, "The id changed.")
                uids.insert(answer["uid"] ?? "")
            }
            await context.expect(uids.count == 4, .minted, "Two users have the same uid.")
        },
    )
}

extension Catalogue {
    /// Permanent refusals of X: of a user, or of the operator's credentials.
    static let xRefusals: [Attack] = [
        Attack(
            "X2-17", .oauth2, .high, "A user whom X has suspended, locked or deleted signs in.",
            oracle: "The server responds with 403 provider_account_disabled, without retry: this is not an outage.",
            source: "X documentation of codes 50, 63, 64 and 326", needs: [.standIns, .oauth1]
        ) { context in
            let rows: [(status: Int64, code: Int64)] = [(403, 63), (403, 64), (403, 326), (404, 50)]
            for (status, code) in rows {
                let requests = [
                    context.exchange(try await context.xCode()),
                    try await context.exchange(fresh: try await context.pair()),
                ]
                let body = "{\"errors\":[{\"code\":\(code),\"message\":\"Refused.\"}]}"
                for target: JSON in ["x.users_me", "x.verify_credentials"] {
                    try await context.standIns.fault([
                        "target": target, "status": .integer(status), "body": .string(body),
                    ])
                }
                for request in requests {
                    let reply = await context.fire(request, expecting: .denied("provider_account_disabled"))
                    await context.expect(
                        reply.answer?["code"] == "auth/user-disabled" && reply.answer?["retry"] == nil, .wrongAnswer,
                        "The application receives the code \(reply.answer?["code"] ?? "nothing").")
                }
                try await context.standIns.reset()
            }
        },
        Attack(
            "UP-21", .provider, .high, "The provider refuses the operator's own credentials at its token endpoint.",
            oracle:
                "The server responds with 502 provider_refuses_us without retry, because only the operator can act.",
            source: "RFC 6749 5.2", needs: [.standIns]
        ) { context in
            let rows: [(JSON, @Sendable (AttackContext) async throws -> IssuedCode)] = [
                ("yahoo.token", { try await $0.yahooCode() }), ("x.oauth2_token", { try await $0.xCode() }),
            ]
            for (target, code) in rows {
                for (status, error) in [(401, "invalid_client"), (400, "unauthorized_client")] as [(Int64, String)] {
                    let request = context.exchange(try await code(context))
                    try await context.standIns.fault([
                        "target": target, "times": 1, "status": .integer(status),
                        "body": .string("{\"error\":\"\(error)\"}"),
                    ])
                    let reply = await context.fire(request, expecting: .unusable("provider_refuses_us"))
                    await context.expect(
                        reply.answer?["retry"] == nil, .wrongAnswer, "The response tells the application to retry.")
                }
            }
        },
    ]
}
