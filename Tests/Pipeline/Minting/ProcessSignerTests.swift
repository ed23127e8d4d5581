import JOSE
import Jansson
import Minting
import OpenSSL
import Support
import Synchronization
import Testing
import Transport

@Suite("Signer in another process")
struct ProcessSignerTests {
    /// Answers every question, and keeps the questions.
    private final class Peer: Sendable {
        let questions = Mutex<[SigningRequest.Kind]>([])
        private let answer: @Sendable (SigningRequest.Kind) throws(FrameCallError) -> String

        init(_ answer: @escaping @Sendable (SigningRequest.Kind) throws(FrameCallError) -> String) {
            self.answer = answer
        }

        /// A peer that has learned and answered a check before everything else gets one answer.
        init(_ result: Result<String, FrameCallError>) {
            answer = { kind throws(FrameCallError) in kind == .check ? ownIdentity : try result.get() }
        }

        var calls: FrameCalls {
            FrameCalls(isFull: { false }) { question async throws(FrameCallError) in
                guard let question = try? SigningRequest.parse(question) else { return [] }
                self.questions.withLock { $0.append(question.kind) }
                return Array(try self.answer(question.kind).utf8)
            }
        }
    }

    private static let issuer = "signer@my-project.iam.gserviceaccount.com"
    private static let ownIdentity = (try? identity(of: TestKeys.shared.account)) ?? ""

    private static func identity(of key: RSAPrivateKey) -> String {
        text(SigningResponse.checked(SignerIdentity(issuer: issuer, key: key.publicKey)).json)
    }

    private static func text(_ json: JSON) -> String { String(decoding: json.serialized(), as: UTF8.self) }

    private static let header: [String: JSON] = ["alg": .string("RS256"), "typ": .string("JWT")]
    /// The payload of the token that the baseline asks for.
    private static let payload: [String: JSON] = [
        "iss": .string(issuer), "sub": .string(issuer), "uid": .string("u"), "iat": .integer(1_700_000_000),
        "exp": .integer(1_700_000_060),
        "aud": .string("https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"),
    ]

    private static func token(
        _ payload: [String: JSON] = payload, header: [String: JSON] = header, by key: RSAPrivateKey? = nil
    ) throws -> String {
        let key = try key ?? TestKeys.shared.account
        let input = JWSSigningInput(header: .object(header), payload: .object(payload))
        return input.compact(signature: try key.signature(for: Array(input.text.utf8)))
    }

    private static func answer(_ token: String) -> Result<String, FrameCallError> {
        .success(text(.object(["token": .string(token)])))
    }

    private static func signer(_ peer: Peer) -> CustomTokenSigner {
        .process(projectID: "my-project", calls: peer.calls)
    }

    @Test("The question has the claims of the token, and the answer is the token; the key is asked for once, before")
    func token() async throws {
        let token = try Self.token()
        let peer = Peer(Self.answer(token))
        let signer = Self.signer(peer)
        #expect(try await signer.signedToken() == token)
        #expect(try await signer.signedToken() == token)
        let question = SigningRequest.Kind.customToken(uid: "u", claims: [:], tenantID: nil, lifetime: 60)
        #expect(peer.questions.withLock { $0 } == [.check, question, question])
    }

    @Test("A check asks for no token, and an assertion is asked for without a parameter")
    func others() async throws {
        let checking = Peer(.success(""))
        try await Self.signer(checking).check(at: TestClock.start)
        #expect(checking.questions.withLock { $0 } == [.check])
        let assertion = try Self.token([
            "iss": .string(Self.issuer), "aud": .string("a"), "scope": .string("s"), "iat": .integer(1),
            "exp": .integer(2),
        ])
        let asserting = Peer(Self.answer(assertion))
        #expect(try await Self.signer(asserting).accessTokenAssertion() == assertion)
        #expect(asserting.questions.withLock { $0 } == [.check, .accessTokenAssertion])
        #expect(try await CustomTokenSigner.unsignedForEmulator().accessTokenAssertion() == nil)
    }

    @Test(
        "A signed token that does not say what was asked is not handed out",
        arguments: [
            ("uid", .string("v")), ("uid", nil), ("iss", .string("other")), ("sub", .string("other")),
            ("aud", .string("https://hook.example")), ("claims", .object(["admin": .bool(true)])),
            ("tenant_id", .string("t")), ("exp", .integer(1_700_000_061)), ("exp", .integer(1_700_000_000)),
            ("exp", .integer(.min)), ("exp", nil), ("iat", .string("1")), ("more", .integer(1)),
        ] as [(String, JSON?)])
    func otherClaims(name: String, value: JSON?) async throws {
        var payload = Self.payload
        payload[name] = value
        let peer = Peer(Self.answer(try Self.token(payload)))
        await #expect(throws: MintingError.process(.malformedAnswer)) { try await Self.signer(peer).signedToken() }
    }

