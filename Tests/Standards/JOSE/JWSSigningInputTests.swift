import Fixtures
import JOSE
import Jansson
import OpenSSL
import Standards
import Testing

@Suite("Unsigned JWS")
struct JWSSigningInputTests {
    @Test("A verifier accepts the signed token, and reads the same signing input")
    func roundTrip() throws {
        let issuer = try TestIssuer()
        let input = JWSSigningInput(
            header: .object(["alg": .string("RS256"), "kid": .string("modulus"), "typ": .string("JWT")]),
            payload: .object(["sub": .string("é"), "exp": .integer(1_700_000_000)]))
        let signature = try issuer.rsa.signature(for: Array(input.text.utf8))
        let jws = try CompactJWS.parse(input.compact(signature: signature))
        #expect(jws.signingInput == Array(input.text.utf8))
        let claims = try JWSVerifier.verify(jws, keys: try issuer.keys, algorithms: [.rs256])
        #expect(claims.subject == "é")
        #expect(claims.expiry == TestIssuer.now)
    }

    @Test("Header and payload are compact JSON in base64url with a dot between")
    func form() {
        let input = JWSSigningInput(header: .object(["alg": .string("ES256")]), payload: .object([:]))
        #expect(input.text == "eyJhbGciOiJFUzI1NiJ9.e30")
        #expect(input.compact(signature: [0, 1, 2]) == "eyJhbGciOiJFUzI1NiJ9.e30.AAEC")
    }
}
