import Fixtures
import OpenSSL
import Testing

@Suite("Dates of a certificate")
struct CertificateDatesTests {
    @Test("A certificate for 20000 days, which end after 2049, has these dates")
    func dates() throws {
        let dates = try #require(CertificateDates(pem: try Fixtures.pem("server-certificate")))
        #expect(dates.notAfter - dates.notBefore == 20000 * 86400)
        // The fixture was made between 2026 and 2100.
        #expect((1_790_000_000..<4_102_444_800).contains(dates.notBefore))
    }

    @Test("The first certificate of a text is read, and a key before it is skipped")
    func combined() throws {
        let certificate = try Fixtures.pem("server-certificate")
        let text = try Fixtures.pem("p256") + "\n" + certificate
        #expect(CertificateDates(pem: text) == CertificateDates(pem: certificate))
        #expect(CertificateDates(pem: text) != nil)
    }

    @Test("A text without a certificate has no dates", arguments: ["p256", "p256-public"])
    func noCertificate(name: String) throws {
        #expect(CertificateDates(pem: try Fixtures.pem(name)) == nil)
        #expect(CertificateDates(pem: "text") == nil)
    }
}
