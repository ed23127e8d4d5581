import Standards
import Support
import Testing

@Suite("Code verifiers")
struct CodeVerifierTests {
    @Test("The verifier of RFC 7636 App. B has the challenge of that example")
    func appendixB() throws {
        let verifier = try #require(CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        #expect(verifier.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test(
        "EX-06: A verifier has 43 to 128 characters", arguments: [(42, false), (43, true), (128, true), (129, false)])
    func length(_ count: Int, _ isVerifier: Bool) {
        #expect((CodeVerifier(String(repeating: "a", count: count)) != nil) == isVerifier)
    }

    @Test("A verifier may contain every unreserved character")
    func unreserved() {
        #expect(CodeVerifier("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~") != nil)
    }

    @Test(
        "EX-06: A verifier may contain no other character",
        arguments: ["+", " ", "/", "=", "%", "\n", "\0", "é", "\u{212A}", "e\u{301}"])
    func reserved(_ character: String) {
        #expect(CodeVerifier(String(repeating: "a", count: 43) + character) == nil)
    }

    @Test("A random verifier has 43 characters and is never the same")
    func fresh() throws {
        let random = TestRandom()
        let verifiers = try (0..<1000).map { _ in try CodeVerifier(random: random.source).secret.secretText }
        #expect(verifiers.allSatisfy { $0.utf8.count == 43 && CodeVerifier($0) != nil })
        #expect(Set(verifiers).count == 1000)
    }

    @Test("A failure of the random source is thrown")
    func noRandomness() {
        let random = TestRandom()
        random.fail(atCall: 1)
        #expect(throws: RandomFailure()) { try CodeVerifier(random: random.source) }
    }

    @Test("The random source of the system returns the requested number of octets, different each time")
    func systemRandomness() throws {
        let first = try RandomSource.system.bytes(32)
        let second = try RandomSource.system.bytes(32)
        #expect(first.count == 32 && second.count == 32)
        #expect(first != second)
        #expect(try RandomSource.system.unguessableText().utf8.count == 43)
    }
}
