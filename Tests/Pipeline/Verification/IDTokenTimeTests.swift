import JOSE
import Jansson
import Providers
import Standards
internal import Stores
import Support
import Testing
import Verification

@Suite("Times of ID tokens")
struct IDTokenTimeTests {
    private static let now = TestClock.start.seconds

    private func check(
        _ claims: [String: String?], is expected: JOSEError?, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let proof = try Proof()
        var token = proof.token
        for (claim, text) in claims { token = token.setting(claim, toText: text) }
        if let expected {
            await expectRefusal(expected.refusal, sourceLocation: sourceLocation) {
                try await proof.verify(token)
            }
            #expect(proof.deployment.store.calls.isEmpty, sourceLocation: sourceLocation)
        } else {
            #expect(try await proof.verify(token).subject.text == Yahoo.subject, sourceLocation: sourceLocation)
        }
    }

    @Test("IDT-25: A token is accepted up to the skew after its expiry, and not one second longer")
    func expiry() async throws {
        let now = NumericDate(Self.now)
        try await check(["exp": "\(Self.now - 59)", "iat": "\(Self.now - 100)"], is: nil)
        try await check(
            ["exp": "\(Self.now - 60)", "iat": "\(Self.now - 100)"],
            is: .expired(at: NumericDate(Self.now - 60), now: now))
        try await check(["exp": "\(Self.now - 86400)"], is: .expired(at: NumericDate(Self.now - 86400), now: now))
        try await check(["exp": "0"], is: .expired(at: NumericDate(0), now: now))
    }

    @Test(
        "IDT-25: A malformed expiry is refused",
        arguments: [
            (nil, .missingClaim("exp")), ("null", .missingClaim("exp")), (#""9999999999""#, .malformedClaim("exp")),
            ("-1", .malformedClaim("exp")), ("true", .malformedClaim("exp")), ("1e308", .malformedClaim("exp")),
            ("99999999999999999999", .malformedClaim("exp")), ("1e400", .malformedClaim("exp")),
        ] as [(String?, JOSEError)])
    func noExpiry(_ text: String?, _ error: JOSEError) async throws {
        try await check(["exp": text], is: error)
    }

    @Test("IDT-25: A token that lives for more than a day is refused, up to the end of time")
    func lifetime() async throws {
        let error = JOSEError.lifetimeTooLong(maximum: .seconds(86400))
        try await check(["exp": "\(Self.now + 86400)"], is: nil)
        try await check(["exp": "\(Self.now + 86401)"], is: error)
        try await check(["exp": "9223372036854775807"], is: error)
        let proof = try Proof()
        let long = proof.token.setting("exp", toText: "\(Self.now + 86401)")
        let refusal = await refusal { try await proof.verify(long) }
        let advice = (refusal?.cause as? any AdvisingCause)?.advice
        #expect(advice?.hasPrefix("The token is valid for 86401 s. Raise max_lifetime of the provider to that") == true)
        #expect(refusal?.finding == "exp of the token is more than 86400 s after iat")
    }

    @Test("IDT-26: A token is accepted up to the skew before it was issued, and not one second sooner")
    func future() async throws {
        try await check(["iat": "\(Self.now + 60)"], is: nil)
        try await check(
            ["iat": "\(Self.now + 61)"],
            is: .issuedInFuture(at: NumericDate(Self.now + 61), now: NumericDate(Self.now)))
    }

    @Test("IDT-26: A posted token is accepted for ten minutes and the skew, even if it expires later")
    func age() async throws {
        try await check(["iat": "\(Self.now - 660)"], is: nil)
        try await check(
            ["iat": "\(Self.now - 661)"],
            is: .tooOld(issuedAt: NumericDate(Self.now - 661), now: NumericDate(Self.now)))
        let proof = try Proof()
        let old = proof.token.setting("iat", toText: "\(Self.now - 661)")
        let refusal = await refusal { try await proof.verify(old) }
        let advice = (refusal?.cause as? any AdvisingCause)?.advice
        #expect(
            advice?.hasPrefix("The token was issued 661 s ago, and 600 s are accepted, with 60 s for the clocks. If")
                == true)
    }

