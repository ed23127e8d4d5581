internal import Jansson

/// Attacks on REAUTHENTICATE and SIGNOUT, and bearer tokens while Google's keys are unreachable.
enum ReauthenticationAttacks {
    private static let second = Strike.secondProvider

    static let all = Section(.link, .high, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-40a", "The attacker reauthenticates the victim's session with an identity of their own.",
            severity: .critical, oracle: "403 user_mismatch, for an identity of another account and of none.",
            source: "GHSA-hp74-gm6m-2qm5"
        ) { strike in
            let (victim, attacker) = (try await strike.enter(), try await strike.enter())
            for subject in [attacker.subject, try strike.freshSubject()] {
                let proof = try await strike.proof(of: subject)
                await strike.fire(
                    strike.reauthenticate(victim.bearer, proof), expecting: .denied("user_mismatch"))
            }
        },
        .attack(
            "LK-40b", "A pair of OAuth 1.0a, which never expires, reauthenticates.",
            oracle: "400 fresh_login_unavailable: a pair does not say when its person was there.",
            source: "GHSA-hp74-gm6m-2qm5", needs: [.standIns, .accounts, .oauth1]
        ) { strike in
            let member = try await strike.enter()
            let pair = try await strike.standIns.issue([
                "provider": "twitter.com", "protocol": "oauth1", "user": "mallory",
            ])
            let nonce = try await strike.nonce(provider: "twitter.com")
            let credential: JSON = [
                "type": "oauth1_token", "oauth_token": pair["oauth_token"] ?? "",
                "oauth_token_secret": pair["oauth_token_secret"] ?? "", "nonce": .string(nonce.verifier),
            ]
            await strike.fire(
                strike.reauthenticate(member.bearer, credential, provider: "twitter.com"),
                expecting: .malformed("fresh_login_unavailable"))
        },
        .attack(
            "LK-40c", "An ID token of a sign-in at the provider of yesterday reauthenticates.",
            oracle: "400 too_old: `auth_time` is looked at.", source: "GHSA-hp74-gm6m-2qm5"
        ) { strike in
            let member = try await strike.enter()
            let now = strike.lab.now
            let proof = try await strike.proof(of: member.subject) { $0.claims["auth_time"] = .number(now - 86400) }
            await strike.fire(
                strike.reauthenticate(member.bearer, proof),
                expecting: .refused("too_old"))
        },
        .attack(
            "LK-44", "SIGNOUT is asked to end a token at a provider that is unknown, and with half of the members.",
            severity: .medium, oracle: "400 unknown_provider, missing_field, unknown_field; no provider is called.",
            source: "http-api.md: signout"
        ) { strike in
            let (member, victim) = (try await strike.enter(), try await strike.enter())
            let mark = try await strike.mark()
            let cases: [([String: JSON], String)] = [
                (["provider": "unknown.example", "token": "t"], "unknown_provider"),
                (["provider": "yahoo.com"], "missing_field"), (["token": "t"], "missing_field"),
                (["uid": .string(victim.uid)], "unknown_field"),
            ]
            for (members, reason) in cases {
                await strike.fire(strike.signOut(member.bearer, members), expecting: .malformed(reason))
            }
            try await strike.expectCalls(["yahoo.revoke": 0, "x.oauth2_revoke": 0], since: mark)
        },
        .attack(
            "LK-45", "SIGNOUT of one person ends the sessions of another, where Firebase is the directory.",
            oracle: "Only the sessions of the caller end.", source: "http-api.md: signout",
            needs: [.standIns, .processes, .accounts]
        ) { strike in
            try await strike.withServer("signing-out") { plan in
                plan.set("firebase/directory", "firebase")
                plan.set("firebase/check_revoked", true)
            } _: { server, _ in
                try await strike.standIns.setClock(offset: -10)
                let (leaver, other) = (
                    try await strike.enter(wire: server.wire), try await strike.enter(wire: server.wire)
                )
                try await strike.standIns.setClock(offset: 0)
                try await strike.honest(strike.signOut(leaver.bearer), at: server.wire)
                await strike.fireEverywhere(
                    leaver.bearer, expecting: .unauthorized("id_token_revoked"), at: server.wire)
                try await strike.honest(strike.account(other.bearer), at: server.wire)
            }
        },
        .attack(
            "LK-18a", "Google's keys cannot be had when the first bearer comes.",
            oracle: "503 directory_unavailable with retry; the proof beside it is not used up.", source: "part 2",
            needs: [.standIns, .processes, .accounts]
        ) { strike in
            try await strike.withServer("keyless") { server, _ in
                let subject = try strike.freshSubject()
                let proof = try await strike.proof(of: subject, at: second, wire: server.wire)
                let caller = try await strike.stranger()
                try await strike.standIns.fault(["target": "google.id_token_keys", "drop": true])
                let request = strike.link(caller.bearer, proof, provider: second)
                await strike.fire(
                    request,
                    expecting: Expectation(
                        statuses: [503], errors: ["temporarily_unavailable"], reasons: ["directory_unavailable"]),
                    at: server.wire)
                try await strike.standIns.reset()
                try await strike.patiently { try await strike.honest(request, at: server.wire) }
            }
        },
        .sweep(
            "LK-18b", "Google's key set is empty, HTML, or no key set at all.", severity: .critical,
            oracle: "503: a token is never taken for want of a key.", source: "part 2",
            needs: [.standIns, .processes, .accounts], over: ["{\"keys\":[]}", "<html></html>", "{}", "[]"]
        ) { strike, body in
            try await strike.withServer("keyless-2") { server, _ in
                try await strike.standIns.fault(["target": "google.id_token_keys", "body": .string(body)])
                let token = try await strike.bearer(of: "another-uid", ["key": "foreign"])
                await strike.fire(
                    strike.account(token),
                    expecting: Expectation(
                        statuses: [401, 503], reasons: ["directory_unavailable", "id_token_invalid"]),
                    at: server.wire)
                try await strike.standIns.reset()
            }
        },
    )
}
