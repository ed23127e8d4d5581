internal import Jansson

/// Attacks on REAUTHENTICATE and SIGNOUT, and bearer tokens while Google's keys are unreachable.
enum ReauthenticationAttacks {
    private static let second = AttackContext.secondProvider

    static let all = Section(.link, .high, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-40a", "The attacker reauthenticates the victim's session with the attacker's own identity.",
            severity: .critical,
            oracle: "The server responds with 403 user_mismatch, also if the identity belongs to no account.",
            source: "GHSA-hp74-gm6m-2qm5"
        ) { context in
            let (victim, attacker) = (try await context.enter(), try await context.enter())
            for subject in [attacker.subject, try context.freshSubject()] {
                let proof = try await context.proof(of: subject)
                await context.fire(
                    context.reauthenticate(victim.bearer, proof), expecting: .denied("user_mismatch"))
            }
        },
        .attack(
            "LK-40b", "OAuth 1.0a token credentials, which never expire, are sent to REAUTHENTICATE.",
            oracle: "The server responds with 400 fresh_login_unavailable: token credentials have no login time.",
            source: "GHSA-hp74-gm6m-2qm5", needs: [.standIns, .accounts, .oauth1]
        ) { context in
            let member = try await context.enter()
            let pair = try await context.pair(user: "mallory")
            let credential = JSON.object(pair.credential(nonce: try await context.xNonce()))
            await context.fire(
                context.reauthenticate(member.bearer, credential, provider: "twitter.com"),
                expecting: .malformed("fresh_login_unavailable"))
        },
        .attack(
            "LK-40c", "An ID token of a login of the previous day is sent to REAUTHENTICATE.",
            oracle: "The server responds with 400 too_old: it checks `auth_time`.", source: "GHSA-hp74-gm6m-2qm5"
        ) { context in
            let member = try await context.enter()
            let now = context.lab.now
            let proof = try await context.proof(of: member.subject) { $0.claims["auth_time"] = .number(now - 86400) }
            await context.fire(
                context.reauthenticate(member.bearer, proof),
                expecting: .refused("too_old"))
        },
        .attack(
            "LK-44", "SIGNOUT is called with a token of an unknown provider, and with only half of the members.",
            severity: .medium,
            oracle:
                "The server responds with 400 unknown_provider, missing_field or unknown_field and calls no provider.",
            source: "token-exchange API: signout"
        ) { context in
            let (member, victim) = (try await context.enter(), try await context.enter())
            let mark = try await context.mark()
            let cases: [([String: JSON], String)] = [
                (["provider": "unknown.example", "token": "t"], "unknown_provider"),
                (["provider": "yahoo.com"], "missing_field"), (["token": "t"], "missing_field"),
                (["uid": .string(victim.uid)], "unknown_field"),
            ]
            for (members, reason) in cases {
                await context.fire(context.signOut(member.bearer, members), expecting: .malformed(reason))
            }
            try await context.expectCalls(["yahoo.revoke": 0, "x.oauth2_revoke": 0], since: mark)
        },
        .sweep(
            "LK-45", "A user signs out everywhere, and a thief continues one of the sessions; another user goes on.",
            oracle: "The server ends all sessions of the caller and no others, with either directory.",
            source: "token-exchange API: signout; OWASP ASVS 7.4.3",
            needs: [.standIns, .processes, .accounts], over: ["firebase", "local"]
        ) { context, directory in
            try await context.withServer("signing-out") { plan in
                plan.set("firebase/directory", .string(directory))
                plan.set("firebase/check_revoked", true)
            } _: { server, _ in
                try await context.standIns.setClock(offset: -10)
                let (leaver, other) = (
                    try await context.enter(wire: server.wire), try await context.enter(wire: server.wire)
                )
                try await context.standIns.setClock(offset: 0)
                let answer = try await context.honest(context.signOut(leaver.bearer), at: server.wire)
                await context.expect(
                    answer.json?["sessions_revoked"] == true, .wrongAnswer, "The sessions are not said to have ended.")
                await context.fireEverywhere(
                    leaver.bearer, expecting: .unauthorized("id_token_revoked"), at: server.wire)
                try await context.honest(context.account(other.bearer), at: server.wire)
            }
        },
        .attack(
            "LK-18a", "The first bearer token is sent while Google's keys are unreachable.",
            oracle:
                "The server responds with 503 directory_unavailable, retry, and does not spend the credential.",
            source: "part 2",
            needs: [.standIns, .processes, .accounts]
        ) { context in
            try await context.withServer("keyless") { server, _ in
                let subject = try context.freshSubject()
                let proof = try await context.proof(of: subject, at: second, wire: server.wire)
                let caller = try await context.stranger()
                try await context.standIns.fault(["target": "google.id_token_keys", "drop": true])
                let request = context.link(caller.bearer, proof, provider: second)
                await context.fire(
                    request,
                    expecting: .directoryUnavailable,
                    at: server.wire)
                try await context.standIns.reset()
                try await context.patiently { try await context.honest(request, at: server.wire) }
            }
        },
        .sweep(
            "LK-18b", "A bearer token is sent while Google's key set is empty, HTML, or not a key set.",
            severity: .critical,
            oracle: "The server responds with 503: it accepts no token without a key.", source: "part 2",
            needs: [.standIns, .processes, .accounts], over: ["{\"keys\":[]}", "<html></html>", "{}", "[]"]
        ) { context, body in
            try await context.withServer("keyless-2") { server, _ in
                try await context.standIns.fault(["target": "google.id_token_keys", "body": .string(body)])
                let token = try await context.bearer(of: "another-uid", ["key": "foreign"])
                await context.fire(
                    context.account(token),
                    expecting: Expectation(
                        statuses: [401, 503], reasons: ["directory_unavailable", "id_token_invalid"]),
                    at: server.wire)
                try await context.standIns.reset()
            }
        },
    )
}
