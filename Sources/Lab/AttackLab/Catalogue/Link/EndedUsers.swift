internal import Jansson

/// Firebase users whose account on the server was deleted, and guests with an additional Firebase identity.
enum EndedUsers {
    private static let second = AttackContext.secondProvider
    private static let needs: Set<Need> = [.standIns, .accounts]

    static let all: [Attack] = deletions + upgrades

    private static let deletions = Section(.link, .high, needs: needs).attacks(
        .attack(
            "LK-52a", "The refresh token of a deleted account is used for new ID tokens.",
            oracle: "The server also deletes the Firebase user and reports that; the refresh token yields no ID token.",
            source: "token-exchange API: DELETE /v1/account"
        ) { context in
            let member = try await context.enter()
            let refreshToken = try await context.refreshToken(for: member)
            let answer = try await context.honest(context.deleteAccount(member.bearer))
            try await context.expectEnded(member, refreshToken, answer)
        },
        .attack(
            "LK-52b", "The refresh token of an account that was merged away is used for new ID tokens.",
            oracle: "The server also deletes that Firebase user; the target account keeps its own.",
            source: "token-exchange API: merge"
        ) { context in
            let (caller, other) = (try await context.enter(), try await context.enter(at: second))
            let refreshToken = try await context.refreshToken(for: other)
            let answer = try await context.honest(
                context.merge(caller.bearer, ["from_id_token": .string(other.bearer)]))
            try await context.expectEnded(other, refreshToken, answer)
            try await context.honest(context.account(caller.bearer))
        },
        .attack(
            "LK-52c", "An account is deleted, and the service account may not delete Firebase users.",
            severity: .medium,
            oracle: "The server responds with 200 and firebase_user kept: it deletes the account and claims no more.",
            source: "token-exchange API: firebase_user"
        ) { context in
            let forbidden = #"{"error":{"code":403,"message":"PERMISSION_DENIED","status":"PERMISSION_DENIED"}}"#
            for target: JSON in ["google.lookup", "google.delete"] {
                let member = try await context.enter()
                try await context.standIns.fault(["target": target, "status": 403, "body": .string(forbidden)])
                let answer = try await context.honest(context.deleteAccount(member.bearer))
                try await context.standIns.reset()
                await context.expect(
                    answer["firebase_user"] == "kept", .wrongAnswer,
                    "firebase_user is \(answer["firebase_user"] ?? "missing") after 403 of \(target.string ?? "").")
                await context.fire(context.account(member.bearer), expecting: .unauthorized("account_gone"))
            }
        },
        .attack(
            "LK-52d", "An account is deleted and merged while Firebase is unreachable.",
            oracle:
                "The server responds with 503 directory_unavailable, retry same, and changes nothing.",
            source: "token-exchange API: DELETE /v1/account"
        ) { context in
            let (member, other) = (try await context.enter(), try await context.enter(at: second))
            let requests = [
                context.deleteAccount(member.bearer),
                context.merge(member.bearer, ["from_id_token": .string(other.bearer)]),
            ]
            for target: JSON in ["google.lookup", "google.delete"] {
                try await context.standIns.fault(["target": target, "drop": true])
            }
            for request in requests {
                let reply = await context.fire(request, expecting: .directoryUnavailable)
                await context.expect(
                    reply.answer?["retry"] == "same", .wrongAnswer, "The refusal does not say retry: same.")
            }
            try await context.standIns.reset()
            try await context.expectIdentities(member, [member.provider: member.subject])
            try await context.expectIdentities(other, [other.provider: other.subject])
            try await context.patiently { try await context.honest(requests[0]) }
        },
    )

    /// Guest sessions of users who have got an identity at Firebase since.
    private static let upgrades: [Attack] = [
        upgrade(
            "LK-53a", "with an ID token that names the identity",
            ["sign_in_provider": "custom", "authenticated_seconds_ago": 3600, "issued_seconds_ago": 0]),
        upgrade(
            "LK-53b", "with an older ID token",
            [
                "authenticated_seconds_ago": 3600, "issued_seconds_ago": 0,
                "set": ["firebase": ["sign_in_provider": "custom", "identities": [:]]],
            ]),
        upgrade(
            "LK-53c", "with an ID token of a sign-in with Google",
            [
                "sign_in_provider": "google.com", "authenticated_seconds_ago": 3600, "issued_seconds_ago": 0,
                "set": ["firebase": ["sign_in_provider": "google.com", "identities": [:]]],
            ]),
    ]

    private static func upgrade(_ id: String, _ what: String, _ order: [String: JSON]) -> Attack {
        Attack(
            id, .link, .critical,
            "A stolen session of a guest who has added Google at Firebase links an identity, \(what).",
            oracle: "The server responds with 401 requires_recent_login: such a user is not a guest.",
            source: "GHSA-hp74-gm6m-2qm5",
            needs: needs.union([.anonymous])
        ) { context in
            let guest = try await context.enterAnonymously()
            try await context.changeUser(
                guest.uid, ["link": ["providerId": "google.com", "rawId": .string(try context.freshSubject())]])
            // The session is old but not revoked.
            try await context.changeUser(guest.uid, ["valid_since": .integer(context.lab.now - 7200)])
            let old = try await context.bearer(of: guest.uid, order)
            let proof = try await context.proof(of: try context.freshSubject(), at: second)
            await context.fire(
                context.link(old, proof, provider: second), expecting: .unauthorized("requires_recent_login"))
            try await context.expectIdentities(guest, [:])
        }
    }
}

extension AttackContext {
    /// Returns the refresh token that Firebase issues with the ID token.
    fileprivate func refreshToken(for member: Member) async throws -> String {
        let request = Request.json(
            "/v1/accounts:signInWithCustomToken?key=sandbox-api-key",
            ["token": .string(member.customToken), "returnSecureToken": true])
        let answer = await Wire(base: try standIns.addresses.google).send(request).answer
        guard let token = answer?["refreshToken"] else { throw Inconclusive("Firebase returned no refresh token.") }
        await secret(token)
        return token
    }

    /// Expects that neither Firebase nor the server has the user.
    fileprivate func expectEnded(_ member: Member, _ refreshToken: String, _ answer: Answer) async throws {
        await expect(
            answer["firebase_user"] == "deleted", .wrongAnswer,
            "firebase_user is \(answer["firebase_user"] ?? "missing"); deleted is correct.")
        let refreshed = await Wire(base: try standIns.addresses.google).send(
            .form(
                "/v1/token?key=sandbox-api-key",
                [("grant_type", "refresh_token"), ("refresh_token", refreshToken)])
        ).answer
        await expect(refreshed?.status == 400, .minted, "The refresh token of a deleted user still yields ID tokens.")
        let users = try await standIns.firebaseUsers()
        await expect(
            !users.contains { $0["localId"]?.string == member.uid }, .consumed, "The user still exists at Firebase.")
        await fire(account(member.bearer), expecting: .unauthorized("account_gone"))
    }
}

extension Expectation {
    /// Expects 503: Firebase, which this request needs, does not respond.
    static let directoryUnavailable = refused(
        "directory_unavailable", status: 503, error: "temporarily_unavailable")
}
