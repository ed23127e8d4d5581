internal import Jansson

/// First sign-ins during a temporary failure of a service on which a rule depends.
enum PassingTroubles {
    static let all: [Attack] = profiles + directory

    private typealias Sending = @Sendable (Strike) async throws -> Request
    private typealias Row = (letter: String, what: String, target: JSON, request: Sending)

    private static let faults: [JSON] = [
        ["delay_ms": 800], ["status": 429, "body": "{}"], ["status": 500, "body": "{}"],
        ["status": 503, "body": "{}"], ["drop": true], ["cut_after_bytes": 10],
    ]

    private static let rows: [Row] = [
        (
            "a", "the userinfo endpoint of Yahoo", "yahoo.userinfo",
            { there in
                try await there.standIns.claims(["remove": ["email", "email_verified"]])
                return there.exchange(try await there.yahooCode(user: "kobayashi"))
            }
        ),
        (
            "b", "/2/users/me of X (OAuth 2.0)", "x.users_me",
            { there in
                there.exchange(try await there.xCode(user: "kobayashi"))
            }
        ),
        (
            "c", "verify_credentials of X (OAuth 1.0a)", "x.verify_credentials",
            { there in
                let session = try await there.beginSession()
                return there.finish(session, try await there.caught(session, as: "kobayashi"))
            }
        ),
    ]

    private static let profiles: [Attack] =
        rows.map { letter, what, target, request in
            Attack(
                "LK-51\(letter)", .link, .high,
                "A first sign-in is sent while \(what) responds with 429 or 5xx, hangs or disconnects.",
                oracle:
                    "The server responds with 502, 503 or 504 and creates no account that would evade the rule.",
                source: "token-exchange API: first sign-in without its profile",
                needs: [.standIns, .processes, .accounts, .oauth1, .sessions]
            ) { strike in
                try await strike.onOwnServer("first", oneAccountPerEmail) { there, _, _ in
                    for fault in faults {
                        let trouble = try await request(there)
                        for place in target == "x.verify_credentials" ? [target, "x.users_me"] : [target] {
                            try await there.standIns.fault(fault.setting(["target"], to: place))
                        }
                        let reply = await there.fire(trouble, expecting: .passing)
                        await there.expect(reply.answer?["retry"] != nil, .wrongAnswer, "The response has no retry.")
                        try await there.standIns.reset()
                    }
                    let answer = try await there.honest(try await request(there))
                    await there.expect(
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
            ) { strike in
                for status: JSON in [402, 403] {
                    try await strike.onOwnServer("refused-\(status.integer ?? 0)", oneAccountPerEmail) { there, _, _ in
                        for target: JSON in ["x.verify_credentials", "x.users_me"] {
                            try await there.standIns.fault(["target": target, "status": status, "body": "{}"])
                        }
                        let answer = try await there.honest(try await rows[2].request(there))
                        await there.expect(
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
        ) { strike in
            try await strike.withServer("malformed-lookup") {
                $0.set("firebase/directory", "firebase")
            } _: { server, _ in
                let member = try await strike.enter(wire: server.wire)
                for users: JSON in [[:], "users", 1, .null, ["0": ["localId": .string(member.uid)]]] {
                    let proof = try await strike.proof(of: member.subject, wire: server.wire)
                    try await strike.standIns.fault(["target": "google.lookup", "set": ["users": users]])
                    await strike.fire(
                        strike.exchange(proof), expecting: .directoryUnavailable, at: server.wire)
                    try await strike.standIns.reset()
                }
                let again = try await strike.enter(member.subject, wire: server.wire)
                await strike.expect(again.uid == member.uid, .consumed, "A known user got another uid.")
            }
        },
        .attack(
            "LK-55", "Firebase responds with 429 and 503 when the server exchanges a custom token.", severity: .high,
            oracle: "The server responds with 503 and retry same: the credential stays usable.",
            source: "token-exchange API: redeem",
            needs: [.standIns, .processes]
        ) { strike in
            try await strike.onOwnServer("redeeming") {
                $0.set("clients/my-app/redeem", true)
            } _: { there, _, _ in
                for status: JSON in [429, 503] {
                    let (request, _) = try await there.genuine()
                    try await there.standIns.fault([
                        "target": "google.client_custom_token", "status": status, "body": "{}",
                    ])
                    let reply = await there.fire(request, expecting: .directoryUnavailable)
                    await there.expect(
                        reply.answer?["retry"] == "same", .wrongAnswer, "The response does not say retry: same.")
                    try await there.standIns.reset()
                    try await there.mustStillWork(request)
                    await there.fire(request, expecting: .refused("replayed"))
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
