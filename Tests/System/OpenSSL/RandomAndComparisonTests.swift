import OpenSSL
import Testing

@Suite("Randomness and comparison")
struct RandomAndComparisonTests {
    @Test("As many random bytes as asked for, and never the same ones")
    func randomBytes() throws {
        #expect(try SecureRandom.bytes(0).isEmpty)
        #expect(try SecureRandom.bytes(33).count == 33)
        let drawn = try (0..<1000).map { _ in try SecureRandom.bytes(16) }
        #expect(Set(drawn).count == 1000)
    }

    @Test("Equal bytes are equal, and any difference is seen")
    func constantTime() {
        let secret = Array("secret".utf8)
        #expect(constantTimeEqual(secret, secret))
        #expect(constantTimeEqual([], []))
        #expect(!constantTimeEqual(secret, []))
        #expect(!constantTimeEqual(secret, Array("secre".utf8)))
        #expect(!constantTimeEqual(Array("secre".utf8), secret))
        #expect(!constantTimeEqual([], secret))
        for index in secret.indices {
            var other = secret
            other[index] ^= 0x80
            #expect(!constantTimeEqual(secret, other))
        }
    }
}
