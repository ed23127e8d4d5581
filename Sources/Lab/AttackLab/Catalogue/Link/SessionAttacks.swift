internal import Jansson

/// Bearer tokens of sessions that have ended, are old, or never existed.
enum SessionAttacks {
    static let all: [Attack] = [revoked, recent].flatMap(\.self)

    private static let revoked = Section(.link, .critical, needs: [.standIns, .processes, .accounts]).attacks(
        .attack(
            "LK-02",
            "An unsigned token of the emulator is sent to a server that was started with FIREBASE_AUTH_EMULATOR_HOST.",
            oracle: "The server responds with 401: it never reads the variable.", source: "firebase-tools #2764"
        ) { context in
            try await context.withServer("emulated") { plan in
                plan.environment = ["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099"]
            } _: { server, _ in
                let token = try await context.bearer(
                    of: "another-uid", ["key": "none", "header": ["typ": "JWT"], "header_remove": ["kid"]])
                await context.fireEverywhere(token, expecting: .unauthorized("id_token_invalid"), at: server.wire)
                let member = try await context.enter(wire: server.wire)
                let parts = member.customToken.split(separator: ".", omittingEmptySubsequences: false)
                await context.expect(
                    parts.last?.isEmpty == false, .minted, "The custom token is unsigned, as the emulator's are.")
            }
        },
        .attack(
            "LK-04a", "A revoked session and a disabled user call account endpoints with check_revoked enabled.",
            oracle: "The server responds with 401 id_token_revoked and 403 user_disabled at every endpoint.",
            source: "firebase-admin checkRevoked"
        ) { context in
            try await context.withServer("revoking") {
                $0.set("firebase/check_revoked", true)
            } _: { server, _ in
                let victim = try await context.enter(wire: server.wire)
                try await context.honest(context.account(victim.bearer), at: server.wire)
                try await context.changeUser(victim.uid, ["valid_since": .integer(context.lab.now + 10)])
                await context.fireEverywhere(
                    victim.bearer, expecting: .unauthorized("id_token_revoked"), at: server.wire)
                let other = try await context.enter(wire: server.wire)
                try await context.changeUser(other.uid, ["disabled": true])
                await context.fireEverywhere(other.bearer, expecting: .denied("user_disabled"), at: server.wire)
            }
        },
        .attack(
            "LK-04b", "A revoked session makes each call that changes an account, with check_revoked disabled.",
            oracle: "The server responds with 401 id_token_revoked: calls that change an account always check.",
            source: "firebase-admin checkRevoked", needs: [.standIns, .accounts]
        ) { context in
            let (victim, other) = (try await context.enter(), try await context.enter(at: AttackContext.secondProvider))
            try await context.changeUser(victim.uid, ["valid_since": .integer(context.lab.now + 10)])
            let expectation = Expectation.unauthorized("id_token_revoked")
            await context.fire(
                context.merge(victim.bearer, ["from_id_token": .string(other.bearer)]), expecting: expectation)
            await context.fire(
                context.merge(other.bearer, ["from_id_token": .string(victim.bearer)]), expecting: expectation)
            let proof = try await context.proof(of: try context.freshSubject(), at: AttackContext.secondProvider)
            for request in [
                context.link(victim.bearer, proof, provider: AttackContext.secondProvider),
                context.unlink(victim.bearer, victim.provider),
                context.reauthenticate(victim.bearer, try await context.proof(of: victim.subject)),
                context.signOut(victim.bearer), context.enrollment(victim.bearer),
                context.deleteAccount(victim.bearer),
            ] { await context.fire(request, expecting: expectation) }
            try await context.expectIdentities(other, [other.provider: other.subject])
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-04c", "An ID token of a user unknown to Firebase is used as caller and as proof of a merge.",
            oracle: "The server responds with 401 account_gone.", source: "firebase-admin checkRevoked",
            needs: [.standIns, .accounts]
        ) { context in
            let victim = try await context.enter()
            let ghost = try await context.bearer(of: try context.freshSubject())
            let expectation = Expectation.unauthorized("account_gone")
            await context.fire(context.merge(victim.bearer, ["from_id_token": .string(ghost)]), expecting: expectation)
            await context.fire(context.merge(ghost, ["from_id_token": .string(victim.bearer)]), expecting: expectation)
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-16", "A user of a tenant calls a server without a tenant, and the reverse.",
            oracle: "The server responds with 401 id_token_invalid.", source: "firebase-admin tenant manager"
        ) { context in
            let tenant = ["tenant_id": JSON.string("tenant-1")]
            let expectation = Expectation.unauthorized("id_token_invalid")
            await context.fireEverywhere(try await context.bearer(of: "another-uid", tenant), expecting: expectation)
            try await context.withServer("tenanted") {
                $0.set("firebase/tenant_id", "tenant-1")
            } _: { server, _ in
                let own = try await context.bearer(of: "another-uid", tenant)
                try await context.honest(context.account(own), at: server.wire)
                for order in [[:], ["tenant_id": "tenant-2"], ["tenant_id": "Tenant-1"]] as [[String: JSON]] {
                    let token = try await context.bearer(of: "another-uid", order)
                    await context.fireEverywhere(token, expecting: expectation, at: server.wire)
                }
            }
        },
    )

