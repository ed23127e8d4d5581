import OpenSSL
import Testing

@Suite("Randomness and comparison")
struct RandomAndComparisonTests {
    @Test("Random bytes have the requested count and are never the same")
    func randomBytes() throws {
        #expect(try SecureRandom.bytes(0).isEmpty)
        #expect(try SecureRandom.bytes(33).count == 33)
        let drawn = try (0..<1000).map { _ in try SecureRandom.bytes(16) }
        #expect(Set(drawn).count == 1000)
    }

    @Test("Equal bytes compare equal, and any difference compares unequal")
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
