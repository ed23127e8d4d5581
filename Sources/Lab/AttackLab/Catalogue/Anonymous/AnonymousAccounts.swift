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
        ) { strike in
            let (anonymous, caller) = (try await strike.enterAnonymously(), try await strike.enter())
            for token in [anonymous.customToken, anonymous.bearer] {
                let nonce = try await strike.nonce()
                let proof: JSON = ["type": "id_token", "id_token": .string(token), "nonce": .string(nonce.verifier)]
                let expectation = Expectation.refused(
                    "issuer_mismatch", "unknown_key", "algorithm_not_allowed", "signature_invalid", "malformed_token")
                await strike.fire(strike.exchange(proof), expecting: expectation)
                await strike.fire(
                    strike.link(caller.bearer, proof), expecting: expectation)
                let named: JSON = [
                    "client_id": .string(strike.lab.application.clientID), "provider": "anonymous", "credential": proof,
                ]
                await strike.fire(.json("/v1/exchange", named), expecting: .malformed("unknown_provider"))
            }
        },
        .attack(
            "AN-05b",
            "An anonymous account reauthenticates, unlinks, and begins a sign-in with the provider `anonymous`.",
            severity: .high,
            oracle: "The server responds with 403 user_mismatch, 409 no_such_provider and 400 unknown_provider.",
            source: "Parse GHSA-23r4-5mxp-c7g5"
        ) { strike in
            let anonymous = try await strike.enterAnonymously()
            let proof = try await strike.proof(of: try strike.freshSubject())
            await strike.fire(
                strike.reauthenticate(anonymous.bearer, proof), expecting: .denied("user_mismatch"))
            for provider in ["yahoo.com", "twitter.com"] {
                await strike.fire(strike.unlink(anonymous.bearer, provider), expecting: .conflict("no_such_provider"))
            }
            await strike.fire(
                strike.unlink(anonymous.bearer, "anonymous"),
                expecting: .conflict("no_such_provider").or(.malformed("unknown_provider")))
            await strike.fire(
                .json(
                    "/v1/nonce",
                    ["client_id": .string(strike.lab.application.clientID), "provider": "anonymous"]),
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
        ) { strike in
            let anonymous = try await strike.enterAnonymously()
            let token = try MintedToken(anonymous.customToken)
            let claims = token.claims["claims"]?.object ?? [:]
            await strike.expect(
                claims["idp"] == nil || claims["idp"] == "anonymous", .minted, "The custom token names a provider.")
            await strike.expect(
                claims.keys.allSatisfy { $0 == "idp" || $0 == "anonymous" }, .minted,
                "The custom token has the claims \(claims.keys.sorted()).")
            let account = try await strike.honest(strike.account(anonymous.bearer))
            await strike.expect(account.json?["anonymous"] == true, .wrongAnswer, "The account is not anonymous.")
        },
        .attack(
            "AN-07", "Ten identities are linked to one anonymous account at the same time.",
            oracle:
                "One identity is linked, the uid stays, and each of the others can still sign in to its own account.",
            source: "CVE-2026-32700"
        ) { strike in
            let anonymous = try await strike.enterAnonymously()
            var requests: [Request] = []
            var subjects: [String] = []
            for _ in 0..<10 {
                let subject = try strike.freshSubject()
                subjects.append(subject)
                requests.append(strike.link(anonymous.bearer, try await strike.proof(of: subject)))
            }
            await strike.volley(requests, losers: .conflict("provider_already_linked")) { $0.status == 200 }
            var joined = 0
            for subject in subjects {
                let member = try await strike.enter(subject)
                if member.uid == anonymous.uid { joined += 1 }
            }
            await strike.expect(joined == 1, .raced, "\(joined) identities share one uid.")
        },
        .attack(
            "AN-10",
            "An old ID token with the sign-in provider `anonymous` is used for an account that is now permanent.",
            oracle: "The server responds with 401 requires_recent_login: it trusts its store and not the token.",
            source: "stolen anonymous session"
        ) { strike in
            let anonymous = try await strike.enterAnonymously()
            let old: [String: JSON] = [
                "sign_in_provider": "anonymous", "authenticated_seconds_ago": 3600, "issued_seconds_ago": 0,
            ]
            try await strike.changeUser(anonymous.uid, ["valid_since": .integer(strike.lab.now - 7200)])
            let bearer = try await strike.bearer(of: anonymous.uid, old)
            let subject = try strike.freshSubject()
            try await strike.honest(strike.link(bearer, try await strike.proof(of: subject)))
            let second = try await strike.proof(of: try strike.freshSubject(), at: Strike.secondProvider)
            await strike.fire(
                strike.link(bearer, second, provider: Strike.secondProvider),
                expecting: .unauthorized("requires_recent_login"))
            for request in [strike.unlink(bearer, "yahoo.com"), strike.deleteAccount(bearer)] {
                await strike.fire(request, expecting: .unauthorized("requires_recent_login"))
            }
            let permanent = try await strike.enter()
            let claimed = try await strike.bearer(of: permanent.uid, old)
            let third = try await strike.proof(of: try strike.freshSubject(), at: Strike.secondProvider)
            await strike.fire(
                strike.link(claimed, third, provider: Strike.secondProvider),
                expecting: .unauthorized("requires_recent_login"))
        },
        .attack(
            "AN-11", "The ID token of a deleted or merged anonymous account is used to read it and to link to it.",
            severity: .high, oracle: "The server responds with 401 account_gone.",
            source: "token-exchange API: such uids are kept for good"
        ) { strike in
            let expectation = Expectation.unauthorized("account_gone")
            let deleted = try await strike.enterAnonymously()
            try await strike.honest(strike.deleteAccount(deleted.bearer))
            let merged = try await strike.enterAnonymously()
            let caller = try await strike.enter()
            try await strike.honest(strike.merge(caller.bearer, ["from_id_token": .string(merged.bearer)]))
            for bearer in [deleted.bearer, merged.bearer] {
                await strike.fire(strike.account(bearer), expecting: expectation)
                let proof = try await strike.proof(of: try strike.freshSubject())
                await strike.fire(strike.link(bearer, proof), expecting: expectation)
            }
        },
        .attack(
            "AN-12",
            "The attacker merges the victim's account into an anonymous one without the victim's Firebase ID token.",
            severity: .medium,
            oracle: "The server requires the Firebase ID token of the other account: any other token gets 401.",
            source: "LK-32"
        ) { strike in
            let (anonymous, victim) = (try await strike.enterAnonymously(), try await strike.enter())
            for token in [victim.customToken, anonymous.customToken] {
                await strike.fire(
                    strike.merge(anonymous.bearer, ["from_id_token": .string(token)]),
                    expecting: .unauthorized("id_token_invalid"))
            }
            try await strike.expectIdentities(victim, [victim.provider: victim.subject])
        },
    )
}
