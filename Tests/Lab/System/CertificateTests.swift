import Fixtures
import LabSystem
import OpenSSL
import Testing

@Suite("Self-signed certificates")
struct CertificateTests {
    @Test("A certificate contains the public key of the key that signed it")
    func publicHalf() throws {
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-2048"))
        let pem = try key.selfSignedCertificate(
            commonName: "example", serialNumber: 7, notBefore: 1_700_000_000, notAfter: 1_700_086_400)
        #expect(pem.hasPrefix("-----BEGIN CERTIFICATE-----\n"))
        #expect(pem.hasSuffix("\n-----END CERTIFICATE-----\n"))
        #expect(try RSAPublicKey(pem: pem).modulus == key.publicKey.modulus)
        #expect(errorQueueIsEmpty())
    }

    @Test("A certificate contains its name, number and validity, and is signed by its own key")
    func contents() throws {
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-2048"))
        let pem = try key.selfSignedCertificate(
            commonName: "example", serialNumber: 7, notBefore: 1_700_000_000, notAfter: 1_700_086_400)
        let der = try #require(DER(pem: pem))
        let certificate = try #require(der.children.first)
        let toBeSigned = try #require(certificate.children.first)
        #expect(toBeSigned.children[1].contents == [7])
        // RFC 5280 §4.1.2.5.1: UTCTime, YYMMDDHHMMSSZ.
        #expect(toBeSigned.children[4].children.map(\.text) == ["231114221320Z", "231115221320Z"])
        #expect(toBeSigned.children[3].bytes == toBeSigned.children[5].bytes)
        #expect(String(decoding: toBeSigned.children[5].bytes, as: UTF8.self).hasSuffix("example"))
        // RFC 5280 §4.1.1.3: the signature is over the DER encoding of tbsCertificate.
        let signature = Array(certificate.children[2].contents.dropFirst())
        #expect(key.publicKey.isValid(signature: signature, for: toBeSigned.bytes))
    }

    @Test("A name that is longer than RFC 5280 allows is refused")
    func longName() throws {
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-2048"))
        #expect(throws: CertificateError.self) {
            try key.selfSignedCertificate(
                commonName: String(repeating: "a", count: 65), serialNumber: 1, notBefore: 0, notAfter: 1)
        }
        #expect(errorQueueIsEmpty())
    }
}
