import JOSE
import Testing

@Suite("Claims expectation")
struct ClaimsExpectationTests {
    static let now = TestIssuer.now

    static func expectation(
        nonce: NonceExpectation = .oneOf(["nonce"]), maximumAuthenticationAge: Duration? = nil
    ) -> ClaimsExpectation {
        ClaimsExpectation(
            issuers: ["https://issuer.example"], audiences: ["client"], nonce: nonce, maximumAge: .seconds(600),
            maximumLifetime: .seconds(86_400), clockSkew: .seconds(60),
            maximumAuthenticationAge: maximumAuthenticationAge)
    }

    private func check(_ claim: String, _ json: String?) throws {
        try Self.expectation().check(try TestToken(claim, json).verified(), at: Self.now)
    }

    @Test("The baseline is accepted")
    func baseline() throws {
        try Self.expectation().check(try TestToken().verified(), at: Self.now)
    }

    static let issuerMismatch = JOSEError.issuerMismatch(expected: ["https://issuer.example"])

    @Test(
        "IDT-18: an issuer that is not exactly the expected one is refused",
        arguments: [
            (nil, JOSEError.missingClaim("iss")), ("null", .missingClaim("iss")), ("1", .malformedClaim("iss")),
            (#"["https://issuer.example"]"#, .malformedClaim("iss")), (#""""#, issuerMismatch),
            (#""https://other.example""#, issuerMismatch), (#""https://issuer.example/""#, issuerMismatch),
            (#""http://issuer.example""#, issuerMismatch), (#""https://ISSUER.example""#, issuerMismatch),
            (#""https://issuer.example.evil.example""#, issuerMismatch),
            (#""https://issuer.example/x""#, issuerMismatch),
            (#""issuer.example""#, issuerMismatch), (#"" https://issuer.example""#, issuerMismatch),
        ] as [(String?, JOSEError)])
    func issuer(json: String?, error: JOSEError) {
        #expect(throws: error) { try check("iss", json) }
    }

    @Test("Texts are compared without Unicode normalization")
    func normalization() throws {
        // KELVIN SIGN is canonically equivalent to K.
        let expectation = ClaimsExpectation(
            issuers: ["https://K.example"], audiences: ["K"], nonce: .oneOf(["K"]), maximumAge: nil,
            maximumLifetime: .seconds(86_400), clockSkew: .zero)
        var token = try TestToken()
        for (claim, json) in ["iss": #""https://K.example""#, "aud": #""K""#, "azp": #""K""#, "nonce": #""K""#] {
            token.claims[claim] = json
        }
        try expectation.check(try token.verified(), at: Self.now)
        for (claim, error) in [
            ("iss", JOSEError.issuerMismatch(expected: ["https://K.example"])),
            ("aud", .audienceMismatch(expected: ["K"])), ("azp", .authorizedPartyMismatch(expected: ["K"])),
            ("nonce", .nonceMismatch),
        ] {
            var other = token
            other.claims[claim] = token.claims[claim]?.replacing("K", with: #"\u212a"#)
            let claims = try other.verified()
            #expect(throws: error) { try expectation.check(claims, at: Self.now) }
        }
    }

    static let audienceMismatch = JOSEError.audienceMismatch(expected: ["client"])

    @Test(
        "IDT-19, IDT-20, IDT-23: a token for another client or without an audience is refused",
        arguments: [
            (#""other""#, audienceMismatch), (nil, .missingClaim("aud")), (#""""#, audienceMismatch),
            ("[]", .malformedClaim("aud")), (#"[""]"#, audienceMismatch), ("null", .missingClaim("aud")),
            ("0", .malformedClaim("aud")), ("{}", .malformedClaim("aud")), ("[1]", .malformedClaim("aud")),
            (#"["client", 1]"#, .malformedClaim("aud")), (#"["client", null]"#, .malformedClaim("aud")),
            (#"["client", "a\u0000"]"#, .malformedClaim("aud")), (#"["client", 1e400]"#, .malformedClaim("aud")),
            (#""clientx""#, audienceMismatch),
            (#""xclient""#, audienceMismatch),
            (#""CLIENT""#, audienceMismatch), (#""client ""#, audienceMismatch), (#"".*""#, audienceMismatch),
            (#"["other"]"#, audienceMismatch),
        ] as [(String?, JOSEError)])
    func audience(json: String?, error: JOSEError) {
        #expect(throws: error) { try check("aud", json) }
    }

    @Test("IDT-22: an audience in an array of one element is accepted")
    func audienceInArray() throws {
        try check("aud", #"["client"]"#)
    }

    @Test(
        "IDT-21: a token with several audiences is refused, with any azp",
        arguments: [nil, "\"other\"", "\"client\""])
    func severalAudiences(party: String?) throws {
        for audiences in [#"["client", "other"]"#, #"["other", "client"]"#] {
            var token = try TestToken("azp", party)
            token.claims["aud"] = audiences
            let claims = try token.verified()
            #expect(throws: JOSEError.severalAudiences) { try Self.expectation().check(claims, at: Self.now) }
        }
    }

    @Test(
        "An authorized party must be equal to the audience",
        arguments: [
            (#""other""#, JOSEError.authorizedPartyMismatch(expected: ["client"])),
            (#""""#, .authorizedPartyMismatch(expected: ["client"])), ("1", .malformedClaim("azp")),
            (#"["client"]"#, .malformedClaim("azp")),
        ])
    func authorizedParty(json: String, error: JOSEError) throws {
        try check("azp", #""client""#)
        try check("azp", "null")
        #expect(throws: error) { try check("azp", json) }
    }

    /// An application with two clients, of which the second is a phone application, at a provider that adds a project.
    private static let relaxed = ClaimsExpectation(
        issuers: ["https://issuer.example"], audiences: ["client"], trustedAudiences: ["phone", "project"],
        authorizedParties: ["client", "phone"], nonce: .oneOf(["nonce"]), maximumAge: nil,
        maximumLifetime: .seconds(86_400), clockSkew: .zero)

    @Test(
        "Real-world 01, 02: trusted audiences may stand beside ours if azp is ours, and azp may be any client of ours",
        arguments: [
            (#""client""#, nil, nil), (#""client""#, #""client""#, nil), (#""client""#, #""phone""#, nil),
            (#"["client"]"#, nil, nil), (#"["client", "project"]"#, #""client""#, nil),
            (#"["project", "phone", "client"]"#, #""phone""#, nil), (#"["client", "client"]"#, #""client""#, nil),
            // Ours is missing.
            (#""project""#, #""client""#, audienceMismatch), (#"["phone", "project"]"#, #""client""#, audienceMismatch),
            // One is not trusted.
            (#"["client", "project", "other"]"#, #""client""#, .severalAudiences),
            (#"["client", "Project"]"#, #""client""#, .severalAudiences),
            // The party is missing, a stranger, or only trusted as an audience.
            (#"["client", "project"]"#, nil, .missingClaim("azp")),
            (#"["client", "project"]"#, "null", .missingClaim("azp")),
            (#"["client", "project"]"#, #""project""#, .authorizedPartyMismatch(expected: ["client", "phone"])),
            (#"["client", "project"]"#, #""other""#, .authorizedPartyMismatch(expected: ["client", "phone"])),
            (#""client""#, #""project""#, .authorizedPartyMismatch(expected: ["client", "phone"])),
        ] as [(String, String?, JOSEError?)])
    func trustedAudiences(_ audience: String, _ party: String?, _ error: JOSEError?) throws {
        var token = try TestToken("azp", party)
        token.claims["aud"] = audience
        let claims = try token.verified()
        guard let error else { return try Self.relaxed.check(claims, at: Self.now) }
        #expect(throws: error) { try Self.relaxed.check(claims, at: Self.now) }
    }

    @Test(
        "IDT-29: a subject that is not a text of 1 to 255 printable bytes is refused",
        arguments: [
            (nil, JOSEError.missingClaim("sub")), (#""""#, .malformedClaim("sub")), ("1", .malformedClaim("sub")),
            ("null", .missingClaim("sub")), (#""a\u0000""#, .malformedClaim("sub")),
            (#"["victim", "attacker"]"#, .malformedClaim("sub")),
            (#"["attacker", "victim"]"#, .malformedClaim("sub")), (#"" ""#, .malformedClaim("sub")),
            (#""\u00a0\u2003""#, .malformedClaim("sub")), (#""a\nb""#, .malformedClaim("sub")),
            (#""a\u007f""#, .malformedClaim("sub")), (#""a\u009fb""#, .malformedClaim("sub")),
            ("\"" + String(repeating: "s", count: 256) + "\"", .malformedClaim("sub")),
            ("\"" + String(repeating: "é", count: 128) + "\"", .malformedClaim("sub")),
        ] as [(String?, JOSEError)])
    func subject(json: String?, error: JOSEError) {
        #expect(throws: error) { try check("sub", json) }
    }

    @Test("A subject of 255 bytes is accepted")
    func longestSubject() throws {
        try check("sub", "\"" + String(repeating: "s", count: 255) + "\"")
        try check("sub", #""a b""#)
    }

    @Test("A subject of Firebase has at most 128 UTF-16 code units")
    func firebaseSubject() throws {
        let expectation = ClaimsExpectation(
            issuers: ["https://issuer.example"], audiences: ["client"], nonce: .uncheckedBecauseProviderSendsNone,
            maximumAge: nil, maximumLifetime: .seconds(86_400), clockSkew: .zero, subjectLimit: .firebase)
        for subject in [String(repeating: "s", count: 128), String(repeating: "漢", count: 128)] {
            try expectation.check(try TestToken("sub", "\"\(subject)\"").verified(), at: Self.now)
        }
        for subject in [String(repeating: "s", count: 129), String(repeating: "🙂", count: 65), "", "a\u{7f}"] {
            let claims = try TestToken("sub", "\"\(subject)\"").verified()
            #expect(throws: JOSEError.malformedClaim("sub")) { try expectation.check(claims, at: Self.now) }
        }
    }

    @Test("IDT-28: a nonce that was not sent is refused")
    func nonce() throws {
        for (json, error) in [
            (nil, JOSEError.missingClaim("nonce")), (#""other""#, .nonceMismatch), (#""""#, .nonceMismatch),
            (#""Nonce""#, .nonceMismatch), (#"["nonce"]"#, .malformedClaim("nonce")), ("{}", .malformedClaim("nonce")),
            ("null", .missingClaim("nonce")), ("0", .malformedClaim("nonce")),
        ] as [(String?, JOSEError)] {
            #expect(throws: error) { try check("nonce", json) }
        }
        try Self.expectation(nonce: .oneOf(["other", "nonce"])).check(try TestToken().verified(), at: Self.now)
    }

    @Test("IDT-28: a nonce in the header does not count")
    func nonceInHeader() throws {
        var token = try TestToken("nonce", nil)
        token.header["nonce"] = #""nonce""#
        let claims = try token.verified()
        #expect(throws: JOSEError.missingClaim("nonce")) { try Self.expectation().check(claims, at: Self.now) }
    }

    @Test("If the provider sends no nonces, a token with any nonce or none is accepted")
    func withoutNonce() throws {
        for json in [nil, #""other""#] {
            try Self.expectation(nonce: .uncheckedBecauseProviderSendsNone)
                .check(try TestToken("nonce", json).verified(), at: Self.now)
        }
    }

    @Test("IDT-24: an expectation without an audience traps")
    func emptyAudiences() async {
        await #expect(processExitsWith: .failure) { _ = Self.careless(audiences: []) }
        await #expect(processExitsWith: .failure) { _ = Self.careless(audiences: ["a", ""]) }
        await #expect(processExitsWith: .success) { _ = Self.careless() }
    }

    @Test("An expectation without an issuer, or with an empty list of nonces, traps")
    func emptyIssuersAndNonces() async {
        await #expect(processExitsWith: .failure) { _ = Self.careless(issuers: []) }
        await #expect(processExitsWith: .failure) { _ = Self.careless(issuers: [""]) }
        await #expect(processExitsWith: .failure) { _ = Self.careless(nonces: []) }
        await #expect(processExitsWith: .failure) { _ = Self.careless(nonces: ["n", ""]) }
    }

    private static func careless(
        issuers: [String] = ["i"], audiences: [String] = ["a"], nonces: [String] = ["n"]
    ) -> ClaimsExpectation {
        ClaimsExpectation(
            issuers: issuers, audiences: audiences, nonce: .oneOf(nonces), maximumAge: nil, maximumLifetime: .zero,
            clockSkew: .zero)
    }
}
