internal import Jansson

/// Sign-ins of an account with a second factor, and the handles with which they continue.
enum FactorChallenges {
    private static let second = AttackContext.secondProvider

    static let all = Section(.secondFactor, .critical, needs: [.standIns, .accounts]).attacks(
        .attack(
            "2F-01a", "The first factor is used at every endpoint that mints, without a code.",
            oracle: "The server responds with second_factor_required: the first factor mints nothing.",
            source: "CWE-308; CWE-288; OWASP ASVS 6.3.3",
            needs: [.standIns, .accounts, .browserFlow, .tokenExchange]
        ) { context in
            let person = try await context.enterWithFactor()
            let subject = person.member.subject
            let proof = try await context.proof(of: subject)
            await context.fire(context.exchange(proof), expecting: .factorRequired)
            await context.fire(
                try await context.forgedSubject(subject: subject) { _ in },
                expecting: Expectation(
                    statuses: [400, 403], errors: ["invalid_grant", "access_denied"],
                    reasons: ["second_factor_required"]))
            let other = context.lab.application.otherClientID
            await context.fire(
                context.exchange(try await context.proof(of: subject, clientID: other), clientID: other),
                expecting: .factorRequired)
            try await context.expectProtected(person)
        },
        .attack(
            "2F-01b", "The second half of a sign-in has no code, two codes, or a code of another JSON type.",
            oracle: "The server responds with 400 and counts no try; the handle stays valid.",
            source: "CWE-305; OWASP WSTG-ATHN-11"
        ) { context in
            let person = try await context.enterWithFactor()
            let handle = try await context.challenge(person)
            let right = JSON.string(person.authenticator.code())
            let codes: [[String: JSON]] = [
                [:], ["totp": .null], ["totp": ""], ["totp": true], ["totp": [right]], ["totp": [:]], ["totp": 0],
                ["totp": "00000a"], ["totp": "00000"], ["totp": "0000000"], ["totp": "\u{661}\u{662}\u{663}456"],
                ["recovery_code": ""], ["recovery_code": .null], ["recovery_code": "----"], ["code": right],
                ["totp": right, "recovery_code": .string(person.recoveryCodes[0])],
                ["totp": right, "second_factor": "totp"], ["totp": right, "uid": .string(person.member.uid)],
            ]
            for code in codes {
                await context.fire(
                    context.proving(code.merging(["pending_credential": .string(handle)]) { first, _ in first }),
                    expecting: .malformed("missing_field", "malformed_body", "unknown_field"))
            }
            try await context.mustStillWork(context.proving(handle, .totp(person.authenticator.code())))
        },
        .attack(
            "2F-02", "The handle of a challenge is sent as a pending credential to sign in, to link and to merge.",
            oracle: "The server responds with 400 intent_mismatch; the handle continues only with a code.",
            source: "CWE-288; token-exchange API: second factor"
        ) { context in
            let person = try await context.enterWithFactor()
            let attacker = try await context.enter(at: second)
            let handle = try await context.challenge(person)
            let pending = JSON.pending(handle)
            await context.fire(context.exchange(pending), expecting: .refused("intent_mismatch"))
            for bearer in [attacker.bearer, try await context.enter().bearer] {
                let refusal = Expectation.refused("intent_mismatch")
                await context.fire(context.link(bearer, pending), expecting: refusal)
                await context.fire(
                    context.merge(bearer, ["pending_credential": .string(handle)]), expecting: refusal)
            }
            try await context.expectIdentities(attacker, [second: attacker.subject])
            try await context.mustStillWork(context.proving(handle, .totp(person.authenticator.code())))
        },
        .attack(
            "2F-03", "The handle of a challenge is continued by another client.",
            oracle: "The server responds with 400 code_rejected, and counts no try; the handle stays valid.",
            source: "RFC 9700 4.5; RFC 6749 10.5"
        ) { context in
            let person = try await context.enterWithFactor()
            let handle = try await context.challenge(person)
            let code = FactorText.totp(person.authenticator.code())
            for _ in 0..<6 {
                await context.fire(
                    context.proving(handle, code, clientID: context.lab.application.otherClientID),
                    expecting: .refused("code_rejected"))
            }
            try await context.mustStillWork(context.proving(handle, code))
        },
        .attack(
            "2F-04", "The handle of a conflict, a made-up handle and a nonce are continued with a right code.",
            oracle: "The server responds with 400 intent_mismatch or code_rejected: only a challenge has a handle.",
            source: "CWE-288"
        ) { context in
            let person = try await context.enterWithFactor()
            let attacker = try await context.enter(at: second)
            let code = FactorText.totp(person.authenticator.code())
            let conflict = try await context.conflict(attacker, with: person.member)
            let (nonce, verifier) = try await context.nonce()
            for handle in [conflict["pending_credential"]?.string ?? "", nonce, verifier, person.member.bearer, "x"] {
                await context.fire(
                    context.proving(handle, code), expecting: .refused("intent_mismatch", "code_rejected"))
            }
            let handle = try await context.challenge(person)
            try await context.mustStillWork(context.proving(handle, code))
        },
        .attack(
            "2F-05",
            "The thief of the first factor lets a link to another account fail, and signs in with the conflict.",
            oracle: "The server responds with 403 second_factor_required: a pending credential is a first factor, too.",
            source: "CWE-288; LK-35"
        ) { context in
            let person = try await context.enterWithFactor()
            let thief = try await context.enter(at: second)
            let pending = try await context.conflict(thief, with: person.member)
            await context.fire(context.exchange(pending), expecting: .factorRequired)
            try await context.expectProtected(person)
        },
        .attack(
            "2F-06", "A handle is continued twice, one after the other and at once, with different right codes.",
            oracle: "The server signs in once, and responds to the others with 400.", source: "CWE-294; CWE-362",
            needs: [.standIns, .accounts, .bulk]
        ) { context in
            let person = try await context.enterWithFactor()
            let handle = try await context.challenge(person)
            try await context.honest(context.proving(handle, .totp(person.authenticator.code())))
            await context.fire(
                context.proving(handle, .recoveryCode(person.recoveryCodes[0])), expecting: .refused("replayed"))
            let other = try await context.challenge(person)
            await context.volley(
                person.recoveryCodes.dropFirst().prefix(5).map { context.proving(other, .recoveryCode($0)) },
                losers: Expectation.refused("replayed", "expired").or(.factorLocked))
        },
    )
}
