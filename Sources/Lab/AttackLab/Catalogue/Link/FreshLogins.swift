internal import Jansson

/// Reauthentication with a provider that reports no login time, or cannot require a fresh login.
enum FreshLogins {
    private static let unproven = Expectation.refused("fresh_login_unproven")
    private static let unavailable = Expectation.malformed("fresh_login_unavailable")
    private static let needs: Set<Need> = [.standIns, .accounts]

    static let all = Section(.link, .critical, needs: needs).attacks(
        .attack(
            "LK-50a", "An ID token without `auth_time` is sent to REAUTHENTICATE.",
            oracle: "The server responds with 400 fresh_login_unproven.",
            source: "OIDC Core 3.1.3.7 (13); CVE-2026-45337"
        ) { context in
            let member = try await context.enter()
            let proof = try await context.proof(of: member.subject) { $0.claims["auth_time"] = nil }
            await context.fire(context.reauthenticate(member.bearer, proof), expecting: unproven)
        },
        .attack(
            "LK-50b", "A reauthentication session ends with an ID token without `auth_time`.",
            oracle: "The server responds with 400 fresh_login_unproven, because it requested `max_age`.",
            source: "OIDC Core 3.1.3.7 (13)",
            needs: needs.union([.sessions])
        ) { context in
            let member = try await context.member(ofUser: "carol")
            try await context.standIns.claims(["remove": ["auth_time"]])
            let credential = try await context.session(
                of: "carol", intent: "reauthenticate", bearer: member.bearer)
            await context.fire(context.reauthenticate(member.bearer, credential), expecting: unproven)
        },
        .attack(
            "LK-50c", "A browser flow for reauthentication ends with an ID token without `auth_time`.", severity: .high,
            oracle: "The server reports an error in the redirect or on a page; it issues no code.",
            source: "OIDC Core 3.1.3.7 (13)", needs: needs.union([.pushedRequests, .browserFlow])
        ) { context in
            let member = try await context.member(ofUser: "carol")
            let flow = try await context.pushed(intent: "reauthenticate", bearer: member.bearer)
            try await context.standIns.claims(["remove": ["auth_time"]])
            await context.fire(
                await context.callback(try await context.approve(flow, as: "carol"), in: flow.browser),
                expecting: .status(303, 400))
        },
        .attack(
            "LK-50d", "Reauthentication with X by OAuth 2.0 is requested, which cannot require a fresh login.",
            oracle:
                "The server responds with 400 fresh_login_unavailable at /v1/signin, at /par, and for a posted code.",
            source: "RFC 6749; X documentation", needs: needs.union([.oauth1, .sessions, .pushedRequests])
        ) { context in
            let member = try await context.enter()
            let intent: [String: JSON] = ["intent": "reauthenticate", "flow": "oauth2"]
            let code = try await context.xCode()
            let requests = [
                context.beginning(provider: "twitter.com", further: intent, bearer: member.bearer),
                context.pushing(
                    { parameters in
                        parameters.set("provider", "twitter.com")
                        parameters += [("intent", "reauthenticate"), ("flow", "oauth2")]
                    }, bearer: member.bearer),
                context.reauthenticate(
                    member.bearer,
                    .object(
                        code.members.merging(["type": "authorization_code", "code": .string(code.code)]) { $1 }),
                    provider: "twitter.com"),
            ]
            for request in requests { await context.fire(request, expecting: unavailable) }
            try await context.mustStillWork(context.exchange(code))
        },
        .attack(
            "LK-50e",
            "Reauthentication with X is requested without a protocol, with OAuth 1.0a configured and without it.",
            severity: .high,
            oracle: "The server uses OAuth 1.0a with force_login=true, or responds with 400 fresh_login_unavailable.",
            source: "X documentation of force_login", needs: needs.union([.oauth1, .sessions, .processes])
        ) { context in
            let intent: [String: JSON] = ["intent": "reauthenticate"]
            let member = try await context.enter()
            let begun = try await context.session(provider: "twitter.com", further: intent, bearer: member.bearer)
            let door = try await context.door(of: "twitter.com", at: begun.authorizationURL)
            await context.expect(
                door.contains("/oauth/authenticate") && door.contains("force_login=true"), .wrongAnswer,
                "The provider is not asked for a fresh login.")
            try await context.withServer("without-oauth1") {
                $0.set("providers/twitter.com/oauth1", nil)
                $0.set("providers/twitter.com/accept", ["authorization_code"])
            } _: { server, _ in
                let other = try await context.enter(wire: server.wire)
                await context.fire(
                    context.beginning(provider: "twitter.com", further: intent, bearer: other.bearer),
                    expecting: unavailable, at: server.wire)
            }
        },
        .attack(
            "LK-50f", "Reauthentication uses a provider that is configured to prompt and sends no `auth_time`.",
            severity: .high, oracle: "The custom token contains reauth_method prompt and no reauth_time.",
            source: "OIDC Core 3.1.2.1", needs: needs.union([.processes])
        ) { context in
            try await context.onOwnServer("prompting") {
                $0.set("providers/op.example/reauthentication", "prompt")
            } _: { target, _, _ in
                let member = try await target.member(ofUser: "carol", provider: AttackContext.secondProvider)
                try await target.standIns.claims(["remove": ["auth_time"]])
                let credential = try await target.session(
                    of: "carol", provider: AttackContext.secondProvider, intent: "reauthenticate", bearer: member.bearer
                )
                let answer = try await target.honest(
                    target.reauthenticate(member.bearer, credential, provider: AttackContext.secondProvider))
                let claims = try MintedToken(answer["custom_token"] ?? "").claims["claims"]
                await context.expect(
                    claims?["reauth_method"]?.string == "prompt" && claims?["reauth_time"] == nil, .minted,
                    "The custom token claims a fresh login that was not proven.")
            }
        },
    )
}

extension AttackContext {
    /// Signs a user of the stand-ins in with a session, and exchanges the custom token at Firebase.
    fileprivate func member(ofUser user: String, provider: String = "yahoo.com") async throws -> Member {
        let answer = try await honest(
            exchange(try await session(of: user, provider: provider), provider: provider))
        return try await member(answer, provider, answer["provider_uid"] ?? "")
    }
}
