internal import Jansson

/// Additions and removals of factors by an attacker who has a session of the victim.
enum FactorChanges {
    static let all = Section(.secondFactor, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "2F-50a", "A stolen session without the second factor adds the attacker's authenticator application.",
            oracle: "The server responds with 403 second_factor_required, and the factors stay.",
            source: "CWE-308; OWASP ASVS 6.3.3"
        ) { context in
            let person = try await context.enterWithFactor()
            await context.fire(context.enrollment(person.member.bearer), expecting: .factorRequired)
            let old = try await context.bearer(
                of: person.member.uid,
                ["claims": ["second_factor": "totp", "second_factor_time": .integer(context.lab.now - 301)]])
            await context.fire(context.enrollment(old), expecting: .factorRequired)
            try await context.expectProtected(person)
        },
        .attack(
            "2F-50b", "A stolen session that is one hour old adds, lists and removes factors.", severity: .high,
            oracle: "The server responds with 401 requires_recent_login.", source: "GHSA-hp74-gm6m-2qm5"
        ) { context in
            let (member, person) = (try await context.enter(), try await context.enterWithFactor())
            let expectation = Expectation.unauthorized("requires_recent_login")
            for uid in [member.uid, person.member.uid] {
                let old = try await context.bearer(
                    of: uid, ["authenticated_seconds_ago": 3600, "issued_seconds_ago": 0])
                await context.fire(context.enrollment(old), expecting: expectation)
                await context.fire(
                    context.confirmation(old, person.authenticator.id, person.authenticator.code()),
                    expecting: expectation)
                await context.fire(Request.get("/v1/account/factors").bearing(old), expecting: expectation)
                await context.fire(
                    context.removal(old, person.authenticator.id, .recoveryCode(person.recoveryCodes[0])),
                    expecting: expectation)
            }
            try await context.expectProtected(person)
        },
        .attack(
            "2F-50c",
            "A session that has not proven the second factor confirms one, which replaces the recovery codes.",
            oracle: "The server responds with 403 second_factor_required, and the recovery codes stay valid.",
            source: "CWE-308; OWASP ASVS 6.3.3"
        ) { context in
            let person = try await context.enterWithFactor()
            let proven = try await context.enter(person, .totp(person.authenticator.code()))
            let begun = try await context.begunFactor(of: proven)
            await context.fire(
                context.confirmation(person.member.bearer, begun.id, begun.code()), expecting: .factorRequired)
            try await context.mustStillWork(
                context.proving(try await context.challenge(person), .recoveryCode(person.recoveryCodes[0])))
            try await context.expectProtected(person)
        },
        .attack(
            "2F-50d", "A session that was ended confirms and removes factors, with check_revoked disabled.",
            oracle: "The server responds with 401 id_token_revoked, and the factors stay.",
            source: "CWE-613; firebase-admin checkRevoked"
        ) { context in
            let (thief, person) = (try await context.enter(), try await context.enterWithFactor())
            let begun = try await context.begunFactor(of: thief)
            for uid in [thief.uid, person.member.uid] {
                try await context.changeUser(uid, ["valid_since": .integer(context.lab.now + 10)])
            }
            let expectation = Expectation.unauthorized("id_token_revoked")
            await context.fire(
                context.confirmation(thief.bearer, begun.id, begun.code()), expecting: expectation)
            await context.fire(
                context.removal(
                    person.member.bearer, person.authenticator.id, .recoveryCode(person.recoveryCodes[0])),
                expecting: expectation)
            await context.expect(
                try await context.factors(thief.bearer).isEmpty, .minted, "A session that was ended added a factor.")
            try await context.expectProtected(person)
        },
        .attack(
            "2F-50e", "Two sessions of one account add a factor at the same time, twenty times.",
            oracle: "One factor is confirmed: the other session has not proven it.", source: "CWE-362; CWE-367"
        ) { context in
            let member = try await context.enter()
            let replies = await context.volley(
                Array(repeating: context.enrollment(member.bearer), count: 20), winners: 20...20,
                losers: .factorRequired
            ) { $0.status == 200 }
            let begun = replies.compactMap { reply -> Authenticator? in
                guard let id = reply.answer?["factor_id"], let secret = reply.answer?["secret"] else { return nil }
                return Authenticator(id, secret)
            }
            await context.volley(
                begun.map { context.confirmation(member.bearer, $0.id, $0.code()) }, winners: 1...1,
                losers: Expectation.conflict("no_such_factor").or(.factorRequired)
            ) { $0.status == 200 }
            await context.expect(
                try await context.factors(member.bearer).count == 1, .raced, "Several sessions confirmed a factor.")
        },
        .attack(
            "2F-51a", "A factor is removed with wrong codes, a used one, and one of another account.",
            oracle: "The server responds with 400 second_factor_invalid, and the factor stays.",
            source: "CWE-620; OWASP ASVS 6.3.3"
        ) { context in
            let (person, other) = (try await context.enterWithFactor(), try await context.enterWithFactor())
            let used = FactorText.totp(person.authenticator.code())
            let bearer = try await context.enter(person, used).bearer
            for code in [
                used, .totp(other.authenticator.code(1)), .recoveryCode(other.recoveryCodes[0]),
                .totp(person.authenticator.wrongCodes(1)[0]),
            ] {
                await context.fire(
                    context.removal(bearer, person.authenticator.id, code), expecting: .wrongFactor)
            }
            try await context.expectProtected(person)
        },
        .attack(
            "2F-51b", "The factor of another account is confirmed and removed by its id, with right codes.",
            oracle: "The server responds with 409 no_such_factor, and uses no code.", source: "CWE-639"
        ) { context in
            let (victim, attacker) = (try await context.enterWithFactor(), try await context.enterWithFactor())
            let begun = try await context.begunFactor(of: try await context.enter())
            let bearer = attacker.member.bearer
            let unknown = Expectation.conflict("no_such_factor")
            // A further factor needs a session that has proven the first one.
            await context.fire(
                context.confirmation(bearer, begun.id, begun.code()), expecting: .denied("second_factor_required"))
            await context.fire(
                context.confirmation(try await context.enter().bearer, begun.id, begun.code()), expecting: unknown)
            let code = FactorText.totp(attacker.authenticator.code())
            for id in [victim.authenticator.id, begun.id, "*", "%", "_"] {
                await context.fire(context.removal(bearer, id, code), expecting: unknown)
            }
            try await context.expectProtected(victim)
            try await context.mustStillWork(context.removal(bearer, attacker.authenticator.id, code))
        },
        .attack(
            "2F-52", "A factor is confirmed by wrong codes, and the account signs in without it in between.",
            severity: .high,
            oracle: "The server responds with 400 second_factor_invalid; the factor counts only when it is confirmed.",
            source: "CWE-303"
        ) { context in
            let member = try await context.enter()
            let authenticator = try await context.begunFactor(of: member)
            for code in authenticator.wrongCodes(6) {
                await context.fire(
                    context.confirmation(member.bearer, authenticator.id, code), expecting: .wrongFactor)
            }
            await context.expect(
                try await context.factors(member.bearer).isEmpty, .minted, "A wrong code confirmed the factor.")
            try await context.mustStillWork(context.exchange(try await context.proof(of: member.subject)))
            try await context.mustStillWork(
                context.confirmation(member.bearer, authenticator.id, authenticator.code()))
        },
        .attack(
            "2F-53", "An anonymous account, which has no way to sign in again, adds a factor.", severity: .medium,
            oracle: "The server responds with 403 not_for_anonymous.", source: "token-exchange API: second factor",
            needs: [.standIns, .accounts, .anonymous]
        ) { context in
            let guest = try await context.enterAnonymously()
            await context.fire(context.enrollment(guest.bearer), expecting: .denied("not_for_anonymous"))
            await context.expect(
                try await context.factors(guest.bearer).isEmpty, .minted, "An anonymous account has a factor.")
        },
        .attack(
            "2F-54", "A removed factor and its recovery codes are used after another one was added.", severity: .high,
            oracle: "The server responds with 400 second_factor_invalid.", source: "CWE-613"
        ) { context in
            let person = try await context.enterWithFactor()
            try await context.honest(
                context.removal(
                    person.member.bearer, person.authenticator.id, .recoveryCode(person.recoveryCodes[0])))
            let next = try await context.enrolled(person.member)
            let handle = try await context.challenge(next)
            for code in [
                FactorText.totp(person.authenticator.code()), .recoveryCode(person.recoveryCodes[0]),
                .recoveryCode(person.recoveryCodes[1]),
            ] { await context.fire(context.proving(handle, code), expecting: .wrongFactor) }
            try await context.mustStillWork(context.proving(handle, .totp(next.authenticator.code())))
        },
    )
}