    @Test(
        "The header of a token must be that of its kind",
        arguments: [("alg", "ES256"), ("alg", "none"), ("typ", "other")])
    func otherHeader(name: String, value: String) async throws {
        var header = Self.header
        header[name] = .string(value)
        let peer = Peer(Self.answer(try Self.token(header: header)))
        await #expect(throws: MintingError.process(.malformedAnswer)) { try await Self.signer(peer).signedToken() }
    }

    @Test("An answer for a custom token is not accepted as an assertion")
    func otherKind() async throws {
        let peer = Peer(Self.answer(try Self.token()))
        await #expect(throws: MintingError.process(.malformedAnswer)) {
            try await Self.signer(peer).accessTokenAssertion()
        }
    }

    @Test("A token that another key signed is not handed out, nor is one whose signature was changed")
    func otherSignature() async throws {
        let foreign = try Self.token(by: TestKeys.shared.foreignRSA)
        let parts = try Self.token().split(separator: ".")
        let changed = "\(parts[0]).\(parts[1]).\(String(repeating: "A", count: parts[2].count))"
        for token in [foreign, changed] {
            let peer = Peer(Self.answer(token))
            await #expect(throws: MintingError.process(.otherKey)) { try await Self.signer(peer).signedToken() }
        }
    }

    @Test("A process with another key, or for another service account, that replaces the first one is refused")
    func replaced() async throws {
        let key = try TestKeys.shared.foreignRSA
        let other = SigningResponse.checked(
            SignerIdentity(issuer: "other", key: try TestKeys.shared.account.publicKey))
        for later in [Self.identity(of: key), Self.text(other.json)] {
            let answers = Mutex([Self.ownIdentity])
            let peer = Peer { _ throws(FrameCallError) in answers.withLock { $0.popLast() ?? later } }
            let signer = Self.signer(peer)
            try await signer.check(at: TestClock.start)
            await #expect(throws: MintingError.process(.otherKey)) { try await signer.check(at: TestClock.start) }
        }
    }

    @Test(
        "A failure has its own error",
        arguments: [
            (.failure(.unreachable(errno: 2)), .process(.unreachable(.unreachable(errno: 2)))),
            (.failure(.timedOut), .process(.unreachable(.timedOut))),
            (.failure(.overloaded), .overloaded),
            (.success(#"{"error": "rate_exceeded"}"#), .overloaded),
            (.success(#"{"error": "claim_not_allowed"}"#), .process(.refused(.claimNotAllowed))),
            (.success(#"{"error": "of_a_later_version"}"#), .process(.malformedAnswer)),
            (.success("{}"), .process(.malformedAnswer)), (.success(#"{"token": "junk"}"#), .process(.malformedAnswer)),
            (.success(#"{"token": "a.b.c"}"#), .process(.malformedAnswer)),
            (.success(#"{"token": "a.b.c", "error": "rate_exceeded"}"#), .process(.malformedAnswer)),
            (.success(#"{"token": 1}"#), .process(.malformedAnswer)),
            (.success("eyJ"), .process(.malformedAnswer)),
        ] as [(Result<String, FrameCallError>, MintingError)])
    func failures(result: Result<String, FrameCallError>, error: MintingError) async {
        await #expect(throws: error) { try await Self.signer(Peer(result)).signedToken() }
        // An overload passes.
        #expect((error.advice?.contains("token-exchange doctor asks the signer too") == true) == (error != .overloaded))
    }

    @Test(
        "A check that is answered without the key of the signer fails",
        arguments: [
            #"{"token": "a.b.c"}"#, "{}", #"{"issuer": "a", "n": "AQAB", "e": "AQAB"}"#,
            #"{"issuer": "", "n": "AQAB", "e": "AQAB"}"#,
        ])
    func wrongAnswer(text: String) async {
        let peer = Peer { _ throws(FrameCallError) in text }
        await #expect(throws: MintingError.process(.malformedAnswer)) {
            try await Self.signer(peer).check(at: TestClock.start)
        }
    }

    @Test("The signer is overloaded while no further question may be sent", arguments: [true, false])
    func overload(isFull: Bool) {
        let calls = FrameCalls(isFull: { isFull }) { _ async throws(FrameCallError) in throw .overloaded }
        #expect(CustomTokenSigner.process(projectID: "p", calls: calls).isOverloaded == isFull)
    }
}
