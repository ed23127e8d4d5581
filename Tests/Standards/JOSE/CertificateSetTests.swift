import Fixtures
import Foundation
import JOSE
import OpenSSL
import Standards
import Testing

@Suite("Set of certificates")
struct CertificateSetTests {
    private func fixture(_ name: String) throws -> String {
        "\"\(try Fixtures.pem(name).replacing("\n", with: "\\n"))\""
    }

    private func parse(_ members: [String: String]) throws -> JWKSet {
        try JWKSet.parse(certificates: Array(TestIssuer.object(members).utf8))
    }

    @Test("The key of a certificate verifies its signatures, and its key ID is the name of the member")
    func baseline() throws {
        let keys = try parse(["modulus": fixture("rsa-2048-certificate")])
        #expect(keys.keys.map(\.id) == [KeyID("modulus")])
        #expect(keys.keys.map(\.algorithms) == [[.rs256]])
        var token = try TestToken()
        token.header = ["alg": #""RS256""#, "kid": #""modulus""#]
        let text = try token.compact(signedBy: .rsa)
        #expect(
            try JWSVerifier.verify(CompactJWS.parse(text), keys: keys, algorithms: [.rs256]).subject == "subject")
    }

    @Test("A member that is not a certificate of an RSA key is refused with the reason, and the others are used")
    func refused() throws {
        let keys = try parse([
            "": fixture("rsa-2048-certificate"), "a": fixture("p256-certificate"), "b": "1", "c": #""x""#,
            "d": fixture("rsa-2048-certificate"), "e": fixture("rsa-1024"),
        ])
        #expect(keys.keys.map(\.id) == [KeyID("d")])
        #expect(keys.refused.map(\.position) == [0, 1, 2, 3, 5])
        #expect(
            keys.refused.prefix(4).map(\.reason) == [
                .malformedMember("kid"), .key(.wrongType(expected: .rsa, found: .p256)), .key(.malformed),
                .key(.malformed),
            ])
    }

    @Test("A text that is not an object of at most 250 members is refused")
    func malformed() {
        let many = TestIssuer.object(Dictionary(uniqueKeysWithValues: (0...250).map { ("k\($0)", "1") }))
        for text in ["", "[]", "x", #"{"a": 1, "a": 2}"#, many] {
            #expect(throws: JOSEError.malformedKeySet) { try JWKSet.parse(certificates: Array(text.utf8)) }
        }
        #expect(throws: JOSEError.tooLarge(maximumBytes: JWKSet.maximumBytes)) {
            try JWKSet.parse(certificates: [UInt8](repeating: 0x20, count: JWKSet.maximumBytes + 1))
        }
    }
}
