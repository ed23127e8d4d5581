/// Guessing of codes.
enum FactorGuesses {
    static let all = Section(.secondFactor, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "2F-20a", "Codes are guessed with one handle.",
            oracle: "The server responds five times with second_factor_invalid, then with second_factor_locked.",
            source: "RFC 4226 section 7.3; CWE-307"
        ) { context in
            let person = try await context.enterWithFactor()
            let handle = try await context.challenge(person)
            for code in person.authenticator.wrongCodes(5) {
                await context.fire(context.proving(handle, .totp(code)), expecting: .wrongFactor)
            }
            try await context.expectLocked(person, handle)
        },
        .attack(
            "2F-20b", "Codes are guessed with a new handle each, as the person signs in again and again.",
            oracle: "The server counts the tries of the account: the sixth gets second_factor_locked.",
            source: "RFC 4226 section 7.3; CWE-307; AuthQuake (Oasis Security, 2024)"
        ) { context in
            let person = try await context.enterWithFactor()
            for code in person.authenticator.wrongCodes(5) {
                await context.fire(
                    context.proving(try await context.challenge(person), .totp(code)), expecting: .wrongFactor)
            }
            try await context.expectLocked(person, try await context.challenge(person))
        },
        .attack(
            "2F-20c", "Codes are guessed a hundred times at once, with twenty handles.",
            oracle: "The server compares at most five codes: it counts a try before it compares.",
            source: "CWE-362; CWE-307; AuthQuake (Oasis Security, 2024)", needs: [.standIns, .accounts, .bulk]
        ) { context in
            let person = try await context.enterWithFactor()
            var handles: [String] = []
            for _ in 0..<20 { handles.append(try await context.challenge(person)) }
            let requests = person.authenticator.wrongCodes(100).enumerated().map { index, code in
                context.proving(handles[index % handles.count], .totp(code))
            }
            let replies = await context.volley(
                requests, winners: 0...0, losers: Expectation.wrongFactor.or(.factorLocked))
            let compared = replies.count { $0.answer?["reason"] == "second_factor_invalid" }
            await context.expect(compared == 5, .raced, "The server compared \(compared) codes, where 5 is right.")
            try await context.expectLocked(person, handles[0])
        },
        .attack(
            "2F-20d", "Tries are spread over sign-ins, removals of the factor, and both kinds of codes.",
            oracle: "The server counts them together: the sixth gets second_factor_locked.",
            source: "CWE-307; OWASP ASVS 6.3.1"
        ) { context in
            let person = try await context.enterWithFactor()
            let (bearer, id) = (person.member.bearer, person.authenticator.id)
            let guesses = person.authenticator.wrongCodes(2).map(FactorText.totp)
            let recovery = FactorText.recoveryCode("AAAA-BBBB-CCCC-DDDD")
            let handle = try await context.challenge(person)
            for request in [
                context.proving(handle, guesses[0]), context.removal(bearer, id, guesses[1]),
                context.proving(handle, recovery), context.removal(bearer, id, recovery),
                context.proving(try await context.challenge(person), guesses[0]),
            ] { await context.fire(request, expecting: .wrongFactor) }
            await context.fire(
                context.removal(bearer, id, .totp(person.authenticator.code())), expecting: .factorLocked)
            try await context.expectLocked(person, handle)
        },
    )
}

extension AttackContext {
    /// Expects that no code of a locked account is compared, and that the response says when to try again.
    fileprivate func expectLocked(_ person: Enrolled, _ handle: String) async throws {
        for code in [FactorText.totp(person.authenticator.code()), .recoveryCode(person.recoveryCodes[0])] {
            let reply = await fire(proving(handle, code), expecting: .factorLocked)
            let seconds = reply.answer?.field("retry-after").flatMap { Int($0) } ?? 0
            await expect(
                (1...900).contains(seconds), .wrongAnswer, "The response does not say when the lock ends.")
        }
    }
}
