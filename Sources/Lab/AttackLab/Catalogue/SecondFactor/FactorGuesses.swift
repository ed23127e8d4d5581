internal import Jansson

/// Guessing of codes.
enum FactorGuesses {
    static let all = Section(.secondFactor, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "2F-20a", "Codes are guessed with one handle.",
            oracle: "The server responds five times with second_factor_invalid, then with second_factor_locked.",
            source: "RFC 4226 section 7.3; CWE-307"
        ) { strike in
            let person = try await strike.enterWithFactor()
            let handle = try await strike.challenge(person)
            for code in person.authenticator.wrongCodes(5) {
                await strike.fire(strike.proving(handle, .totp(code)), expecting: .wrongFactor)
            }
            try await strike.expectLocked(person, handle)
        },
        .attack(
            "2F-20b", "Codes are guessed with a new handle each, as the person signs in again and again.",
            oracle: "The server counts the tries of the account: the sixth gets second_factor_locked.",
            source: "RFC 4226 section 7.3; CWE-307; AuthQuake (Oasis Security, 2024)"
        ) { strike in
            let person = try await strike.enterWithFactor()
            for code in person.authenticator.wrongCodes(5) {
                await strike.fire(
                    strike.proving(try await strike.challenge(person), .totp(code)), expecting: .wrongFactor)
            }
            try await strike.expectLocked(person, try await strike.challenge(person))
        },
        .attack(
            "2F-20c", "Codes are guessed a hundred times at once, with twenty handles.",
            oracle: "The server compares at most five codes: it counts a try before it compares.",
            source: "CWE-362; CWE-307; AuthQuake (Oasis Security, 2024)", needs: [.standIns, .accounts, .bulk]
        ) { strike in
            let person = try await strike.enterWithFactor()
            var handles: [String] = []
            for _ in 0..<20 { handles.append(try await strike.challenge(person)) }
            let requests = person.authenticator.wrongCodes(100).enumerated().map { index, code in
                strike.proving(handles[index % handles.count], .totp(code))
            }
            let replies = await strike.volley(
                requests, winners: 0...0, losers: Expectation.wrongFactor.or(.factorLocked))
            let compared = replies.count { $0.answer?["reason"] == "second_factor_invalid" }
            await strike.expect(compared == 5, .raced, "The server compared \(compared) codes, where 5 is right.")
            try await strike.expectLocked(person, handles[0])
        },
        .attack(
            "2F-20d", "Tries are spread over sign-ins, removals of the factor, and both kinds of codes.",
            oracle: "The server counts them together: the sixth gets second_factor_locked.",
            source: "CWE-307; OWASP ASVS 6.3.1"
        ) { strike in
            let person = try await strike.enterWithFactor()
            let (bearer, id) = (person.member.bearer, person.authenticator.id)
            let guesses = person.authenticator.wrongCodes(2).map(FactorText.totp)
            let recovery = FactorText.recoveryCode("AAAA-BBBB-CCCC-DDDD")
            let handle = try await strike.challenge(person)
            for request in [
                strike.proving(handle, guesses[0]), strike.removal(bearer, id, guesses[1]),
                strike.proving(handle, recovery), strike.removal(bearer, id, recovery),
                strike.proving(try await strike.challenge(person), guesses[0]),
            ] { await strike.fire(request, expecting: .wrongFactor) }
            await strike.fire(
                strike.removal(bearer, id, .totp(person.authenticator.code())), expecting: .factorLocked)
            try await strike.expectLocked(person, handle)
        },
    )
}

extension Strike {
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
