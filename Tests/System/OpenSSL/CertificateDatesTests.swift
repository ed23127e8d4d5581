import Fixtures
import OpenSSL
import Testing

@Suite("Dates and names of a certificate")
struct CertificateDatesTests {
    @Test("A certificate for 20000 days, which end after 2049, has these dates")
    func dates() throws {
        let dates = try #require(try Self.dates("server-certificate", "auth.example.com"))
        #expect(dates.notAfter - dates.notBefore == 20000 * 86400)
        // The fixture was made between 2026 and 2100.
        #expect((1_790_000_000..<4_102_444_800).contains(dates.notBefore))
    }

    @Test(
        "A certificate is for the hosts that it names",
        arguments: ["auth.example.com", "AUTH.example.com", "one.apps.example.com", "192.0.2.7", "2001:db8::7"])
    func named(host: String) throws {
        #expect(try Self.dates("server-certificate", host) != nil)
    }

    @Test(
        "A certificate is not for other hosts, and not for the common name of its subject",
        arguments: [
            "example.com", "auth.example.com.evil.com", "one.two.apps.example.com", "apps.example.com", "192.0.2.8",
            "common.example.com", "",
        ])
    func notNamed(host: String) throws {
        #expect(try Self.dates("server-certificate", host) == nil)
    }

    @Test("A text without a certificate has no dates", arguments: ["p256", "p256-public"])
    func noCertificate(name: String) throws {
        #expect(try Self.dates(name, "auth.example.com") == nil)
    }

    @Test("A certificate that need not name a host has its dates")
    func noHost() throws {
        let pem = try Fixtures.pem("server-certificate")
        #expect(CertificateDates(pem: pem, for: nil) != nil)
        #expect(CertificateDates(pem: pem, for: "other.example") == nil)
        #expect(CertificateDates(pem: "text", for: nil) == nil)
    }

    private static func dates(_ name: String, _ host: String) throws -> CertificateDates? {
        CertificateDates(pem: try Fixtures.pem(name), for: host)
    }
}
