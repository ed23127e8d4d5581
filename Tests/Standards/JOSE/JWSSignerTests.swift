import Fixtures
import JOSE
import Jansson
import OpenSSL
import Testing

@Suite("Signed JWTs")
struct JWSSignerTests {
    private static let claims = JSON.object(["sub": .string("é"), "exp": .integer(1_700_000_000)])

    @Test("A key on P-256 signs with ES256, and an RSA key with RS256; the header has alg, typ and kid")
    func algorithms() throws {
        let issuer = try TestIssuer()
        let signers = [
            ("curve", try JWSSigner(pem: issuer.curve.pem()), Algorithm.es256),
            ("modulus", try JWSSigner(pem: issuer.rsa.pem()), .rs256),
        ]
        for (keyID, signer, algorithm) in signers {
            #expect(signer.algorithm == algorithm)
            let jws = try CompactJWS.parse(signer.jwt(Self.claims, keyID: keyID))
            let header = try JSON.parse(
                Base64URL.decode(String(decoding: jws.signingInput.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)))
            #expect(
                header
                    == .object([
                        "alg": .string(algorithm.rawValue), "typ": .string("JWT"), "kid": .string(keyID),
                    ]))
            #expect(try JWSVerifier.verify(jws, keys: issuer.keys, algorithms: [algorithm]).json == Self.claims)
        }
    }

    @Test("A signature of ES256 is r and s in 64 octets (RFC 7518 §3.4), and never DER")
    func signatureForm() throws {
        let signer = try JWSSigner(pem: Fixtures.pem("p256"))
        for _ in 0..<300 {
            // r or s begins with a zero octet once in 128 signatures.
            let signature = try CompactJWS.parse(signer.jwt(Self.claims, keyID: nil)).signature
            #expect(signature.count == 64)
        }
    }

    @Test("Without a key id the header has no kid")
    func noKeyID() throws {
        let jws = try CompactJWS.parse(JWSSigner(pem: Fixtures.pem("p256")).jwt(Self.claims, keyID: nil))
        #expect(jws.header.keyID == nil)
    }

    @Test(
        "Each form of a private key is read, also with \\n in two characters",
        arguments: ["p256", "p256-sec1", "rsa-2048", "rsa-2048-pkcs1", "rsa-4096"])
    func forms(name: String) throws {
        let pem = try Fixtures.pem(name)
        let signer = try JWSSigner(pem: pem)
        #expect(try JWSSigner(pem: pem.replacing("\n", with: "\\n").withPEMLineBreaks) == signer)
        #expect(try JWSSigner(pem: pem.replacing("\n", with: "\\r\\n").withPEMLineBreaks) == signer)
    }

    @Test(
        "Another key is refused with its kind",
        arguments: [
            ("p384", KeyError.wrongType(expected: .p256, found: .otherCurve)),
            ("ed25519", .wrongType(expected: .p256, found: .other)),
            ("rsa-pss-2048", .wrongType(expected: .p256, found: .other)),
            ("rsa-1024", .unsupportedSize(bits: 1024)), ("rsa-4104", .unsupportedSize(bits: 4104)),
            ("rsa-2048-encrypted", .encrypted), ("p256-public", .publicKeyInsteadOfPrivate),
            ("p256-certificate", .certificateInsteadOfKey),
        ])
    func otherKeys(name: String, error: KeyError) throws {
        let pem = try Fixtures.pem(name)
        #expect(throws: error) { try JWSSigner(pem: pem) }
    }

    @Test("Signers are equal if their keys are")
    func equality() throws {
        let names = ["p256", "p256-sec1", "rsa-2048", "rsa-4096"]
        for one in names {
            for other in names {
                let (one, other) = (try Fixtures.pem(one), try Fixtures.pem(other))
                #expect(try (JWSSigner(pem: one) == JWSSigner(pem: other)) == (one == other))
            }
        }
    }

    @Test("Nothing that prints a signer shows a number of its key")
    func elision() throws {
        let signer = try JWSSigner(pem: Fixtures.pem("p256"))
        var dumped = ""
        dump(signer, to: &dumped)
        #expect("\(signer)" == "[ES256 key elided]" && String(reflecting: signer) == "[ES256 key elided]")
        #expect(dumped == "- [ES256 key elided]\n")
    }
}
