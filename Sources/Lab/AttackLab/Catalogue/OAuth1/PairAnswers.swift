internal import Jansson

extension Catalogue {
    /// Faulty responses of X to the credentials check.
    static let pairAnswers: [Attack] =
        pairIdentities + [
            Attack(
                "O1-19a", .oauth1, .medium, "X responds to the credentials check with 500, 302, 204 or 206.",
                oracle:
                    "The server responds with 502 provider_error; it neither refuses the token nor signs the user in.",
                source: "resilience of the provider calls",
                needs: [.standIns, .oauth1]
            ) { context in
                for status: JSON in [500, 502, 204, 206, 302, 418] {
                    try await context.standIns.fault([
                        "target": "x.verify_credentials", "status": status, "body": "{\"id_str\":\"2244994945\"}",
                    ])
                    await context.fire(
                        try await context.exchange(fresh: try await context.pair()),
                        expecting: .unusable("provider_error"))
                }
            },
            Attack(
                "O1-19b", .oauth1, .medium, "X responds with 429 and 503 and various values of Retry-After.",
                oracle:
                    "The server responds with 502, a Retry-After of at most one minute, and releases the nonce.",
                source: "RFC 9110 10.2.3", needs: [.standIns, .oauth1], reveals: [.pairReplayable]
            ) { context in
                let request = try await context.exchange(fresh: try await context.pair())
                for status: JSON in [429, 503] {
                    for after in ["5", "99999999", "garbage", "-1", "", "1e9", "Fri, 31 Dec 2999 23:59:59 GMT"] {
                        for target: JSON in ["x.verify_credentials", "x.users_me"] {
                            try await context.standIns.fault([
                                "target": target, "status": status, "body": "{}",
                                "header": ["Retry-After": .string(after)],
                            ])
                        }
                        let answer = await context.fire(request, expecting: .unusable("provider_error")).answer
                        let seconds = answer?.field("retry-after").flatMap { Int($0) } ?? -1
                        await context.expect(
                            (1...60).contains(seconds), .wrongAnswer, "Retry-After is \(seconds) after \(after) of X."
                        )
                        await context.expect(
                            answer?["retry"] == "same", .wrongAnswer, "The response does not say retry: same.")
                    }
                }
                try await context.standIns.reset()
                try await context.mustStillWork(request)
                await context.fire(request, expecting: .refused("replayed"))
            },
            Attack(
                "O1-19c", .oauth1, .high, "X does not respond to the credentials check.",
                oracle:
                    "The server responds with 504 provider_timeout in time; the code stays spent.",
                source: "resilience of the provider calls", needs: [.standIns, .oauth1, .processes]
            ) { context in
                let request = try await context.exchange(fresh: try await context.pair())
                var plan = ServerPlan("hasty-\(context.attack.id)")
                plan.sharesStore = true
                plan.set("providers/twitter.com/timeout", "400ms")
                let mark = try await context.mark()
                try await context.withServer(plan) { server in
                    try await context.standIns.fault(["target": "x.verify_credentials", "delay_ms": 1500])
                    await context.fire(request, expecting: .timeout, at: server.wire, within: .seconds(2))
                    try await context.standIns.reset()
                    await context.fire(request, expecting: .refused("replayed"), at: server.wire)
                }
                try await context.awaitCalls(of: "x.verify_credentials", since: mark)
            },
            Attack(
                "O1-15a", .oauth1, .critical, "The credentials check redirects to the attacker's host.",
                oracle:
                    "The server responds with 502 provider_error and sends no `Authorization` to the other host.",
                source: "CVE-2026-54605; CVE-2022-27774", needs: [.standIns, .oauth1], reveals: [.redirectsFollowed]
            ) { context in
                try await context.redirects(of: "x.verify_credentials", to: "/1.1/account/verify_credentials.json") {
                    try await context.exchange(fresh: try await context.pair())
                }
            },
        ]

    /// O1-04.
    private static let pairIdentities: [Attack] = [
        ("a", "no `id_str`", ["remove": ["id_str"]]),
        ("b", "an `id_str` that is a number", ["set": ["id_str": 2_244_994_945]]),
        ("c", "an `id_str` with letters", ["set": ["id_str": "2244994945a"]]),
        ("d", "an `id_str` with a sign", ["set": ["id_str": "-2244994945"]]),
        ("e", "an `id_str` of Arabic digits", ["set": ["id_str": "٢٢٤٤٩٩٤٩٤٥"]]),
        ("f", "an `id_str` of 21 digits", ["set": ["id_str": "224499494522449949452"]]),
        ("g", "an empty `id_str`", ["set": ["id_str": ""]]),
        ("h", "`errors` and status 200", ["body": "{\"errors\":[{\"code\":89}]}"]),
        ("i", "an array of users", ["body": "[{\"id_str\":\"2244994945\"}]"]),
        ("j", "a duplicate member `id_str`", ["body": "{\"id_str\":\"1666\",\"id_str\":\"2244994945\"}"]),
        ("k", "an `id_str` with a line feed", ["set": ["id_str": "2244994945\n"]]),
    ].map { (letter: String, what: String, fault: JSON) in
        Attack(
            "O1-04" + letter, .oauth1, .high, "The credentials check responds with \(what).",
            oracle:
                "The server responds with 502 provider_response_invalid unless `id_str` is a string of 1 to 20 digits.",
            source: "RFC 8259 6; X documentation of ids", needs: [.standIns, .oauth1]
        ) { context in
            try await context.standIns.fault(
                fault.setting(["target"], to: "x.verify_credentials").setting(["times"], to: 1))
            await context.fire(
                try await context.exchange(fresh: try await context.pair()),
                expecting: .unusable("provider_response_invalid"))
        }
    }
}
