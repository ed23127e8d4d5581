import ArgumentParser
import JOSE
import Jansson
import Server
import Settings
import Standards
import Stores
import Testing
import Transport

@testable import token_exchange

@Suite("doctor")
struct DoctorTests {
    private static let fine = Finding("a.fine", .ok, "It works.")
    private static let register = Finding("b.register", of: "yahoo.com", .info, "Register this.")
    private static let skipped = Finding("c.skipped", .skipped, "There is no key.")
    private static let slow = Finding("d.slow", .warning, "It is slow.", remedy: "Make it faster.")
    private static let broken = Finding("e.broken", of: "a\u{1B}[2Jb", .error, "It is broken.", remedy: "Repair it.")

    @Test(
        "The exit code is that of the worst finding",
        arguments: [
            ([], .success), ([fine, register, skipped], .success), ([fine, slow], ExitCode(2)),
            ([broken, slow, fine], .failure),
        ] as [([Finding], ExitCode)])
    func exitCode(findings: [Finding], code: ExitCode) {
        #expect(DoctorReport(findings: findings).exitCode == code)
    }

    @Test("The text has a line for each finding with its remedy, and the numbers last; a peer cannot move the cursor")
    func text() {
        #expect(
            DoctorReport(findings: [Self.fine, Self.register, Self.skipped, Self.slow, Self.broken]).text == """
                ok: a.fine: It works.
                info: b.register (yahoo.com): Register this.
                skipped: c.skipped: There is no key.
                warning: d.slow: It is slow.
                    Make it faster.
                error: e.broken (a\\u{1b}[2Jb): It is broken.
                    Repair it.
                1 error, 1 warning, 1 check skipped, 1 without a finding
                """)
    }

    @Test("The JSON has the same findings; a member that has no value is missing")
    func json() {
        let report = DoctorReport(findings: [Self.fine, Self.slow]).json
        #expect(report["result"]?.string == "warning")
        #expect(report["findings"]?.array?.first?.object?.keys.sorted() == ["id", "severity", "text"])
        #expect(report["findings"]?.array?.last?["remedy"]?.string == "Make it faster.")
    }

    @Test(
        "A clock is off by more than 5 seconds with a warning, and by more than 30 with an error",
        arguments: [(0, .ok), (-5, .ok), (6, .warning), (-30, .warning), (31, .error), (-3600, .error)]
            as [(Int64, Finding.Severity)])
    func clock(offset: Int64, severity: Finding.Severity) {
        #expect(PeerClocks.finding(offset, by: "a").severity == severity)
    }

    @Test("The clock is compared with that of the peer that agrees most, because a peer's clock may be wrong")
    func peers() async throws {
        let clocks = PeerClocks(time: TimeSource { NumericDate(1_700_000_000) })
        let transport = clocks.observing(
            HTTPTransport { request throws(TransportError) in
                let date =
                    request.url == "https://right.example/"
                    ? "Tue, 14 Nov 2023 22:13:18 GMT" : "Tue, 14 Nov 2023 20:00:00 GMT"
                return OutboundResponse(status: 200, header: [HeaderField("date", date)])
            })
        #expect(clocks.findings().map(\.severity) == [.skipped])
        _ = try await transport.send(OutboundRequest(.get, "https://wrong.example/"))
        #expect(clocks.findings().map(\.severity) == [.error])
        _ = try await transport.send(OutboundRequest(.get, "https://right.example/"))
        #expect(clocks.findings() == [PeerClocks.finding(2, by: "right.example")])
    }

    @Test("Descriptors are too few if they allow fewer connections than max_in_flight")
    func descriptors() {
        #expect(MachineChecks.descriptors(limit: 1024, connections: 480, inFlight: 481).severity == .warning)
        #expect(MachineChecks.descriptors(limit: 1024, connections: 480, inFlight: 480).severity == .ok)
    }

    @Test("The disk needs a GiB, and a store call must take less than 50 ms")
    func store() {
        #expect(StoreChecks.space(1 << 30, in: "/").severity == .ok)
        #expect(StoreChecks.space(1 << 30 - 1, in: "/").severity == .warning)
        #expect(StoreChecks.latency(.milliseconds(49)).severity == .ok)
        #expect(StoreChecks.latency(.milliseconds(50)).severity == .warning)
    }

    @Test("The database (default) of Firestore is a warning, because applications use it too")
    func sharedDatabase() {
        let own = Settings.Store.firestore(project: "my-project", database: "token-exchange")
        #expect(StoreChecks.database(of: own) == nil)
        let shared = Settings.Store.firestore(project: "my-project", database: "(default)")
        let finding = StoreChecks.database(of: shared)
        #expect(finding?.severity == .warning)
        #expect(finding?.remedy?.contains("firestore://my-project/token-exchange") == true)
    }

    @Test("A clock that is behind the times in the store, or off from its clock, is an error")
    func storeClock() {
        func reading(watchedUntil: Int64 = 1000, clock: Int64? = nil) -> WatchReading {
            WatchReading(
                watchedUntil: NumericDate(watchedUntil), unwatchedUntil: NumericDate(0), sweptThrough: NumericDate(0),
                clock: clock.map(NumericDate.init))
        }
        let now = NumericDate(1000)
        #expect(StoreChecks.clock(reading(), at: now).severity == .ok)
        #expect(StoreChecks.clock(reading(watchedUntil: 1061), at: now).severity == .error)
        #expect(StoreChecks.clock(reading(clock: 1061), at: now).severity == .error)
    }

    @Test("The finding about keys says why each one is not used")
    func unusedKeys() throws {
        let keys = try JWKSet.parse(
            Array(
                #"{"keys":[{"kty":"RSA","use":"enc","n":"AAEC","e":"AQAB"},{"kty":"AKP","alg":"ML-DSA-65"},"x"]}"#.utf8)
        )
        #expect(
            ProviderChecks.refusals(of: keys)
                == " Not used: key 1, because use is not sig; key 2, because its type (kty) is not supported; "
                + "key 3, because it is not an object.")
        let many = "{\"keys\":[\(Array(repeating: "1", count: 9).joined(separator: ","))]}"
        #expect(try ProviderChecks.refusals(of: JWKSet.parse(Array(many.utf8))).hasSuffix("; and 1 more."))
        #expect(try ProviderChecks.refusals(of: JWKSet.parse(Array(#"{"keys":[]}"#.utf8))).isEmpty)
    }

    @Test("A fault of TLS has the remedy of that fault, and not only that the machine must reach the provider")
    func remedyOfTLS() {
        let error = DocumentError.unreachable(.untrusted(host: "idp.example", because: .unknownAuthority))
        #expect(error.remedy(reaching: "the provider", otherwise: "").contains("update-ca-certificates"))
        #expect(
            error.sentence == "the certificate of idp.example is from an authority that this machine does not trust")
        let other = DocumentError.unreachable(.unreachable(host: "idp.example"))
        #expect(
            other.remedy(reaching: "the provider", otherwise: "") == "Let this machine reach the provider by https.")
    }
}
