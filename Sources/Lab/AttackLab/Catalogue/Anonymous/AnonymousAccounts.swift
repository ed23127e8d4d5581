internal import Jansson

/// What an anonymous account must not be taken for.
enum AnonymousAccounts {
    private static let needs: Set<Need> = [.standIns, .accounts, .anonymous]

    static let all = Section(.anonymous, .critical, needs: needs).attacks(
        .attack(
            "AN-05a", "Tokens of an anonymous account are posted as the proof of a person.",
            oracle: "400: a custom token and a Firebase ID token are no ID tokens of a provider.",
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
            "AN-05b", "An anonymous account reauthenticates, unlinks, and begins a sign-in of `anonymous`.",
            severity: .high, oracle: "403 user_mismatch, 409 no_such_provider, 400 unknown_provider.",
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
            "AN-06", "The claims of an anonymous account are read.", severity: .high,
            oracle: "Its provider is `anonymous` and no other name; no subject, no address.",
            source: "Parse GHSA-23r4-5mxp-c7g5"
        ) { strike in
            let anonymous = try await strike.enterAnonymously()
            let token = try MintedToken(anonymous.customToken)
            let claims = token.claims["claims"]?.object ?? [:]
            await strike.expect(
                claims["idp"] == nil || claims["idp"] == "anonymous", .minted, "It says that it came by a provider.")
            await strike.expect(
                claims.keys.allSatisfy { $0 == "idp" }, .minted, "It has the claims \(claims.keys.sorted()).")
            let account = try await strike.honest(strike.account(anonymous.bearer))
            await strike.expect(account.json?["anonymous"] == true, .wrongAnswer, "The account is not anonymous.")
        },
        .attack(
            "AN-07", "One anonymous account is made permanent by ten people at the same moment.",
            oracle: "One identity joins, the uid stays, and the others may still sign in for themselves.",
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
            await strike.expect(joined == 1, .raced, "\(joined) people share one uid.")
        },
        .attack(
            "AN-10", "An old bearer that says `anonymous` links to an account that has become permanent.",
            oracle: "401 requires_recent_login: what the store knows counts, and not what the token says.",
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
            "AN-11", "An anonymous account that was deleted, or merged away, is linked to and asked for.",
            severity: .high, oracle: "401 account_gone.", source: "token-exchange API: such uids are kept for good"
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
            "AN-12", "The victim's session is merged into an anonymous account of the attacker's, without hers.",
            severity: .medium, oracle: "The other account's own ID token is needed: 401 for anything else.",
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
