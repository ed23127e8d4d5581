internal import Jansson

/// First sign-ins during a temporary failure of a service on which a rule depends.
enum PassingTroubles {
    static let all: [Attack] = profiles + directory

    private typealias Sending = @Sendable (AttackContext) async throws -> Request
    private typealias Row = (letter: String, what: String, endpoint: JSON, request: Sending)

    private static let faults: [JSON] = [
        ["delay_ms": 800], ["status": 429, "body": "{}"], ["status": 500, "body": "{}"],
        ["status": 503, "body": "{}"], ["drop": true], ["cut_after_bytes": 10],
    ]

    private static let rows: [Row] = [
        (
            "a", "the userinfo endpoint of Yahoo", "yahoo.userinfo",
            { target in
                try await target.standIns.claims(["remove": ["email", "email_verified"]])
                return target.exchange(try await target.yahooCode(user: "kobayashi"))
            }
        ),
        (
            "b", "/2/users/me of X (OAuth 2.0)", "x.users_me",
            { target in
                target.exchange(try await target.xCode(user: "kobayashi"))
            }
        ),
        (
            "c", "verify_credentials of X (OAuth 1.0a)", "x.verify_credentials",
            { target in
                let session = try await target.oauth1Session()
                return target.ending(session, try await target.callbackURL(of: session, as: "kobayashi"))
            }
        ),
    ]

    private static let profiles: [Attack] =
        rows.map { letter, what, endpoint, request in
            Attack(
                "LK-51\(letter)", .link, .high,
                "A first sign-in is sent while \(what) responds with 429 or 5xx, hangs or disconnects.",
                oracle:
                    "The server responds with 502, 503 or 504 and creates no account that would evade the rule.",
                source: "token-exchange API: first sign-in without its profile",
                needs: [.standIns, .processes, .accounts, .oauth1, .sessions]
            ) { context in
                try await context.onOwnServer("first", oneAccountPerEmail) { target, _, _ in
                    for fault in faults {
                        let trouble = try await request(target)
                        for place in endpoint == "x.verify_credentials" ? [endpoint, "x.users_me"] : [endpoint] {
                            try await target.standIns.fault(fault.setting(["target"], to: place))
                        }
                        let reply = await target.fire(trouble, expecting: .passing)
                        await target.expect(reply.answer?["retry"] != nil, .wrongAnswer, "The response has no retry.")
                        try await target.standIns.reset()
                    }
                    let answer = try await target.honest(try await request(target))
                    await target.expect(
                        answer.json?["is_new_user"]?.bool == true, .sideEffect,
                        "An account was created without its email address.")
                }
            }
        } + [
            Attack(
                "LK-51d", .link, .medium,
                "X permanently refuses the profile (403, 402) at a first sign-in by OAuth 1.0a.",
                oracle: "The server completes the sign-in without an email address.",
                source: "token-exchange API: first sign-in without its profile",
                needs: [.standIns, .processes, .accounts, .oauth1, .sessions]
            ) { context in
                for status: JSON in [402, 403] {
                    try await context.onOwnServer("refused-\(status.integer ?? 0)", oneAccountPerEmail) {
                        target, _, _ in
                        for endpoint: JSON in ["x.verify_credentials", "x.users_me"] {
                            try await target.standIns.fault(["target": endpoint, "status": status, "body": "{}"])
                        }
                        let answer = try await target.honest(try await rows[2].request(target))
                        await target.expect(
                            answer.json?["profile"]?["email"] == nil, .wrongAnswer,
                            "The response contains an email address that X did not send.")
                    }
                }
            }
        ]

    private static let directory = Section(.link, .critical, needs: [.standIns, .processes, .accounts]).attacks(
        .attack(
            "LK-54", "Firebase's response about a known user contains a `users` that is not an array.",
            oracle:
                "The server responds with 503 directory_unavailable and does not treat the user as unknown.",
            source: "CWE-843"
        ) { context in
            try await context.withServer("malformed-lookup") {
                $0.set("firebase/directory", "firebase")
            } _: { server, _ in
                let member = try await context.enter(wire: server.wire)
                for users: JSON in [[:], "users", 1, .null, ["0": ["localId": .string(member.uid)]]] {
                    let proof = try await context.proof(of: member.subject, wire: server.wire)
                    try await context.standIns.fault(["target": "google.lookup", "set": ["users": users]])
                    await context.fire(
                        context.exchange(proof), expecting: .directoryUnavailable, at: server.wire)
                    try await context.standIns.reset()
                }
                let again = try await context.enter(member.subject, wire: server.wire)
                await context.expect(again.uid == member.uid, .consumed, "A known user got another uid.")
            }
        },
        .attack(
            "LK-55", "Firebase responds with 429 and 503 when the server exchanges a custom token.", severity: .high,
            oracle: "The server responds with 503 and retry same: the credential stays usable.",
            source: "token-exchange API: redeem",
            needs: [.standIns, .processes]
        ) { context in
            try await context.onOwnServer("redeeming") {
                $0.set("clients/my-app/redeem", true)
            } _: { target, _, _ in
                for status: JSON in [429, 503] {
                    let (request, _) = try await target.genuine()
                    try await target.standIns.fault([
                        "target": "google.client_custom_token", "status": status, "body": "{}",
                    ])
                    let reply = await target.fire(request, expecting: .directoryUnavailable)
                    await target.expect(
                        reply.answer?["retry"] == "same", .wrongAnswer, "The response does not say retry: same.")
                    try await target.standIns.reset()
                    try await target.mustStillWork(request)
                    await target.fire(request, expecting: .refused("replayed"))
                }
            }
        },
    )

    private static func oneAccountPerEmail(_ plan: inout ServerPlan) {
        plan.set("accounts/one_account_per_email", true)
        plan.set("providers/yahoo.com/timeout", "300ms")
        plan.set("providers/twitter.com/timeout", "300ms")
    }
}

extension Expectation {
    /// Expects a response that reports a temporary failure of the provider.
    fileprivate static let passing = Self(
        statuses: [502, 503, 504], errors: ["temporarily_unavailable"],
        reasons: ["provider_error", "provider_unreachable", "provider_timeout", "provider_response_invalid"])
}
