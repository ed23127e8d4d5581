internal import Jansson

/// Bearer tokens of sessions that have ended, are old, or never existed.
enum SessionAttacks {
    static let all: [Attack] = [revoked, recent].flatMap(\.self)

    private static let revoked = Section(.link, .critical, needs: [.standIns, .processes, .accounts]).attacks(
        .attack(
            "LK-02",
            "An unsigned token of the emulator is sent to a server that was started with FIREBASE_AUTH_EMULATOR_HOST.",
            oracle: "The server responds with 401: it never reads the variable.", source: "firebase-tools #2764"
        ) { strike in
            try await strike.withServer("emulated") { plan in
                plan.environment = ["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099"]
            } _: { server, _ in
                let token = try await strike.bearer(
                    of: "another-uid", ["key": "none", "header": ["typ": "JWT"], "header_remove": ["kid"]])
                await strike.fireEverywhere(token, expecting: .unauthorized("id_token_invalid"), at: server.wire)
                let member = try await strike.enter(wire: server.wire)
                let parts = member.customToken.split(separator: ".", omittingEmptySubsequences: false)
                await strike.expect(
                    parts.last?.isEmpty == false, .minted, "The custom token is unsigned, as the emulator's are.")
            }
        },
        .attack(
            "LK-04a", "A revoked session and a disabled user call account endpoints with check_revoked enabled.",
            oracle: "The server responds with 401 id_token_revoked and 403 user_disabled at every endpoint.",
            source: "firebase-admin checkRevoked"
        ) { strike in
            try await strike.withServer("revoking") {
                $0.set("firebase/check_revoked", true)
            } _: { server, _ in
                let victim = try await strike.enter(wire: server.wire)
                try await strike.honest(strike.account(victim.bearer), at: server.wire)
                try await strike.changeUser(victim.uid, ["valid_since": .integer(strike.lab.now + 10)])
                await strike.fireEverywhere(
                    victim.bearer, expecting: .unauthorized("id_token_revoked"), at: server.wire)
                let other = try await strike.enter(wire: server.wire)
                try await strike.changeUser(other.uid, ["disabled": true])
                await strike.fireEverywhere(other.bearer, expecting: .denied("user_disabled"), at: server.wire)
            }
        },
        .attack(
            "LK-04b", "A revoked session makes each call that changes an account, with check_revoked disabled.",
            oracle: "The server responds with 401 id_token_revoked: calls that change an account always check.",
            source: "firebase-admin checkRevoked", needs: [.standIns, .accounts]
        ) { strike in
            let (victim, other) = (try await strike.enter(), try await strike.enter(at: Strike.secondProvider))
            try await strike.changeUser(victim.uid, ["valid_since": .integer(strike.lab.now + 10)])
            let expectation = Expectation.unauthorized("id_token_revoked")
            await strike.fire(
                strike.merge(victim.bearer, ["from_id_token": .string(other.bearer)]), expecting: expectation)
            await strike.fire(
                strike.merge(other.bearer, ["from_id_token": .string(victim.bearer)]), expecting: expectation)
            let proof = try await strike.proof(of: try strike.freshSubject(), at: Strike.secondProvider)
            for request in [
                strike.link(victim.bearer, proof, provider: Strike.secondProvider),
                strike.unlink(victim.bearer, victim.provider),
                strike.reauthenticate(victim.bearer, try await strike.proof(of: victim.subject)),
                strike.signOut(victim.bearer), strike.enrollment(victim.bearer),
                strike.deleteAccount(victim.bearer),
            ] { await strike.fire(request, expecting: expectation) }
            try await strike.expectIdentities(other, [other.provider: other.subject])
            try await strike.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-04c", "An ID token of a user unknown to Firebase is used as caller and as proof of a merge.",
            oracle: "The server responds with 401 account_gone.", source: "firebase-admin checkRevoked",
            needs: [.standIns, .accounts]
        ) { strike in
            let victim = try await strike.enter()
            let ghost = try await strike.bearer(of: try strike.freshSubject())
            let expectation = Expectation.unauthorized("account_gone")
            await strike.fire(strike.merge(victim.bearer, ["from_id_token": .string(ghost)]), expecting: expectation)
            await strike.fire(strike.merge(ghost, ["from_id_token": .string(victim.bearer)]), expecting: expectation)
            try await strike.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-16", "A user of a tenant calls a server without a tenant, and the reverse.",
            oracle: "The server responds with 401 id_token_invalid.", source: "firebase-admin tenant manager"
        ) { strike in
            let tenant = ["tenant_id": JSON.string("tenant-1")]
            let expectation = Expectation.unauthorized("id_token_invalid")
            await strike.fireEverywhere(try await strike.bearer(of: "another-uid", tenant), expecting: expectation)
            try await strike.withServer("tenanted") {
                $0.set("firebase/tenant_id", "tenant-1")
            } _: { server, _ in
                let own = try await strike.bearer(of: "another-uid", tenant)
                try await strike.honest(strike.account(own), at: server.wire)
                for order in [[:], ["tenant_id": "tenant-2"], ["tenant_id": "Tenant-1"]] as [[String: JSON]] {
                    let token = try await strike.bearer(of: "another-uid", order)
                    await strike.fireEverywhere(token, expecting: expectation, at: server.wire)
                }
            }
        },
    )

