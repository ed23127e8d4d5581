internal import Jansson

/// Attacks that use an anonymous account as if it were a verified one.
enum AnonymousAccounts {
    private static let needs: Set<Need> = [.standIns, .accounts, .anonymous]

    static let all = Section(.anonymous, .critical, needs: needs).attacks(
        .attack(
            "AN-05a", "The tokens of an anonymous account are posted as an ID token of a provider.",
            oracle:
                "The server responds with 400: custom tokens and Firebase ID tokens are not ID tokens of a provider.",
            source: "Parse GHSA-23r4-5mxp-c7g5"
        ) { context in
            let (anonymous, caller) = (try await context.enterAnonymously(), try await context.enter())
            for token in [anonymous.customToken, anonymous.bearer] {
                let nonce = try await context.nonce()
                let proof = JSON.idToken(token, nonce: nonce.verifier)
                let expectation = Expectation.refused(
                    "issuer_mismatch", "unknown_key", "algorithm_not_allowed", "signature_invalid", "malformed_token")
                await context.fire(context.exchange(proof), expecting: expectation)
                await context.fire(
                    context.link(caller.bearer, proof), expecting: expectation)
                let named: JSON = [
                    "client_id": .string(context.lab.application.clientID), "provider": "anonymous",
                    "credential": proof,
                ]
                await context.fire(.json("/v1/exchange", named), expecting: .malformed("unknown_provider"))
            }
        },
        .attack(
            "AN-05b",
            "An anonymous account reauthenticates, unlinks, and begins a sign-in with the provider `anonymous`.",
            severity: .high,
            oracle: "The server responds with 403 user_mismatch, 409 no_such_provider and 400 unknown_provider.",
            source: "Parse GHSA-23r4-5mxp-c7g5"
        ) { context in
            let anonymous = try await context.enterAnonymously()
            let proof = try await context.proof(of: try context.freshSubject())
            await context.fire(
                context.reauthenticate(anonymous.bearer, proof), expecting: .denied("user_mismatch"))
            for provider in ["yahoo.com", "twitter.com"] {
                await context.fire(context.unlink(anonymous.bearer, provider), expecting: .conflict("no_such_provider"))
            }
            await context.fire(
                context.unlink(anonymous.bearer, "anonymous"),
                expecting: .conflict("no_such_provider").or(.malformed("unknown_provider")))
            await context.fire(
                .json(
                    "/v1/nonce",
                    ["client_id": .string(context.lab.application.clientID), "provider": "anonymous"]),
                expecting: .malformed("unknown_provider"))
        },
        .attack(
            "AN-06", "The attacker reads the claims of the custom token of an anonymous account.", severity: .high,
            oracle:
                """
                The claim `idp` is absent or `anonymous`; the token has no subject and no e-mail address of a \
                provider.
                """,
            source: "Parse GHSA-23r4-5mxp-c7g5"
        ) { context in
            let anonymous = try await context.enterAnonymously()
            let token = try MintedToken(anonymous.customToken)
            let claims = token.claims["claims"]?.object ?? [:]
            await context.expect(
                claims["idp"] == nil || claims["idp"] == "anonymous", .minted, "The custom token names a provider.")
            await context.expect(
                claims.keys.allSatisfy { $0 == "idp" || $0 == "anonymous" }, .minted,
                "The custom token has the claims \(claims.keys.sorted()).")
            let account = try await context.honest(context.account(anonymous.bearer))
            await context.expect(account.json?["anonymous"] == true, .wrongAnswer, "The account is not anonymous.")
        },
        .attack(
            "AN-07", "Ten identities are linked to one anonymous account at the same time.",
            oracle:
                "One identity is linked, the uid stays, and each of the others can still sign in to its own account.",
            source: "CVE-2026-32700"
        ) { context in
            let anonymous = try await context.enterAnonymously()
            var requests: [Request] = []
            var subjects: [String] = []
            for _ in 0..<10 {
                let subject = try context.freshSubject()
                subjects.append(subject)
                requests.append(context.link(anonymous.bearer, try await context.proof(of: subject)))
            }
            await context.volley(requests, losers: .conflict("provider_already_linked")) { $0.status == 200 }
            var joined = 0
            for subject in subjects {
                let member = try await context.enter(subject)
                if member.uid == anonymous.uid { joined += 1 }
            }
            await context.expect(joined == 1, .raced, "\(joined) identities share one uid.")
        },
        .attack(
            "AN-10",
            "An old ID token with the sign-in provider `anonymous` is used for an account that is now permanent.",
            oracle: "The server responds with 401 requires_recent_login: it trusts its store and not the token.",
            source: "stolen anonymous session"
        ) { context in
            let anonymous = try await context.enterAnonymously()
            let old: [String: JSON] = [
                "sign_in_provider": "anonymous", "authenticated_seconds_ago": 3600, "issued_seconds_ago": 0,
            ]
            try await context.changeUser(anonymous.uid, ["valid_since": .integer(context.lab.now - 7200)])
            let bearer = try await context.bearer(of: anonymous.uid, old)
            let subject = try context.freshSubject()
            try await context.honest(context.link(bearer, try await context.proof(of: subject)))
            let second = try await context.proof(of: try context.freshSubject(), at: AttackContext.secondProvider)
            await context.fire(
                context.link(bearer, second, provider: AttackContext.secondProvider),
                expecting: .unauthorized("requires_recent_login"))
            for request in [context.unlink(bearer, "yahoo.com"), context.deleteAccount(bearer)] {
                await context.fire(request, expecting: .unauthorized("requires_recent_login"))
            }
            let permanent = try await context.enter()
            let claimed = try await context.bearer(of: permanent.uid, old)
            let third = try await context.proof(of: try context.freshSubject(), at: AttackContext.secondProvider)
            await context.fire(
                context.link(claimed, third, provider: AttackContext.secondProvider),
                expecting: .unauthorized("requires_recent_login"))
        },
        .attack(
            "AN-11", "The ID token of a deleted or merged anonymous account is used to read it and to link to it.",
            severity: .high, oracle: "The server responds with 401 account_gone.",
            source: "token-exchange API: such uids are kept for good"
        ) { context in
            let expectation = Expectation.unauthorized("account_gone")
            let deleted = try await context.enterAnonymously()
            try await context.honest(context.deleteAccount(deleted.bearer))
            let merged = try await context.enterAnonymously()
            let caller = try await context.enter()
            try await context.honest(context.merge(caller.bearer, ["from_id_token": .string(merged.bearer)]))
            for bearer in [deleted.bearer, merged.bearer] {
                await context.fire(context.account(bearer), expecting: expectation)
                let proof = try await context.proof(of: try context.freshSubject())
                await context.fire(context.link(bearer, proof), expecting: expectation)
            }
        },
        .attack(
            "AN-12",
            "The attacker merges the victim's account into an anonymous one without the victim's Firebase ID token.",
            severity: .medium,
            oracle: "The server requires the Firebase ID token of the other account: any other token gets 401.",
            source: "LK-32"
        ) { context in
            let (anonymous, victim) = (try await context.enterAnonymously(), try await context.enter())
            for token in [victim.customToken, anonymous.customToken] {
                await context.fire(
                    context.merge(anonymous.bearer, ["from_id_token": .string(token)]),
                    expecting: .unauthorized("id_token_invalid"))
            }
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
        },
    )
}
