internal import Jansson

/// Codes that were used before, or that belong to another account.
enum FactorCodes {
    static let all = Section(.secondFactor, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "2F-10a", "A code that was observed is used again, for another sign-in, within its time.",
            oracle:
                "The server responds with 400 second_factor_invalid: each time step is used once, and only forward.",
            source: "RFC 6238 section 5.2; CWE-294"
        ) { context in
            let person = try await context.enterWithFactor()
            let (older, observed) = (person.authenticator.code(0), person.authenticator.code(1))
            try await context.honest(context.proving(try await context.challenge(person), .totp(observed)))
            let handle = try await context.challenge(person)
            for code in [observed, older, observed] {
                await context.fire(context.proving(handle, .totp(code)), expecting: .wrongFactor)
            }
            try await context.mustStillWork(context.proving(handle, .recoveryCode(person.recoveryCodes[0])))
        },
        .attack(
            "2F-10b", "Twenty sign-ins are continued with one code at the same time.",
            oracle: "Exactly one request signs in: one statement compares and stores the time step.",
            source: "RFC 6238 section 5.2; CWE-362", needs: [.standIns, .accounts, .bulk]
        ) { context in
            let person = try await context.enterWithFactor()
            var handles: [String] = []
            for _ in 0..<20 { handles.append(try await context.challenge(person)) }
            let code = FactorText.totp(person.authenticator.code())
            await context.volley(
                handles.map { context.proving($0, code) }, losers: Expectation.wrongFactor.or(.factorLocked))
        },
        .attack(
            "2F-11", "The code that confirmed the factor, which a person may have shown, signs in.",
            oracle: "The server responds with 400 second_factor_invalid.", source: "RFC 6238 section 5.2; CWE-294"
        ) { context in
            let member = try await context.enter()
            let authenticator = try await context.begunFactor(of: member)
            let code = authenticator.code()
            let answer = try await context.honest(context.confirmation(member.bearer, authenticator.id, code))
            let codes = (answer.json?["recovery_codes"]?.array ?? []).compactMap(\.string)
            let person = Enrolled(member: member, authenticator: authenticator, recoveryCodes: codes)
            let handle = try await context.challenge(person)
            await context.fire(context.proving(handle, .totp(code)), expecting: .wrongFactor)
            await context.fire(context.removal(member.bearer, authenticator.id, .totp(code)), expecting: .wrongFactor)
            await context.fire(
                context.confirmation(member.bearer, authenticator.id, code),
                expecting: .denied("second_factor_required")
            )
            try await context.mustStillWork(context.proving(handle, .totp(authenticator.code(1))))
        },
        .attack(
            "2F-12a", "A recovery code is used twice, in other letter case and with other hyphens.",
            oracle: "The server responds with 400 second_factor_invalid: each recovery code is used once.",
            source: "NIST SP 800-63B-4 section 3.1.2; CWE-294"
        ) { context in
            let person = try await context.enterWithFactor()
            let code = person.recoveryCodes[0]
            try await context.honest(context.proving(try await context.challenge(person), .recoveryCode(code)))
            let handle = try await context.challenge(person)
            for text in [code, code.lowercased(), code.filter { $0 != "-" }, " \(code) "] {
                await context.fire(context.proving(handle, .recoveryCode(text)), expecting: .wrongFactor)
            }
            try await context.mustStillWork(context.proving(handle, .recoveryCode(person.recoveryCodes[1])))
        },
        .attack(
            "2F-12b", "Twenty sign-ins are continued with one recovery code at the same time.",
            oracle: "Exactly one request signs in: one statement deletes the code and detects that it was there.",
            source: "CWE-362; CWE-294", needs: [.standIns, .accounts, .bulk]
        ) { context in
            let person = try await context.enterWithFactor()
            var handles: [String] = []
            for _ in 0..<20 { handles.append(try await context.challenge(person)) }
            let code = FactorText.recoveryCode(person.recoveryCodes[0])
            await context.volley(
                handles.map { context.proving($0, code) }, losers: Expectation.wrongFactor.or(.factorLocked))
        },
        .attack(
            "2F-13", "The sign-in of one account is continued with the codes of another one.",
            oracle: "The server responds with 400 second_factor_invalid, and the codes stay valid for their account.",
            source: "CWE-639"
        ) { context in
            let (victim, attacker) = (try await context.enterWithFactor(), try await context.enterWithFactor())
            let handle = try await context.challenge(victim)
            let own = FactorText.totp(attacker.authenticator.code())
            for code in [own, .recoveryCode(attacker.recoveryCodes[0])] {
                await context.fire(context.proving(handle, code), expecting: .wrongFactor)
            }
            try await context.mustStillWork(context.proving(try await context.challenge(attacker), own))
            try await context.mustStillWork(context.proving(handle, .totp(victim.authenticator.code())))
        },
        .attack(
            "2F-14", "Codes of time steps are used that are over or have not begun.",
            oracle: "The server responds with 400 second_factor_invalid: it accepts one step before and one after.",
            source: "RFC 6238 section 5.2"
        ) { context in
            let person = try await context.enterWithFactor()
            let handle = try await context.challenge(person)
            // A step that begins during the attack moves the accepted ones by one.
            for offset: Int64 in [-4, -3, 4, 100] {
                await context.fire(
                    context.proving(handle, .totp(person.authenticator.code(offset))), expecting: .wrongFactor)
            }
            try await context.mustStillWork(context.proving(handle, .totp(person.authenticator.code())))
        },
    )
}
