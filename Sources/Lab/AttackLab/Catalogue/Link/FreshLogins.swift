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
        ) { strike in
            let member = try await strike.enter()
            let proof = try await strike.proof(of: member.subject) { $0.claims["auth_time"] = nil }
            await strike.fire(strike.reauthenticate(member.bearer, proof), expecting: unproven)
        },
        .attack(
            "LK-50b", "A reauthentication session ends with an ID token without `auth_time`.",
            oracle: "The server responds with 400 fresh_login_unproven, because it requested `max_age`.",
            source: "OIDC Core 3.1.3.7 (13)",
            needs: needs.union([.sessions])
        ) { strike in
            let member = try await strike.member(ofUser: "carol")
            try await strike.standIns.claims(["remove": ["auth_time"]])
            let credential = try await strike.session(
                of: "carol", intent: "reauthenticate", bearer: member.bearer)
            await strike.fire(strike.reauthenticate(member.bearer, credential), expecting: unproven)
        },
        .attack(
            "LK-50c", "A browser flow for reauthentication ends with an ID token without `auth_time`.", severity: .high,
            oracle: "The server reports an error in the redirect or on a page; it issues no code.",
            source: "OIDC Core 3.1.3.7 (13)", needs: needs.union([.pushedRequests, .browserFlow])
        ) { strike in
            let member = try await strike.member(ofUser: "carol")
            let flow = try await strike.pushed(intent: "reauthenticate", bearer: member.bearer)
            try await strike.standIns.claims(["remove": ["auth_time"]])
            await strike.fire(
                await strike.callback(try await strike.approve(flow, as: "carol"), in: flow.browser),
                expecting: .status(303, 400))
        },
        .attack(
            "LK-50d", "Reauthentication with X by OAuth 2.0 is requested, which cannot require a fresh login.",
            oracle:
                "The server responds with 400 fresh_login_unavailable at /v1/signin, at /par, and for a posted code.",
            source: "RFC 6749; X documentation", needs: needs.union([.oauth1, .sessions, .pushedRequests])
        ) { strike in
            let member = try await strike.enter()
            let intent: [String: JSON] = ["intent": "reauthenticate", "flow": "oauth2"]
            let code = try await strike.xCode()
            let requests = [
                strike.beginning(provider: "twitter.com", further: intent, bearer: member.bearer),
                strike.pushing(
                    { parameters in
                        parameters.removeAll { $0.0 == "provider" }
                        parameters += [("provider", "twitter.com"), ("intent", "reauthenticate"), ("flow", "oauth2")]
                    }, bearer: member.bearer),
                strike.reauthenticate(
                    member.bearer,
                    .object(
                        code.members.merging(["type": "authorization_code", "code": .string(code.code)]) { $1 }),
                    provider: "twitter.com"),
            ]
            for request in requests { await strike.fire(request, expecting: unavailable) }
            try await strike.mustStillWork(strike.exchange(code))
        },
        .attack(
            "LK-50e",
            "Reauthentication with X is requested without a protocol, with OAuth 1.0a configured and without it.",
            severity: .high,
            oracle: "The server uses OAuth 1.0a with force_login=true, or responds with 400 fresh_login_unavailable.",
            source: "X documentation of force_login", needs: needs.union([.oauth1, .sessions, .processes])
        ) { strike in
            let intent: [String: JSON] = ["intent": "reauthenticate"]
            let member = try await strike.enter()
            let begun = try await strike.honest(
                strike.beginning(provider: "twitter.com", further: intent, bearer: member.bearer))
            let door = try await strike.door(of: "twitter.com", at: begun["authorization_url"] ?? "")
            await strike.expect(
                door.contains("/oauth/authenticate") && door.contains("force_login=true"), .wrongAnswer,
                "The provider is not asked for a fresh login.")
            try await strike.withServer("without-oauth1") {
                $0.set("providers/twitter.com/oauth1", nil)
                $0.set("providers/twitter.com/accept", ["authorization_code"])
            } _: { server, _ in
                let other = try await strike.enter(wire: server.wire)
                await strike.fire(
                    strike.beginning(provider: "twitter.com", further: intent, bearer: other.bearer),
                    expecting: unavailable, at: server.wire)
            }
        },
        .attack(
            "LK-50f", "Reauthentication uses a provider that is configured to prompt and sends no `auth_time`.",
            severity: .high, oracle: "The custom token contains reauth_method prompt and no reauth_time.",
            source: "OIDC Core 3.1.2.1", needs: needs.union([.processes])
        ) { strike in
            try await strike.onOwnServer("prompting") {
                $0.set("providers/op.example/reauthentication", "prompt")
            } _: { there, _, _ in
                let member = try await there.member(ofUser: "carol", provider: Strike.secondProvider)
                try await there.standIns.claims(["remove": ["auth_time"]])
                let credential = try await there.session(
                    of: "carol", provider: Strike.secondProvider, intent: "reauthenticate", bearer: member.bearer)
                let answer = try await there.honest(
                    there.reauthenticate(member.bearer, credential, provider: Strike.secondProvider))
                let claims = try MintedToken(answer["custom_token"] ?? "").claims["claims"]
                await strike.expect(
                    claims?["reauth_method"]?.string == "prompt" && claims?["reauth_time"] == nil, .minted,
                    "The custom token claims a fresh login that was not proven.")
            }
        },
    )
}

extension Strike {
    /// Signs a user of the stand-ins in with a session, and exchanges the custom token at Firebase.
    fileprivate func member(ofUser user: String, provider: String = "yahoo.com") async throws -> Member {
        let answer = try await honest(
            exchange(try await session(of: user, provider: provider), provider: provider))
        return try await member(answer, provider, answer["provider_uid"] ?? "")
    }
}
