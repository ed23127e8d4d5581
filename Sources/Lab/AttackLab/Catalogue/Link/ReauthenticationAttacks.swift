internal import Jansson

/// Attacks on REAUTHENTICATE and SIGNOUT, and bearer tokens while Google's keys are unreachable.
enum ReauthenticationAttacks {
    private static let second = Strike.secondProvider

    static let all = Section(.link, .high, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-40a", "The attacker reauthenticates the victim's session with the attacker's own identity.",
            severity: .critical,
            oracle: "The server responds with 403 user_mismatch, also if the identity belongs to no account.",
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
            "LK-40b", "OAuth 1.0a token credentials, which never expire, are sent to REAUTHENTICATE.",
            oracle: "The server responds with 400 fresh_login_unavailable: token credentials have no login time.",
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
            "LK-40c", "An ID token of a login of the previous day is sent to REAUTHENTICATE.",
            oracle: "The server responds with 400 too_old: it checks `auth_time`.", source: "GHSA-hp74-gm6m-2qm5"
        ) { strike in
            let member = try await strike.enter()
            let now = strike.lab.now
            let proof = try await strike.proof(of: member.subject) { $0.claims["auth_time"] = .number(now - 86400) }
            await strike.fire(
                strike.reauthenticate(member.bearer, proof),
                expecting: .refused("too_old"))
        },
        .attack(
            "LK-44", "SIGNOUT is called with a token of an unknown provider, and with only half of the members.",
            severity: .medium,
            oracle:
                "The server responds with 400 unknown_provider, missing_field or unknown_field and calls no provider.",
            source: "token-exchange API: signout"
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
        .sweep(
            "LK-45", "A user signs out everywhere, and a thief continues one of the sessions; another user goes on.",
            oracle: "The server ends all sessions of the caller and no others, with either directory.",
            source: "token-exchange API: signout; OWASP ASVS 7.4.3",
            needs: [.standIns, .processes, .accounts], over: ["firebase", "local"]
        ) { strike, directory in
            try await strike.withServer("signing-out") { plan in
                plan.set("firebase/directory", .string(directory))
                plan.set("firebase/check_revoked", true)
            } _: { server, _ in
                try await strike.standIns.setClock(offset: -10)
                let (leaver, other) = (
                    try await strike.enter(wire: server.wire), try await strike.enter(wire: server.wire)
                )
                try await strike.standIns.setClock(offset: 0)
                let answer = try await strike.honest(strike.signOut(leaver.bearer), at: server.wire)
                await strike.expect(
                    answer.json?["sessions_revoked"] == true, .wrongAnswer, "The sessions are not said to have ended.")
                await strike.fireEverywhere(
                    leaver.bearer, expecting: .unauthorized("id_token_revoked"), at: server.wire)
                try await strike.honest(strike.account(other.bearer), at: server.wire)
            }
        },
        .attack(
            "LK-18a", "The first bearer token is sent while Google's keys are unreachable.",
            oracle:
                "The server responds with 503 directory_unavailable, retry, and does not spend the credential.",
            source: "part 2",
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
            "LK-18b", "A bearer token is sent while Google's key set is empty, HTML, or not a key set.",
            severity: .critical,
            oracle: "The server responds with 503: it accepts no token without a key.", source: "part 2",
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
