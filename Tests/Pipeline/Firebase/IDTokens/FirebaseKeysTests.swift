import Firebase
import Fixtures
import Foundation
import JOSE
import Jansson
import OpenSSL
import Standards
import Support
import Testing
import Transport

@Suite("Firebase's keys")
struct FirebaseKeysTests {
    private let google: ScriptedGoogle

    init() throws {
        google = try ScriptedGoogle()
    }

    @Test("Certificates by key id are accepted like a JWK set")
    func certificates() async throws {
        let certificate = JSON.object(["c1": .string(try Fixtures.pem("rsa-2048-certificate"))])
        google.peer.script(
            .get, ScriptedGoogle.keysURL, .json(String(decoding: certificate.serialized(), as: UTF8.self)))
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-2048"))
        var token = IDTokenBuilder.firebase()
        token.header["kid"] = .string("c1")
        let input = JWSSigningInput(header: .object(token.header), payload: .object(token.claims))
        let text = input.compact(signature: try key.signature(for: Array(input.text.utf8)))
        #expect(try await google.idTokens.verify(Secret(text), tenants: [nil]).uid == "u1")
        await #expect(throws: FirebaseTokenError.signature(.signatureInvalid)) {
            try await google.idTokens.verify(token.secret(), tenants: [nil])
        }
    }

    @Test("A certificate of a weak key, or of another type of key, is ignored")
    func refusedCertificates() throws {
        let document = JSON.object([
            "a": .string(try Fixtures.pem("p256-certificate")), "b": .string(try Fixtures.pem("rsa-2048-certificate")),
            "c": .string("x"), "d": .integer(1), "": .string(try Fixtures.pem("rsa-2048-certificate")),
        ])
        let keys = try FirebaseKeys.parse(document.serialized())
        #expect(keys.keys.map(\.id) == [KeyID("b")])
        #expect(keys.refused.map(\.position) == [0, 1, 3, 4])
    }

    @Test(
        "A document without a usable key is refused",
        arguments: ["{}", "[]", "x", #"{"keys":[]}"#, #"{"a":"x"}"#, #"{"keys":"x"}"#])
    func noKeys(text: String) {
        #expect(throws: JOSEError.malformedKeySet) { try FirebaseKeys.parse(Array(text.utf8)) }
    }

    @Test("A document with only keys for ES256, or without key ids, is refused")
    func otherKeys() throws {
        let set = try JSON.parse(Array(TestKeys.shared.keySet().utf8))
        let entries = try #require(set["keys"]?.array)
        var nameless = try #require(entries[1].object)
        nameless["kid"] = nil
        for keys in [[entries[0]], [.object(nameless)]] {
            #expect(throws: JOSEError.malformedKeySet) {
                try FirebaseKeys.parse(JSON.object(["keys": .array(keys)]).serialized())
            }
        }
    }

    @Test("LK-18: while the keys cannot be fetched every token is refused")
    func down() async throws {
        google.peer.script(.get, ScriptedGoogle.keysURL, .failure(.unreachable(host: "keys.example")))
        let error = FirebaseTokenError.keys(.unreachable(.unreachable(host: "keys.example")))
        await #expect(throws: error) {
            try await google.idTokens.verify(IDTokenBuilder.firebase().secret(), tenants: [nil])
        }
        #expect(error.sentence.hasPrefix("the public keys of Firebase cannot be fetched from Google: "))
    }

    @Test("LK-18: cached keys are used while their URL does not respond")
    func outage() async throws {
        let verifier = google.idTokens
        _ = try await verifier.verify(IDTokenBuilder.firebase().secret(), tenants: [nil])
        google.peer.script(.get, ScriptedGoogle.keysURL, .status(500))
        google.clock.advance(by: .seconds(7200))
        let token = IDTokenBuilder.firebase(at: google.clock.now)
        #expect(try await verifier.verify(token.secret(), tenants: [nil]).uid == "u1")
        await #expect(throws: FirebaseTokenError.signature(.signatureInvalid)) {
            try await verifier.verify(token.signed(by: .foreignRSA).secret(), tenants: [nil])
        }
    }

    @Test("LK-18: after a rotation the new key is fetched, and unknown keys cause fetches at a limited rate")
    func rotation() async throws {
        let verifier = google.idTokens
        _ = try await verifier.verify(IDTokenBuilder.firebase().secret(), tenants: [nil])
        google.peer.script(
            .get, ScriptedGoogle.keysURL, .json(try TestKeys.shared.rotatedKeySet(curve: "curve-2", rsa: "rsa-2")))
        let token = IDTokenBuilder.firebase().settingHeader("kid", to: .string("rsa-2")).signed(by: .foreignRSA)
        #expect(try await verifier.verify(token.secret(), tenants: [nil]).uid == "u1")
        for number in 0..<5 {
            await #expect(throws: FirebaseTokenError.signature(.unknownKey)) {
                try await verifier.verify(
                    token.settingHeader("kid", to: .string("x\(number)")).secret(), tenants: [nil])
            }
        }
        #expect(google.peer.requests.count == 2)
    }

    @Test("A token that no key could verify causes no fetch")
    func noFetch() async throws {
        for token in [
            IDTokenBuilder.firebase().settingHeader("alg", to: .string("ES256")),
            .firebase().settingHeader("kid", to: nil),
        ] {
            _ = try? await google.idTokens.verify(token.secret(), tenants: [nil])
        }
        #expect(google.peer.requests.isEmpty)
    }
}
