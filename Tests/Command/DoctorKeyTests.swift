import JOSE
import Jansson
import SQLiteStores
import Stores
import Testing

@testable import token_exchange

@Suite("Keys of servers that share a store")
struct DoctorKeyTests {
    private static func keys(_ sealKeys: [String], _ storeKeys: [String] = ["s"]) -> KeyFingerprints {
        KeyFingerprints(sealKeys: sealKeys, storeKeys: storeKeys)
    }

    private static func server(_ name: String, _ keys: KeyFingerprints) -> RunningServer {
        RunningServer(id: Array(name.utf8), name: name, keys: keys)
    }

    @Test("Servers with the same keys have no finding, and the fingerprints are shown")
    func agreement() {
        let findings = KeyChecks.findings(
            Self.keys(["a", "b"]),
            [Self.server("one", Self.keys(["a", "b"])), Self.server("two", Self.keys(["a", "b"]))])
        #expect(findings.map(\.id) == ["seal_keys", "store_keys"])
        #expect(findings.map(\.severity) == [.ok, .ok])
        #expect(
            findings[0].text
                == "Every server (2) has each key that seals here or at another server. Fingerprints of the keys here: a b"
        )
    }

    @Test(
        "No step of the replacement of a key is a finding, whichever server it has reached",
        arguments: [
            (["old"], ["old"]), (["old"], ["old", "new"]), (["old", "new"], ["old", "new"]),
            (["old", "new"], ["new", "old"]), (["new", "old"], ["new", "old"]), (["new", "old"], ["new"]),
        ])
    func rotation(one: [String], two: [String]) {
        let servers = [Self.server("one", Self.keys(["s"], one)), Self.server("two", Self.keys(two))]
        #expect(MissingKey.among([Self.server("one", Self.keys(one)), servers[1]]) == [])
        #expect(MissingKey.among([servers[0], Self.server("two", Self.keys(["s"], two))]) == [])
    }

    @Test(
        "A key that seals at one server and is missing at another is an error that names both",
        arguments: [true, false])
    func missing(isSealKey: Bool) throws {
        func keys(_ list: [String]) -> KeyFingerprints { isSealKey ? Self.keys(list) : Self.keys(["s"], list) }
        let findings = KeyChecks.findings(
            keys(["old", "new"]), [Self.server("one", keys(["new", "old"])), Self.server("two", keys(["old"]))])
        let fault = try #require(findings.first { $0.severity == .error })
        #expect(findings.count == 2 && findings.filter { $0.severity == .ok }.count == 1)
        let list = isSealKey ? "seal_keys" : "store_keys"
        #expect(fault.id == list && fault.subject == "new")
        #expect(fault.text == "This key seals at one, and \(list) does not contain it at two.")
        #expect(fault.remedy?.hasPrefix("Write the same \(list) at every server, and reload.") == true)
    }

    @Test("The configuration of the command counts as a server, and each of two keys is reported with all its servers")
    func configuration() {
        let odd = Self.keys(["x"])
        let findings = KeyChecks.findings(
            odd, ["one", "two", "three", "four", "five", "six"].map { Self.server($0, Self.keys(["a"])) })
        #expect(
            findings.filter { $0.severity == .error }.map(\.text) == [
                "This key seals at one, two, three, four, five and 1 more, and seal_keys does not contain it at the "
                    + "configuration of this command.",
                "This key seals at the configuration of this command, and seal_keys does not contain it at one, two, three, "
                    + "four, five and 1 more.",
            ])
    }

    @Test("Without servers, without a store and without a key file there is nothing to compare")
    func nothing() {
        for servers in [nil, []] as [[RunningServer]?] {
            #expect(KeyChecks.findings(Self.keys(["a"]), servers).map(\.severity) == [.info, .info])
        }
        let findings = KeyChecks.findings(Self.keys([], []), [Self.server("one", Self.keys(["a"]))])
        #expect(findings.map(\.severity) == [.ok, .ok])
    }

    @Test("A server learns of its own sealing keys that others lack, once, and again after a change")
    func announcement() async throws {
        let store = try SQLiteStore.inMemory()
        let time = TimeSource { NumericDate(1_700_000_000) }
        let one = try ServerAnnouncement(store: store, time: time, name: "one")
        let two = try ServerAnnouncement(store: store, time: time, name: "two")
        let missing = { (key: String, sealing: String, lacking: String) in
            MissingKey(list: .sealKeys, fingerprint: key, sealing: [sealing], lacking: [lacking])
        }
        #expect(try await one.renew(Self.keys(["a"])) == [])
        #expect(try await two.renew(Self.keys(["b"])) == [missing("b", "two", "one")])
        #expect(try await two.renew(Self.keys(["b"])) == [])
        #expect(try await one.renew(Self.keys(["a"])) == [missing("a", "one", "two")])
        #expect(try await two.renew(Self.keys(["c"])) == [missing("c", "two", "one")])
        #expect(try await two.renew(Self.keys(["a", "c"])) == [])
        try await one.withdraw()
        #expect(try await two.renew(Self.keys(["c"])) == [])
    }
}