    private static let recent = Section(.link, .high, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-05", "A stolen session that is one hour old calls LINK, UNLINK, MERGE and DELETE.",
            oracle: "The server responds with 401 requires_recent_login; a refreshed token keeps its `auth_time`.",
            source: "GHSA-hp74-gm6m-2qm5"
        ) { strike in
            let victim = try await strike.enter()
            let other = try await strike.enter(at: Strike.secondProvider)
            let expectation = Expectation.unauthorized("requires_recent_login")
            for seconds in [301, 3600, 1_000_000] as [Int64] {
                let old = try await strike.bearer(
                    of: victim.uid, ["authenticated_seconds_ago": .integer(seconds), "issued_seconds_ago": 0])
                let proof = try await strike.proof(of: try strike.freshSubject(), at: Strike.secondProvider)
                await strike.fire(
                    strike.link(old, proof, provider: Strike.secondProvider), expecting: expectation)
                await strike.fire(strike.unlink(old, victim.provider), expecting: expectation)
                await strike.fire(
                    strike.merge(old, ["from_id_token": .string(other.bearer)]), expecting: expectation)
                await strike.fire(strike.deleteAccount(old), expecting: expectation)
            }
            try await strike.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-05b", "A recent caller merges an account whose ID token is of a sign-in one hour ago.",
            oracle: "The server responds with 401 requires_recent_login: both sign-ins must be recent.",
            source: "GHSA-hp74-gm6m-2qm5"
        ) { strike in
            let (victim, attacker) = (try await strike.enter(), try await strike.enter(at: Strike.secondProvider))
            let old = try await strike.bearer(
                of: victim.uid, ["authenticated_seconds_ago": 3600, "issued_seconds_ago": 0])
            await strike.fire(
                strike.merge(attacker.bearer, ["from_id_token": .string(old)]),
                expecting: .unauthorized("requires_recent_login"))
            try await strike.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-41", "A session with a second factor links an identity that would bypass the second factor.",
            oracle: "The server responds with 403 second_factor_required at LINK, REAUTHENTICATE and MERGE.",
            source: "token-exchange API: second_factor_required"
        ) { strike in
            let (victim, other) = (try await strike.enter(), try await strike.enter(at: Strike.secondProvider))
            let firebase: JSON = ["sign_in_provider": "password", "sign_in_second_factor": "phone"]
            let token = try await strike.bearer(of: victim.uid, ["set": ["firebase": firebase]])
            let expectation = Expectation.denied("second_factor_required")
            let proof = try await strike.proof(of: try strike.freshSubject(), at: Strike.secondProvider)
            await strike.fire(strike.link(token, proof, provider: Strike.secondProvider), expecting: expectation)
            let own = try await strike.proof(of: victim.subject)
            await strike.fire(strike.reauthenticate(token, own), expecting: expectation)
            await strike.fire(
                strike.merge(token, ["from_id_token": .string(other.bearer)]), expecting: expectation)
            await strike.fire(
                strike.merge(other.bearer, ["from_id_token": .string(token)]), expecting: expectation)
            try await strike.changeUser(victim.uid, ["mfa": true])
            await strike.fire(
                strike.merge(other.bearer, ["from_id_token": .string(victim.bearer)]), expecting: expectation)
            try await strike.expectIdentities(victim, [victim.provider: victim.subject])
        },
    )
}
