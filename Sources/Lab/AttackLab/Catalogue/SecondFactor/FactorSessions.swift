internal import Jansson

/// Calls of a session that has not proven the second factor of its account, or not recently.
enum FactorSessions {
    private static let second = Strike.secondProvider

    static let all = Section(.secondFactor, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "2F-40a", "A session from before the factor was added links, unlinks, merges, reauthenticates and deletes.",
            oracle: "The server responds with 403 second_factor_required, without a handle, and changes nothing.",
            source: "CWE-308; OWASP ASVS 7.5.3"
        ) { strike in
            let person = try await strike.enterWithFactor()
            try await strike.expectRefusedEverywhere(person.member.bearer, person)
            try await strike.expectProtected(person)
        },
        .attack(
            "2F-40b", "A session whose proof of the second factor is old makes these calls.",
            oracle: "The server responds with 403 second_factor_required: the proof must be as recent as the login.",
            source: "CWE-613; OWASP ASVS 7.5.3"
        ) { strike in
            let person = try await strike.enterWithFactor()
            for seconds in [301, 3600, 100_000_000] as [Int64] {
                let old = try await strike.bearer(
                    of: person.member.uid,
                    ["claims": ["second_factor": "totp", "second_factor_time": .integer(strike.lab.now - seconds)]])
                try await strike.expectRefusedEverywhere(old, person)
            }
            try await strike.expectProtected(person)
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
        ) { strike, claims in
            let person = try await strike.enterWithFactor()
            let bearer = try await strike.bearer(of: person.member.uid, ["claims": .object(claims)])
            await strike.fire(strike.unlink(bearer, person.member.provider), expecting: .factorRequired)
            await strike.fire(strike.deleteAccount(bearer), expecting: .factorRequired)
        },
        .attack(
            "2F-41", "The account with the factor is merged away, by its ID token, by a conflict, and without a proof.",
            oracle: "The server responds with 409 merge_not_possible: the factor would be lost.",
            source: "CWE-308; LK-35"
        ) { strike in
            let person = try await strike.enterWithFactor()
            let proven = try await strike.enter(person, .totp(person.authenticator.code()))
            let attacker = try await strike.enter(at: second)
            let impossible = Expectation.conflict("merge_not_possible")
            for bearer in [person.member.bearer, proven.bearer] {
                await strike.fire(
                    strike.merge(attacker.bearer, ["from_id_token": .string(bearer)]), expecting: impossible)
            }
            let pending = try await strike.conflict(attacker, with: person.member)
            let reply = await strike.fire(
                strike.merge(attacker.bearer, ["pending_credential": pending["pending_credential"] ?? ""]),
                expecting: impossible)
            await strike.expect(
                reply.answer?["pending_credential"] == nil, .minted, "The response contains another handle.")
            try await strike.expectIdentities(attacker, [second: attacker.subject])
            try await strike.expectProtected(person)
        },
        .attack(
            "2F-42", "A session with the proof of one account is used for another account with a factor.",
            oracle: "The server responds with 401 or 403: the claims belong to the account of the token.",
            source: "CWE-639"
        ) { strike in
            let (victim, attacker) = (try await strike.enterWithFactor(), try await strike.enterWithFactor())
            let proven = try await strike.enter(attacker, .totp(attacker.authenticator.code()))
            await strike.fire(
                strike.merge(proven.bearer, ["from_id_token": .string(victim.member.bearer)]),
                expecting: .conflict("merge_not_possible"))
            await strike.fire(
                strike.removal(proven.bearer, victim.authenticator.id, .totp(attacker.authenticator.code(1))),
                expecting: .conflict("no_such_factor"))
            await strike.fire(
                strike.link(proven.bearer, try await strike.proof(of: victim.member.subject)),
                expecting: .conflict("provider_already_linked", "credential_already_in_use"))
            try await strike.expectProtected(victim)
        },
        .attack(
            "2F-43", "The proof of the second factor gets lost or younger, by linking again and again.",
            oracle: "The custom token of a link has the time of the code, not that of the link.",
            source: "CWE-613"
        ) { strike in
            let person = try await strike.enterWithFactor()
            let proven = try await strike.enter(person, .totp(person.authenticator.code()))
            let before = try MintedToken(proven.customToken).claims["claims"]
            let answer = try await strike.honest(
                strike.link(
                    proven.bearer, try await strike.proof(of: try strike.freshSubject(), at: second), provider: second))
            let after = try MintedToken(answer["custom_token"] ?? "").claims["claims"]
            await strike.expect(
                after?["second_factor"] == "totp" && after?["second_factor_time"] != nil
                    && after?["second_factor_time"] == before?["second_factor_time"], .minted,
                "The link has changed the claims of the second factor.")
        },
    )
}

extension Strike {
    /// Makes each call that needs a proof of the second factor, and expects that the server asks for the proof.
    fileprivate func expectRefusedEverywhere(_ bearer: String, _ person: Enrolled) async throws {
        let (own, second) = (person.member, Strike.secondProvider)
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
