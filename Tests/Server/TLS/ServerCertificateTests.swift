import Fixtures
import Server
import Testing

@Suite("Certificate of a listener")
struct ServerCertificateTests {
    @Test(
        "RSA and P-256 certificates are accepted with their own key",
        arguments: [("rsa-2048-certificate", "rsa-2048"), ("p256-certificate", "p256"), ("server-certificate", "p256")])
    func accepted(certificate: String, key: String) throws {
        _ = try Self.read(certificate, key)
    }

    @Test("the key of another certificate is refused")
    func anotherKey() {
        #expect(throws: ServerCertificateError.keyOfAnotherCertificate(position: nil)) {
            try Self.read("rsa-2048-certificate", "rsa-4096")
        }
    }

    @Test("the place of the certificate to which the key belongs is told")
    func wrongOrder() throws {
        let chain = try ["rsa-2048-certificate", "p256-certificate"].map(Fixtures.pem).joined(separator: "\n")
        #expect(throws: ServerCertificateError.keyOfAnotherCertificate(position: 2)) {
            try ServerCertificate(chain: chain, key: Fixtures.pem("p256"))
        }
    }

    @Test("a key in place of the certificate is refused")
    func keyForCertificate() {
        #expect(throws: ServerCertificateError.malformedCertificate) { try Self.read("rsa-2048", "rsa-2048") }
    }

    @Test(
        "a text that is no private key without a passphrase is refused",
        arguments: ["rsa-2048-certificate", "rsa-2048-public", "rsa-2048-encrypted", "rsa-2048-pkcs1-encrypted"])
    func malformedKey(name: String) {
        #expect(throws: ServerCertificateError.malformedKey) { try Self.read("rsa-2048-certificate", name) }
    }

    private static func read(_ certificate: String, _ key: String) throws -> ServerCertificate {
        try ServerCertificate(chain: Fixtures.pem(certificate), key: Fixtures.pem(key))
    }
}