    private static let recent = Section(.link, .high, needs: [.standIns, .accounts]).attacks(
        .attack(
            "LK-05", "A stolen session that is one hour old calls LINK, UNLINK, MERGE and DELETE.",
            oracle: "The server responds with 401 requires_recent_login; a refreshed token keeps its `auth_time`.",
            source: "GHSA-hp74-gm6m-2qm5"
        ) { context in
            let victim = try await context.enter()
            let other = try await context.enter(at: AttackContext.secondProvider)
            let expectation = Expectation.unauthorized("requires_recent_login")
            for seconds in [301, 3600, 1_000_000] as [Int64] {
                let old = try await context.bearer(
                    of: victim.uid, ["authenticated_seconds_ago": .integer(seconds), "issued_seconds_ago": 0])
                let proof = try await context.proof(of: try context.freshSubject(), at: AttackContext.secondProvider)
                await context.fire(
                    context.link(old, proof, provider: AttackContext.secondProvider), expecting: expectation)
                await context.fire(context.unlink(old, victim.provider), expecting: expectation)
                await context.fire(
                    context.merge(old, ["from_id_token": .string(other.bearer)]), expecting: expectation)
                await context.fire(context.deleteAccount(old), expecting: expectation)
            }
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-05b", "A recent caller merges an account whose ID token is of a sign-in one hour ago.",
            oracle: "The server responds with 401 requires_recent_login: both sign-ins must be recent.",
            source: "GHSA-hp74-gm6m-2qm5"
        ) { context in
            let (victim, attacker) = (
                try await context.enter(), try await context.enter(at: AttackContext.secondProvider)
            )
            let old = try await context.bearer(
                of: victim.uid, ["authenticated_seconds_ago": 3600, "issued_seconds_ago": 0])
            await context.fire(
                context.merge(attacker.bearer, ["from_id_token": .string(old)]),
                expecting: .unauthorized("requires_recent_login"))
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
        },
        .attack(
            "LK-41", "A session with a second factor links an identity that would bypass the second factor.",
            oracle: "The server responds with 403 second_factor_required at LINK, REAUTHENTICATE and MERGE.",
            source: "token-exchange API: second_factor_required"
        ) { context in
            let (victim, other) = (try await context.enter(), try await context.enter(at: AttackContext.secondProvider))
            let firebase: JSON = ["sign_in_provider": "password", "sign_in_second_factor": "phone"]
            let token = try await context.bearer(of: victim.uid, ["set": ["firebase": firebase]])
            let expectation = Expectation.denied("second_factor_required")
            let proof = try await context.proof(of: try context.freshSubject(), at: AttackContext.secondProvider)
            await context.fire(
                context.link(token, proof, provider: AttackContext.secondProvider), expecting: expectation)
            let own = try await context.proof(of: victim.subject)
            await context.fire(context.reauthenticate(token, own), expecting: expectation)
            await context.fire(
                context.merge(token, ["from_id_token": .string(other.bearer)]), expecting: expectation)
            await context.fire(
                context.merge(other.bearer, ["from_id_token": .string(token)]), expecting: expectation)
            try await context.changeUser(victim.uid, ["mfa": true])
            await context.fire(
                context.merge(other.bearer, ["from_id_token": .string(victim.bearer)]), expecting: expectation)
            try await context.expectIdentities(victim, [victim.provider: victim.subject])
        },
    )
}
