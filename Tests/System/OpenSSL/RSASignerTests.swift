import Fixtures
import OpenSSL
import Testing

@Suite("RSA signer")
struct RSASignerTests {
    @Test(
        "Concurrent tasks get the same signatures as from the key itself, also if there are fewer copies than threads",
        arguments: [1, 2])
    func manyTasks(copies: Int) async throws {
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-2048"))
        let signer = try RSASigner(key: key, count: copies)
        let signed = try await withThrowingTaskGroup(of: (UInt8, [UInt8]).self) { group in
            for number in 0..<200 as Range<UInt8> {
                group.addTask { (number, try signer.signature(for: [number])) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(signed.count == 200)
        for (number, signature) in signed { #expect(try signature == key.signature(for: [number])) }
    }
}
