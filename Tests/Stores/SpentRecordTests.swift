import Fixtures
import JOSE
import Standards
import Stores
import Testing

@Suite("Spent record")
struct SpentRecordTests {
    private func hex(_ record: SpentRecord) -> String {
        record.digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test(
        "The digest is SHA-256 over label and parts, each prefixed with its length, and never changes",
        arguments: [
            (
                SpentKind.authorizationCode,
                "0da58209549bf41681bf103fcd93895ecc3053795fc85750906708c7da230207"
            ),
            (.idToken, "41e846a5c360164e3f1f8136c0a6cfc0e8ae756bc3762cd94c2d18edfd6ae553"),
            (.nonce, "aefd13a98e684be49b0a38f1f2f367fdf224cfb1f425b95d354efb4a37eeefa2"),
            (.session, "c48afeb836dbfcbc75143875e6aff1e66b8370ee1a57ebae7b6917101918f6e5"),
        ])
    func knownDigest(kind: SpentKind, digest: String) {
        // Computed with hashlib of Python: sha256 of (8 bytes of length, part) for each part.
        let record = SpentRecord(kind, of: [Array("yahoo.com".utf8), [0, 255], []], issuedAt: nil, expiresAt: later)
        #expect(hex(record) == digest)
        #expect(record.kind == kind)
        #expect(record.expiresAt == later)
    }

    @Test("A part of more than 255 bytes is prefixed with its whole length")
    func longPart() {
        let record = SpentRecord(
            .authorizationCode, of: [[UInt8](repeating: UInt8(ascii: "x"), count: 300)], issuedAt: nil,
            expiresAt: later)
        #expect(hex(record) == "0783fd5ab6af0f56471964d39ac6e82b86b36129cae8f82ffe720db8ba63a1c8")
    }

    @Test("Parts with the same concatenation make different records")
    func borders() {
        let parts: [[[UInt8]]] = [
            [[1, 2], [3]], [[1], [2, 3]], [[1, 2, 3]], [[1, 2, 3], []], [[], [1, 2, 3]], [[3], [1, 2]],
        ]
        #expect(
            Set(parts.map { SpentRecord(.nonce, of: $0, issuedAt: nil, expiresAt: later).digest }).count == parts.count)
    }

    @Test("Every kind has its own name in the store")
    func names() {
        #expect(
            SpentKind.allCases.map(\.rawValue) == [
                "code", "id_token", "nonce", "session", "flow", "pushed_request", "confirmation", "handoff",
                "device_code",
                "pending_credential", "firebase_id_token", "event",
            ])
    }
}

@Suite("A second use")
struct SecondUseTests {
    @Test(
        "The text for the developer says where to begin again",
        arguments: [
            (SpentKind.pushedRequest, "The request_uri was already used. Push the request again at /par."),
            (.confirmation, "The page of this sign-in was already used. Begin again at POST /v1/signin."),
            (.deviceCode, "The answer to this device_code was already sent. Begin again with a new code."),
            (
                .nonce,
                "The nonce_verifier was already used. Get a new one at POST /v1/nonce for each sign-in at the provider."
            ),
            (.session, "The session was already used. Begin again at POST /v1/signin."),
            (.idToken, "This credential was already used. Sign in at the provider again."),
        ])
    func text(kind: SpentKind, text: String) {
        #expect(Refusal.replayed(kind).description == text)
    }
}

@Suite("External identity")
struct ExternalIdentityTests {
    @Test("MT-04: identities are equal only if all their bytes are equal")
    func equality() {
        let identity = ExternalIdentity(provider: "yahoo.com", subject: "\u{E9}K")
        #expect(identity == ExternalIdentity(provider: "yahoo.com", subject: "\u{E9}K"))
        let others = [
            ExternalIdentity(provider: "yahoo.com", subject: "e\u{301}K"),
            ExternalIdentity(provider: "yahoo.com", subject: "\u{E9}\u{212A}"),
            ExternalIdentity(provider: "yahoo.com", subject: "\u{E9}k"),
            ExternalIdentity(provider: "yahoo.comK", subject: "\u{E9}"),
            ExternalIdentity(provider: "twitter.com", subject: "\u{E9}K"),
        ]
        for other in others { #expect(identity != other) }
        #expect(Set(others + [identity]).count == 6)
    }
}
