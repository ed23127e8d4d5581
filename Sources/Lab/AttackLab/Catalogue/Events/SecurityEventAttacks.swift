internal import Jansson

/// Security event tokens that a provider did not send, or not to this server.
enum SecurityEventAttacks {
    private static let needs: Set<Need> = [.standIns, .providerEvents]
    private static let refuses = "The server refuses the token, and no session ends."

    private typealias Defect = (reason: String, change: @Sendable (inout TokenDraft) -> Void)

    static let all = Section(.events, .medium, needs: needs).attacks(
        .attack(
            "EV-20", "Security event tokens have one defect.", oracle: refuses, source: "RFC 8417 2.2; RFC 8935 2.4"
        ) { context in
            let victim = try await context.signedIn()
            let (now, other) = (context.lab.now, try await context.otherAudience)
            let hostile = try context.standIns.addresses.hostile
            let defects: [Defect] = [
                ("audience_mismatch", { $0.claims["aud"] = .text(other) }),
                ("audience_mismatch", { $0.claims["aud"] = nil }), ("audience_mismatch", { $0.claims["aud"] = [] }),
                ("issuer_mismatch", { $0.claims["iss"] = .text(hostile) }),
                (
                    "issuer_mismatch",
                    { draft in
                        draft.claims["sub_id"] = .object([("iss", .text(hostile)), ("sub", .text(victim.subject))])
                    }
                ),
                ("malformed_token", { $0.claims["jti"] = nil }), ("malformed_token", { $0.claims["iat"] = nil }),
                ("not_yet_valid", { $0.claims["iat"] = .number(now + 3600) }),
                ("too_old", { $0.claims["iat"] = .number(now - 8 * 86_400) }),
                ("expired", { $0.claims["exp"] = .number(now - 3600) }),
                ("malformed_token", { $0.claims["events"] = nil }), ("malformed_token", { $0.claims["events"] = [] }),
                ("malformed_token", { $0.header["typ"] = "at+jwt" }),
                ("malformed_token", { $0.header["typ"] = "logout+jwt" }),
                ("signature_invalid", { $0.key = .foreign }),
                ("algorithm_not_allowed", { $0.header["alg"] = "HS256" }),
            ]
            for (reason, change) in defects {
                let token = try await context.securityEvent(of: victim.subject) { change(&$0) }
                let reply = await context.fire(context.pushed(token), expecting: .refused(reason))
                await context.expect(
                    reply.answer?["err"] != nil && reply.answer?["description"] != nil, .wrongAnswer,
                    "The refusal has no err and description.")
                await context.expect(try await !context.hasEnded(victim), .sideEffect, "The sessions have ended.")
            }
            let token = try await context.securityEvent(of: victim.subject)
            try await context.expectEnd(of: victim, by: context.pushed(token), status: 202)
        },
        .attack(
            "EV-21", "A captured security event token is posted again after its person has signed in again.",
            oracle: "The server acknowledges it like the first time, and no session ends.", source: "RFC 8417 2.2"
        ) { context in
            let victim = try await context.signedIn()
            let token = try await context.securityEvent(of: victim.subject)
            try await context.expectEnd(of: victim, by: context.pushed(token), status: 202)
            try await context.changeUser(victim.uid, ["valid_since": .integer(context.lab.now - 1000)])
            try await context.fire(context.pushed(token), expecting: .status(202), keeps: victim)
        },
        .attack(
            "EV-22", "An event names its person only by an address, by a session, or by the wrong member.",
            oracle: "The server finds no account by it, and no session ends.", source: "RFC 9493 3.2"
        ) { context in
            let victim = try await context.signedIn()
            for identifier: Forged in [
                .object([("format", "email"), ("email", "alice@example.com")]),
                .object([("format", "opaque"), ("id", .text(victim.subject))]),
                .object([("format", "account"), ("uri", .text("acct:" + victim.uid))]), .text(victim.subject),
            ] {
                let token = try await context.securityEvent(of: victim.subject) { $0.claims["sub_id"] = identifier }
                try await context.fire(context.pushed(token), expecting: .status(202), keeps: victim)
            }
        },
        .attack(
            "EV-23",
            "A logout token is posted as a security event token, which need not expire, and the other way round.",
            oracle: "No session ends: each kind of message has events of its own.", source: "RFC 8417 4.5"
        ) { context in
            let victim = try await context.signedIn()
            let logout = try await context.logoutToken(of: victim.subject) { $0.header["typ"] = "JWT" }
            try await context.fire(context.pushed(logout), expecting: .status(202), keeps: victim)
            let event = try await context.securityEvent(of: victim.subject) {
                $0.header["typ"] = "JWT"
                $0.claims["sub"] = .text(victim.subject)
                $0.claims["exp"] = .number(context.lab.now + 120)
            }
            try await context.fire(context.logout(event), expecting: .refused("malformed_token"), keeps: victim)
        },
        .attack(
            "EV-24", "An event that is not about a session, or is not known, names a person.",
            oracle: "The server acknowledges it, and no session ends.", source: "RFC 8417 2.2"
        ) { context in
            let victim = try await context.signedIn()
            let base = "https://schemas.openid.net/secevent/"
            for name in ["risc/event-type/account-enabled", "ssf/event-type/verification", "unknown"] {
                let token = try await context.securityEvent(of: victim.subject) {
                    $0.claims["events"] = AttackContext.event(base + name)
                }
                try await context.fire(context.pushed(token), expecting: .status(202), keeps: victim)
            }
        },
        .attack(
            "EV-25", "A notification is posted for a provider that sends none.",
            oracle: "The server responds with 403 provider_disabled.", source: "Sign in with Apple"
        ) { context in
            let victim = try await context.signedIn()
            let token = try await context.securityEvent(of: victim.subject) { $0.header["typ"] = nil }
            let request = Request.json("/v1/events/op.example", ["payload": .string(token)])
            try await context.fire(request, expecting: .denied("provider_disabled"), keeps: victim)
        },
    )
}
