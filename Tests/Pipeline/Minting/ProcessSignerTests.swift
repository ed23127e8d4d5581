import JOSE
import Jansson
import Minting
import Support
import Synchronization
import Testing
import Transport

@Suite("Signer in another process")
struct ProcessSignerTests {
    /// Answers every question with one text, and keeps the questions.
    private final class Peer: Sendable {
        let questions = Mutex<[SignerQuestion]>([])
        let result: Result<String, FrameCallError>

        init(_ result: Result<String, FrameCallError>) {
            self.result = result
        }

        var calls: FrameCalls {
            FrameCalls { question async throws(FrameCallError) in
                if let question = try? SignerQuestion.parse(question) {
                    self.questions.withLock { $0.append(question) }
                }
                return Array(try self.result.get().utf8)
            }
        }
    }

    private static func signer(_ peer: Peer) -> CustomTokenSigner {
        .process(projectID: "my-project", calls: peer.calls)
    }

    @Test("The question has the claims of the token, and the answer is the token")
    func token() async throws {
        let peer = Peer(.success(#"{"token": "a.b.c"}"#))
        #expect(try await Self.signer(peer).signedToken() == "a.b.c")
        #expect(
            peer.questions.withLock { $0 } == [
                SignerQuestion(
                    projectID: "my-project",
                    kind: .customToken(uid: "u", claims: [:], tenantID: nil, lifetime: 60))
            ])
    }

    @Test("A check asks for no token, and an assertion is asked for without a parameter")
    func others() async throws {
        let checking = Peer(.success("{}"))
        try await Self.signer(checking).check(at: TestClock.start)
        #expect(checking.questions.withLock { $0.map(\.kind) } == [.check])
        let asserting = Peer(.success(#"{"token": "a.b.c"}"#))
        #expect(try await Self.signer(asserting).accessTokenAssertion() == "a.b.c")
        #expect(asserting.questions.withLock { $0.map(\.kind) } == [.accessTokenAssertion])
        #expect(try await CustomTokenSigner.unsignedForEmulator().accessTokenAssertion() == nil)
    }

    @Test(
        "A failure has its own error",
        arguments: [
            (.failure(.unreachable(errno: 2)), .process(.unreachable(.unreachable(errno: 2)))),
            (.failure(.timedOut), .process(.unreachable(.timedOut))),
            (.failure(.overloaded), .overloaded),
            (.success(#"{"error": "rate_exceeded"}"#), .overloaded),
            (.success(#"{"error": "overloaded"}"#), .overloaded),
            (.success(#"{"error": "claim_not_allowed"}"#), .process(.refused(.claimNotAllowed))),
            (.success(#"{"error": "of_a_later_version"}"#), .process(.malformedAnswer)),
            (.success("{}"), .process(.malformedAnswer)),
            (.success(#"{"token": "a.b.c", "error": "rate_exceeded"}"#), .process(.malformedAnswer)),
            (.success(#"{"token": 1}"#), .process(.malformedAnswer)),
            (.success("eyJ"), .process(.malformedAnswer)),
        ] as [(Result<String, FrameCallError>, MintingError)])
    func failures(result: Result<String, FrameCallError>, error: MintingError) async {
        await #expect(throws: error) { try await Self.signer(Peer(result)).signedToken() }
    }

    @Test("A check that is answered with a token fails")
    func wrongAnswer() async {
        await #expect(throws: MintingError.process(.malformedAnswer)) {
            try await Self.signer(Peer(.success(#"{"token": "a.b.c"}"#))).check(at: TestClock.start)
        }
    }

    @Test("The signer is overloaded while no further question may be sent", arguments: [true, false])
    func overload(isFull: Bool) {
        let calls = FrameCalls(isFull: { isFull }) { _ async throws(FrameCallError) in throw .overloaded }
        #expect(CustomTokenSigner.process(projectID: "p", calls: calls).isOverloaded == isFull)
    }
}
