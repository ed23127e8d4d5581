import JOSE
import Jansson
import Testing

/// Tests at the time 1 700 000 000, with a skew of 60 s, a maximum age of 600 s and a maximum lifetime of 86 400 s.
@Suite("Times in claims")
struct TimeRuleTests {
    private let now = TestIssuer.now

    private func check(_ changes: [String: String?], maximumAuthenticationAge: Duration? = nil) throws {
        var token = try TestToken()
        for (claim, json) in changes { token.claims[claim] = json }
        try ClaimsExpectationTests.expectation(maximumAuthenticationAge: maximumAuthenticationAge)
            .check(try token.verified(), at: now)
    }

    @Test("A time may be a whole number written as a real, and any other form is refused")
    func forms() throws {
        try check(["exp": "1700003600.0"])
        try check(["exp": "1.7000036e9"])
        for claim in ["exp", "iat", "nbf"] {
            for json in [
                #""1700000000""#, "true", "[1700000000]", "{}", "-1", "-0.5", "-1.0", "1e308", "1e19",
                "-9223372036854775808",
            ] {
                #expect(throws: JOSEError.malformedClaim(claim)) { try check([claim: json]) }
            }
        }
    }

    @Test("IDT-25: a token is accepted until exp plus the skew")
    func expiry() throws {
        try check(["exp": "1699999941", "iat": "1699999900"])
        for seconds: Int64 in [1_699_999_940, 1_699_999_939, 1_699_913_600, 0] {
            #expect(throws: JOSEError.expired(at: NumericDate(seconds), now: now)) {
                try check(["exp": "\(seconds)", "iat": "1699999900"])
            }
        }
        #expect(throws: JOSEError.missingClaim("exp")) { try check(["exp": nil]) }
    }

    @Test("IDT-25: a token whose lifetime exceeds the maximum is refused, even if exp is the largest integer")
    func lifetime() throws {
        try check(["exp": "1700086400"])
        for json in ["1700086401", "9223372036854775807", "9.2e18"] {
            #expect(throws: JOSEError.lifetimeTooLong(maximum: .seconds(86_400))) { try check(["exp": json]) }
        }
    }

    @Test("IDT-26: a token whose iat is in the future by more than the skew is refused")
    func future() throws {
        try check(["iat": "1700000060"])
        #expect(throws: JOSEError.issuedInFuture(at: NumericDate(1_700_000_061), now: now)) {
            try check(["iat": "1700000061"])
        }
        #expect(throws: JOSEError.issuedInFuture(at: NumericDate(.max), now: now)) {
            try check(["iat": "9223372036854775807"])
        }
    }

    @Test("IDT-26: a token that is older than the maximum age plus the skew, or has no iat, is refused")
    func age() throws {
        try check(["iat": "1699999340"])
        #expect(throws: JOSEError.tooOld(issuedAt: NumericDate(1_699_999_339), now: now)) {
            try check(["iat": "1699999339"])
        }
        #expect(throws: JOSEError.tooOld(issuedAt: NumericDate(0), now: now)) { try check(["iat": "0"]) }
        #expect(throws: JOSEError.missingClaim("iat")) { try check(["iat": nil]) }
    }

    @Test("Without a maximum age, an old token is accepted until it expires")
    func anyAge() throws {
        let expectation = ClaimsExpectation(
            issuers: ["https://issuer.example"], audiences: ["client"], nonce: .oneOf(["nonce"]), maximumAge: nil,
            maximumLifetime: .seconds(86_400), clockSkew: .zero)
        try expectation.check(try TestToken("iat", "1699990000").verified(), at: now)
    }

    @Test("IDT-27: a token whose nbf is in the future by more than the skew is refused")
    func notBefore() throws {
        try check(["nbf": "1700000060"])
        try check(["nbf": "0"])
        #expect(throws: JOSEError.notYetValid(before: NumericDate(1_700_000_061), now: now)) {
            try check(["nbf": "1700000061"])
        }
    }

    @Test("IDT-27: if a recent sign-in is required, auth_time must be present and recent")
    func authenticationTime() throws {
        let age = Duration.seconds(300)
        try check(["auth_time": "1699999640"], maximumAuthenticationAge: age)
        #expect(throws: JOSEError.authenticationTooOld(at: NumericDate(1_699_999_639), now: now)) {
            try check(["auth_time": "1699999639"], maximumAuthenticationAge: age)
        }
        #expect(throws: JOSEError.issuedInFuture(at: NumericDate(1_700_000_061), now: now)) {
            try check(["auth_time": "1700000061"], maximumAuthenticationAge: age)
        }
        #expect(throws: JOSEError.missingClaim("auth_time")) { try check([:], maximumAuthenticationAge: age) }
        #expect(throws: JOSEError.malformedClaim("auth_time")) {
            try check(["auth_time": #""1700000000""#], maximumAuthenticationAge: age)
        }
        // Without that requirement auth_time is not checked.
        try check(["auth_time": "0"])
    }

    @Test("Typed accessors return the claims, and nil for a value that is not a time")
    func accessors() throws {
        let claims = try TestToken("auth_time", "1699999999").verified()
        #expect(claims.issuer == "https://issuer.example")
        #expect(claims["nonce"]?.string == "nonce")
        #expect(claims.issuedAt == NumericDate(1_700_000_000))
        #expect(claims.expiry == NumericDate(1_700_003_600))
        #expect(claims.authenticatedAt == NumericDate(1_699_999_999))
        #expect(try TestToken("exp", #""x""#).verified().expiry == nil)
    }

    @Test("Dates saturate at the limits of their type")
    func saturation() {
        #expect(NumericDate(.max) + .seconds(1) == NumericDate(.max))
        #expect(NumericDate(.min) - .seconds(1) == NumericDate(.min))
        #expect(NumericDate(10) - .seconds(3) == NumericDate(7))
        #expect(NumericDate(10) + .milliseconds(2999) == NumericDate(12))
        #expect(NumericDate(1) < NumericDate(2))
    }
}
