import Foundation
import Jansson
import OpenSSL
import Testing

@testable import AttackLab

@Suite("A stolen seal key")
struct StolenSealKeyTests {
    private static let octets = Array(repeating: UInt8(0x42), count: 32)

    @Test(
        "The key is read from its text, and from a file with that text or with its octets",
        arguments: [Data(Base64.urlEncode(octets).utf8), Data((Base64.urlEncode(octets) + "\n").utf8), Data(octets)])
    func read(contents: Data) throws {
        let path = NSTemporaryDirectory() + "stolen-\(UUID().uuidString)"
        try contents.write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        for key in [StolenSealKey(fileOrText: path), StolenSealKey(fileOrText: Base64.urlEncode(Self.octets))] {
            let sealed = try #require(key).seal(["id": "x"], as: "nonce", for: "my-app")
            #expect(try opened(sealed, as: "nonce", for: "my-app") == ["id": "x"])
        }
    }

    @Test(
        "A text or file that does not have 32 octets is refused",
        arguments: ["", "AAAA", "/no/such/file", "not base64url!"])
    func noKey(text: String) {
        #expect(StolenSealKey(fileOrText: text) == nil)
    }

    @Test("A forged value opens only for its kind and its holder")
    func binding() throws {
        let key = try #require(StolenSealKey(fileOrText: Base64.urlEncode(Self.octets)))
        let sealed = try key.seal(["id": "x"], as: "session", for: "my-app")
        #expect(try opened(sealed, as: "session", for: "my-app") == ["id": "x"])
        #expect(try opened(sealed, as: "nonce", for: "my-app") == nil)
        #expect(try opened(sealed, as: "session", for: "other-app") == nil)
    }

    @Test("Every kind has forgeries, and each has an id, a time of issue and an expiry", arguments: SealForger.kinds)
    func forgeries(letter: String, kind: String) throws {
        let key = try #require(StolenSealKey(fileOrText: Base64.urlEncode(Self.octets)))
        let forger = SealForger(
            clientID: "my-app", provider: "yahoo.com", subject: "VICTIM", attackerUID: "attacker",
            victimUID: "yahoo.com:VICTIM", redirectURI: "com.example.app:/yahoo", now: 1000, id: "id", state: "state")
        let forgeries = try forger.forgeries(of: kind, with: key)
        #expect(!forgeries.isEmpty)
        for forged in forgeries {
            #expect(forged.kind == kind)
            // An identity and a browser have no expiry of their own.
            guard !["identity", "browser"].contains(kind) else { continue }
            #expect(forged.content["exp"] == 1600)
            #expect(forged.content["iat"] == 1000)
        }
    }

    /// Opens a sealed value, as the format is documented: AES-256-GCM under HKDF-SHA256.
    private func opened(_ text: String, as kind: String, for holder: String) throws -> JSON? {
        let key = try HKDFSHA256.derive(
            from: Self.octets, salt: [], info: Array("token-exchange seal \(kind)".utf8), count: 32)
        let sealed = try #require(Base64.urlDecode(text))
        return try AES256GCM(key: key).open(
            sealed, authenticating: Array("token-exchange\0\(kind)\0\(holder)".utf8)
        ).map { try JSON.parse($0) }
    }
}
