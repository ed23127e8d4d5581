import Testing

@testable import AttackLab

@Suite("The authenticator application of the attacks")
struct AuthenticatorTests {
    /// RFC 6238 appendix B: the last six of the eight digits for SHA-1, with the secret `12345678901234567890`.
    @Test(
        "The codes are those of RFC 6238",
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] as [(Int64, String)])
    func codes(time: Int64, code: String) throws {
        let authenticator = try #require(Authenticator("f", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))
        #expect(authenticator.code(now: time) == code)
        #expect(authenticator.code(-1, now: time + 30) == code)
        #expect(authenticator.code(1, now: time - 30) == code)
    }

    @Test("A wrong code is none of the codes near the time")
    func wrongCodes() throws {
        let authenticator = try #require(Authenticator("f", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))
        let wrong = authenticator.wrongCodes(100, now: 59)
        #expect(Set(wrong).count == 100)
        #expect(wrong.allSatisfy { code in !(-10...10).contains { authenticator.code($0, now: 59) == code } })
    }

    @Test("A text that is not base32 is no secret", arguments: ["GEZ1", "gezd", "GEZD=", "GE ZD"])
    func secret(text: String) {
        #expect(Authenticator("f", text) == nil)
    }
}
