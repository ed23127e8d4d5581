import JOSE
import Jansson
import OpenSSL
import Testing

@Suite("Unsigned JWS")
struct UnsignedJWSTests {
    @Test("A verifier accepts the signed token, and reads the same signing input")
    func roundTrip() throws {
        let issuer = try TestIssuer()
        let unsigned = UnsignedJWS(
            header: .object(["alg": .string("RS256"), "kid": .string("modulus"), "typ": .string("JWT")]),
            payload: .object(["sub": .string("é"), "exp": .integer(1_700_000_000)]))
        let signature = try issuer.rsa.signature(for: Array(unsigned.signingInput.utf8))
        let jws = try CompactJWS.parse(unsigned.compact(signature: signature))
        #expect(jws.signingInput == Array(unsigned.signingInput.utf8))
        let claims = try JWSVerifier.verify(jws, keys: try issuer.keys, algorithms: [.rs256])
        #expect(claims.subject == "é")
        #expect(claims.expiry == TestIssuer.now)
    }

    @Test("Header and payload are compact JSON in base64url with a dot between")
    func form() {
        let unsigned = UnsignedJWS(header: .object(["alg": .string("ES256")]), payload: .object([:]))
        #expect(unsigned.signingInput == "eyJhbGciOiJFUzI1NiJ9.e30")
        #expect(unsigned.compact(signature: [0, 1, 2]) == "eyJhbGciOiJFUzI1NiJ9.e30.AAEC")
    }
}