    @Test("Real-world 09: fractions of a second are dropped, and times in milliseconds stay refused")
    func fractions() async throws {
        let proof = try Proof()
        let token = proof.token.setting("iat", toText: "\(Self.now).552289")
        _ = try await proof.verify(token.setting("exp", toText: "\(Self.now + 3600).533563"))
        // The last second of a token is that of the whole number.
        try await check(
            ["exp": "\(Self.now - 60).9"],
            is: .expired(at: NumericDate(Self.now - 60), now: NumericDate(Self.now)))
        try await check(
            ["iat": "\(Self.now)000"],
            is: .issuedInFuture(at: NumericDate(Self.now * 1000), now: NumericDate(Self.now)))
    }

    @Test("A token that counts milliseconds leads to advice that names them, and not the clock")
    func millisecondsAdvice() async throws {
        for (name, value) in [("iat", "\(Self.now)000"), ("exp", "\(Self.now)000"), ("nbf", "\(Self.now)000")] {
            let proof = try Proof()
            do {
                _ = try await proof.verify(proof.token.setting(name, toText: value))
                Issue.record("The token was accepted.")
            } catch {
                let advice = (Refusal(error).cause as? any AdvisingCause)?.advice
                #expect(advice?.contains("in milliseconds") == true)
            }
        }
    }

    @Test(
        "IDT-26: A malformed time of issue is refused",
        arguments: [
            (nil, .missingClaim("iat")), (#""1700000000""#, .malformedClaim("iat")), ("null", .missingClaim("iat")),
            ("-1", .malformedClaim("iat")),
        ] as [(String?, JOSEError)])
    func noIssuedAt(_ text: String?, _ error: JOSEError) async throws {
        try await check(["iat": text], is: error)
    }

    @Test("IDT-27: A token is not accepted sooner than the skew before nbf")
    func notBefore() async throws {
        try await check(["nbf": "\(Self.now + 60)"], is: nil)
        try await check(
            ["nbf": "\(Self.now + 61)"],
            is: .notYetValid(before: NumericDate(Self.now + 61), now: NumericDate(Self.now)))
        try await check(["nbf": #""now""#], is: .malformedClaim("nbf"))
    }

    @Test("IDT-27: The age of the login is limited if a flow requested it")
    func authenticationTime() async throws {
        func redeem(_ time: String?, within age: Duration?) async throws -> VerifiedIdentity {
            let proof = try Proof()
            return try await proof.redeem(
                proof.token.setting("auth_time", toText: time), maximumAuthenticationAge: age)
        }
        _ = try await redeem("\(Self.now - 360)", within: .seconds(300))
        _ = try await redeem("\(Self.now - 99999)", within: nil)
        _ = try await redeem(nil, within: nil)
        let now = NumericDate(Self.now)
        await expectRefusal(JOSEError.authenticationTooOld(at: NumericDate(Self.now - 361), now: now).refusal) {
            try await redeem("\(Self.now - 361)", within: .seconds(300))
        }
        // The setting for reauthentications does not change this sign-in.
        #expect(JOSEError.missingClaim("auth_time").refusal.description.contains("In a sign-in, omit max_age."))
        await expectRefusal(JOSEError.missingClaim("auth_time").refusal) {
            try await redeem(nil, within: .seconds(300))
        }
        await expectRefusal(JOSEError.malformedClaim("auth_time").refusal) {
            try await redeem(#""now""#, within: .seconds(300))
        }
        await expectRefusal(JOSEError.issuedInFuture(at: NumericDate(Self.now + 61), now: now).refusal.ofIssuedToken) {
            try await redeem("\(Self.now + 61)", within: .seconds(300))
        }
    }
}
