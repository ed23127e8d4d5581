import Fixtures
import JOSE
import Standards
import Testing

@Suite("Unsecured JWS")
struct UnsecuredJWSTests {
    private let payload = Base64URL.encode(Array(#"{"sub": "s"}"#.utf8))

    private func text(_ header: String = #"{"alg": "none"}"#, signature: String = "") -> String {
        Base64URL.encode(Array(header.utf8)) + "." + payload + "." + signature
    }

    @Test("An unsigned token is parsed, with its claims and signing input")
    func baseline() throws {
        let jws = try UnsecuredJWS.parse(text())
        #expect(jws.claims.subject == "s")
        #expect(jws.signingInput == Array(text().utf8.dropLast()))
        #expect(try UnsecuredJWS.parse(text(#"{"alg": "none", "typ": "JWT"}"#)).claims.subject == "s")
    }

    @Test(
        "Another algorithm than none, or another type than JWT, is refused",
        arguments: [
            (#"{"alg": "RS256"}"#, JOSEError.algorithmNotAllowed), (#"{"alg": "None"}"#, .algorithmNotAllowed),
            (#"{"alg": ""}"#, .algorithmNotAllowed), (#"{}"#, .malformedToken(.algorithm)),
            (#"{"alg": "none", "typ": "at+jwt"}"#, .typeNotAllowed),
            (#"{"alg": "none", "crit": ["exp"]}"#, .criticalHeader),
        ])
    func header(header: String, error: JOSEError) {
        #expect(throws: error) { try UnsecuredJWS.parse(text(header)) }
    }

    @Test("A signature is refused")
    func signature() {
        #expect(throws: JOSEError.malformedToken(.segments)) { try UnsecuredJWS.parse(text(signature: "AAAA")) }
    }

    @Test("A text that is not a JWT is refused")
    func malformed() {
        for text in ["", "..", ".\(payload).", "a.b", text() + "."] {
            #expect(throws: JOSEError.malformedToken(.segments)) { try UnsecuredJWS.parse(text) }
        }
        let header = Base64URL.encode(Array(#"{"alg": "none"}"#.utf8))
        #expect(throws: JOSEError.malformedToken(.payload)) { try UnsecuredJWS.parse(header + "..") }
        #expect(throws: JOSEError.tooLarge(maximumBytes: 16_384)) {
            try UnsecuredJWS.parse(String(repeating: "a", count: 16_385))
        }
    }

    @Test("The parser of signed tokens refuses an unsigned one")
    func signedParser() {
        #expect(throws: JOSEError.malformedToken(.segments)) { try CompactJWS.parse(text()) }
    }
}
