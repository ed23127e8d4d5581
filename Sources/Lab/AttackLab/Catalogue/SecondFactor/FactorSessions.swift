internal import Jansson

/// Calls of a session that has not proven the second factor of its account, or not recently.
enum FactorSessions {
    private static let second = AttackContext.secondProvider

    static let all = Section(.secondFactor, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "2F-40a", "A session from before the factor was added links, unlinks, merges, reauthenticates and deletes.",
            oracle: "The server responds with 403 second_factor_required, without a handle, and changes nothing.",
            source: "CWE-308; OWASP ASVS 7.5.3"
        ) { context in
            let person = try await context.enterWithFactor()
            try await context.expectRefusedEverywhere(person.member.bearer, person)
            try await context.expectProtected(person)
        },
        .attack(
            "2F-40b", "A session whose proof of the second factor is old makes these calls.",
            oracle: "The server responds with 403 second_factor_required: the proof must be as recent as the login.",
            source: "CWE-613; OWASP ASVS 7.5.3"
        ) { context in
            let person = try await context.enterWithFactor()
            for seconds in [301, 3600, 100_000_000] as [Int64] {
                let old = try await context.bearer(
                    of: person.member.uid,
                    ["claims": ["second_factor": "totp", "second_factor_time": .integer(context.lab.now - seconds)]])
                try await context.expectRefusedEverywhere(old, person)
            }
            try await context.expectProtected(person)
        },
        .sweep(
            "2F-40c", "A session has only one of the claims, or one of another JSON type or with another value.",
            oracle: "The server responds with 403 second_factor_required.", source: "CWE-843; RFC 8725 section 3.12",
            over: [
                [:], ["second_factor": "totp"], ["second_factor": "totp", "second_factor_time": "now"],
                ["second_factor": "totp", "second_factor_time": true],
                ["second_factor": "totp", "second_factor_time": .null],
                ["second_factor": "totp", "second_factor_time": 0],
                ["second_factor": "totp", "second_factor_time": -1],
                ["second_factor": true, "second_factor_time": 9_999_999_999],
                ["second_factor": "sms", "second_factor_time": 9_999_999_999],
                ["second_factor": ["totp"], "second_factor_time": 9_999_999_999],
                ["second_factor_time": 9_999_999_999],
            ] as [[String: JSON]]
        ) { context, claims in
            let person = try await context.enterWithFactor()
            let bearer = try await context.bearer(of: person.member.uid, ["claims": .object(claims)])
            await context.fire(context.unlink(bearer, person.member.provider), expecting: .factorRequired)
            await context.fire(context.deleteAccount(bearer), expecting: .factorRequired)
        },
        .attack(
            "2F-41", "The account with the factor is merged away, by its ID token, by a conflict, and without a proof.",
            oracle: "The server responds with 409 merge_not_possible: the factor would be lost.",
            source: "CWE-308; LK-35"
        ) { context in
            let person = try await context.enterWithFactor()
            let proven = try await context.enter(person, .totp(person.authenticator.code()))
            let attacker = try await context.enter(at: second)
            let impossible = Expectation.conflict("merge_not_possible")
            for bearer in [person.member.bearer, proven.bearer] {
                await context.fire(
                    context.merge(attacker.bearer, ["from_id_token": .string(bearer)]), expecting: impossible)
            }
            let pending = try await context.conflict(attacker, with: person.member)
            let reply = await context.fire(
                context.merge(attacker.bearer, ["pending_credential": pending["pending_credential"] ?? ""]),
                expecting: impossible)
            await context.expect(
                reply.answer?["pending_credential"] == nil, .minted, "The response contains another handle.")
            try await context.expectIdentities(attacker, [second: attacker.subject])
            try await context.expectProtected(person)
        },
        .attack(
            "2F-42", "A session with the proof of one account is used for another account with a factor.",
            oracle: "The server responds with 401 or 403: the claims belong to the account of the token.",
            source: "CWE-639"
        ) { context in
            let (victim, attacker) = (try await context.enterWithFactor(), try await context.enterWithFactor())
            let proven = try await context.enter(attacker, .totp(attacker.authenticator.code()))
            await context.fire(
                context.merge(proven.bearer, ["from_id_token": .string(victim.member.bearer)]),
                expecting: .conflict("merge_not_possible"))
            await context.fire(
                context.removal(proven.bearer, victim.authenticator.id, .totp(attacker.authenticator.code(1))),
                expecting: .conflict("no_such_factor"))
            await context.fire(
                context.link(proven.bearer, try await context.proof(of: victim.member.subject)),
                expecting: .conflict("provider_already_linked", "credential_already_in_use"))
            try await context.expectProtected(victim)
        },
        .attack(
            "2F-43", "The proof of the second factor gets lost or younger, by linking again and again.",
            oracle: "The custom token of a link has the time of the code, not that of the link.",
            source: "CWE-613"
        ) { context in
            let person = try await context.enterWithFactor()
            let proven = try await context.enter(person, .totp(person.authenticator.code()))
            let before = try MintedToken(proven.customToken).claims["claims"]
            let answer = try await context.honest(
                context.link(
                    proven.bearer, try await context.proof(of: try context.freshSubject(), at: second), provider: second
                ))
            let after = try MintedToken(answer["custom_token"] ?? "").claims["claims"]
            await context.expect(
                after?["second_factor"] == "totp" && after?["second_factor_time"] != nil
                    && after?["second_factor_time"] == before?["second_factor_time"], .minted,
                "The link has changed the claims of the second factor.")
        },
    )
}

extension AttackContext {
    /// Makes each call that needs a proof of the second factor, and expects that the server asks for the proof.
    fileprivate func expectRefusedEverywhere(_ bearer: String, _ person: Enrolled) async throws {
        let (own, second) = (person.member, AttackContext.secondProvider)
        let other = try await enter(at: second)
        for request in [
            link(bearer, try await proof(of: try freshSubject(), at: second), provider: second),
            unlink(bearer, own.provider), merge(bearer, ["from_id_token": .string(other.bearer)]),
            reauthenticate(bearer, try await proof(of: own.subject)),
            deleteAccount(bearer), enrollment(bearer),
            confirmation(bearer, person.authenticator.id, person.authenticator.code(1)),
        ] {
            let reply = await fire(request, expecting: .factorRequired)
            await expect(
                reply.answer?["pending_credential"] == nil, .minted, "The response contains a handle to sign in.")
        }
    }
}