@Suite("The age of a service account's key")
struct ServiceAccountKeyAgeTests {
    /// A certificate that is valid from 2025-01-01T00:00:00Z to 2026-01-01T00:00:00Z.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBBTCBq6ADAgECAgEBMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAWEwHhcNMjUw
        MTAxMDAwMDAwWhcNMjYwMTAxMDAwMDAwWjAMMQowCAYDVQQDDAFhMFkwEwYHKoZI
        zj0CAQYIKoZIzj0DAQcDQgAEC0mSqymYf2Sot4GJhYSfO2xAVUyQ0FlkWp2WTl3V
        +9eUkcabkzKzK/ZAb823KJPclB2riNkhMlqM4enCfKRZlDAKBggqhkjOPQQDAgNJ
        ADBGAiEA91AUVR6k8XKkphIA0CF1C/flkJs7kYQCC0b2fUWR2WgCIQDikWtatEHp
        J7YT8QMBIcdSlnhTsGCff2GG6e1lhgiXPQ==
        -----END CERTIFICATE-----
        """
    private static let start: Int64 = 1_735_689_600
    private static let end: Int64 = 1_767_225_600

    private static func finding(at seconds: Int64, keyID: String? = "k1") -> Finding? {
        ServiceAccountKeyAge.finding(
            keyID, in: JSON.object(["k1": .string(certificate)]).serialized(), of: "a@b", at: NumericDate(seconds))
    }

    @Test(
        "The age is information, with advice after 90 days; a key that ends soon is a warning, one that has ended an error",
        arguments: [
            (start - 60, .info, "The key is 0 days old.", false),
            (start + 86400, .info, "The key is 1 day old.", false),
            (start + 90 * 86400, .info, "The key is 90 days old.", false),
            (
                start + 90 * 86400 + 1, .info,
                "The key is 90 days old. Google recommends to replace keys every 90 days.", true
            ),
            (
                end - 14 * 86400, .info, "The key is 351 days old. Google recommends to replace keys every 90 days.",
                true
            ),
            (end - 14 * 86400 + 1, .warning, "The key expires in 13 days.", true),
            (end, .warning, "The key expires in 0 days.", true),
            (end + 1, .error, "The key expired 0 days ago.", true),
        ] as [(Int64, Finding.Severity, String, Bool)])
    func age(at seconds: Int64, severity: Finding.Severity, text: String, hasRemedy: Bool) throws {
        let finding = try #require(Self.finding(at: seconds))
        #expect((finding.id, finding.subject) == ("google.key_age", "a@b"))
        #expect((finding.severity, finding.text) == (severity, text))
        #expect((finding.remedy != nil) == hasRemedy)
    }

    @Test("A key that Google keeps has no age, and a JWK set tells none")
    func unknown() {
        #expect(Self.finding(at: Self.start, keyID: nil) == nil)
        #expect(Self.finding(at: Self.start, keyID: "k2")?.severity == .info)
        let keySet = ServiceAccountKeyAge.finding(
            "k1", in: Array(#"{"keys":[{"kid":"k1","kty":"RSA"}]}"#.utf8), of: "a@b", at: NumericDate(Self.start))
        #expect(keySet?.text.hasPrefix("The age of the key is not known") == true)
    }
}
