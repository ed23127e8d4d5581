import Firebase
import JOSE
import OAuth
import Support
import Testing
import Transport

/// Tokens live for an hour, less a second.
@Suite("Cache of access tokens")
struct AccessTokenCacheTests {
    private let google: ScriptedGoogle
    private let source: AccessTokenSource

    init() throws {
        google = try ScriptedGoogle()
        source = .metadata(
            origin: ScriptedGoogle.metadata, transport: google.peer.transport, time: google.clock.source,
            retries: google.retries())
    }

    private func script(_ answers: ScriptedAnswer...) {
        // The peer takes a list that is written out.
        switch answers.count {
        case 1: google.peer.script(.get, ScriptedGoogle.metadataToken, answers[0])
        case 2: google.peer.script(.get, ScriptedGoogle.metadataToken, answers[0], answers[1])
        default: google.peer.script(.get, ScriptedGoogle.metadataToken, answers[0], answers[1], answers[2])
        }
    }

    private func token(refused: String? = nil) async throws -> String {
        try await source.token(refused.map { Secret($0) }).secretText
    }

    private var fetches: Int { google.peer.requests.count }

    /// Waits for the question that is under way, as a caller does who cannot use the token at hand.
    private func settle() async {
        _ = try? await source.token(Secret("a"))
    }

    @Test("A token serves until 225 seconds before its expiry without a further question")
    func cached() async throws {
        script(ScriptedGoogle.tokenAnswer("a"), ScriptedGoogle.tokenAnswer("b"))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(3599 - 226))
        #expect(try await token() == "a")
        // Whatever went on beside the caller.
        for _ in 0..<1000 { await Task.yield() }
        #expect(fetches == 1)
    }

    @Test("In its last 225 seconds it serves on while one question for a new one is under way")
    func ahead() async throws {
        script(ScriptedGoogle.tokenAnswer("a"), ScriptedGoogle.tokenAnswer("b"))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(3599 - 225))
        #expect(try await token() == "a")
        await settle()
        #expect(try await token() == "b")
        #expect(fetches == 2)
    }

    @Test("Where a new one cannot be had it serves to its end, asked for with pauses, and not beyond")
    func serves() async throws {
        script(ScriptedGoogle.tokenAnswer("a"), .status(403))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(3599 - 225))
        for _ in 0..<3 {
            #expect(try await token() == "a")
            await settle()
        }
        #expect(fetches == 2)
        google.clock.advance(by: .seconds(214))
        #expect(try await token() == "a")
        await settle()
        google.clock.advance(by: .seconds(5))
        for _ in 0..<3 {
            await #expect(throws: AccessTokenError.refused(status: 403)) { try await source.token(nil) }
        }
        #expect(fetches == 4)
    }

    @Test("Those who have to wait share one question")
    func oneFlight() async throws {
        script(ScriptedGoogle.tokenAnswer("a"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let text = try await token()
                    #expect(text == "a")
                }
            }
            try await group.waitForAll()
        }
        #expect(fetches == 1)
    }

    @Test("After a failure nobody asks for five seconds, and its reason is told")
    func cooldown() async throws {
        script(.status(403), ScriptedGoogle.tokenAnswer("a"))
        for _ in 0..<3 {
            await #expect(throws: AccessTokenError.refused(status: 403)) { try await source.token(nil) }
        }
        #expect(fetches == 1)
        google.clock.advance(by: .seconds(5))
        #expect(try await token() == "a")
    }

    @Test("A token that Google refused is not handed out again to who says so")
    func refused() async throws {
        script(ScriptedGoogle.tokenAnswer("a"), ScriptedGoogle.tokenAnswer("b"))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(5))
        #expect(try await token(refused: "a") == "b")
        // Another one that was refused is none of this one's business.
        #expect(try await token(refused: "a") == "b")
        #expect(fetches == 2)
    }

    @Test("Where there is none but the refused one nobody gets it back, and one question is asked in five seconds")
    func noOther() async throws {
        script(ScriptedGoogle.tokenAnswer("a"))
        #expect(try await token() == "a")
        for _ in 0..<3 {
            await #expect(throws: AccessTokenError.noOther) { try await source.token(Secret("a")) }
        }
        #expect(fetches == 1)
        google.clock.advance(by: .seconds(5))
        for _ in 0..<3 {
            await #expect(throws: AccessTokenError.noOther) { try await source.token(Secret("a")) }
        }
        #expect(fetches == 2)
        #expect(try await token() == "a")
    }

    @Test("A token of a few seconds serves for these, and then another one is fetched at once")
    func shortLived() async throws {
        script(ScriptedGoogle.tokenAnswer("a", expiresIn: 3), ScriptedGoogle.tokenAnswer("b", expiresIn: 3))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(2))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(1))
        #expect(try await token() == "b")
    }

    @Test("A failure is forgotten once a token has come")
    func recovery() async throws {
        script(.status(403), ScriptedGoogle.tokenAnswer("a", expiresIn: 3), ScriptedGoogle.tokenAnswer("b"))
        await #expect(throws: AccessTokenError.refused(status: 403)) { try await source.token(nil) }
        google.clock.advance(by: .seconds(5))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(3))
        #expect(try await token() == "b")
    }

    @Test("The life of a token is counted from the question, not from a late answer")
    func lateAnswer() async throws {
        let clock = google.clock
        let late = ScriptedAnswer { _ throws(TransportError) in
            clock.advance(by: .seconds(3))
            let body = #"{"access_token":"a","expires_in":20,"token_type":"Bearer"}"#
            return OutboundResponse(status: 200, body: Array(body.utf8))
        }
        script(late, ScriptedGoogle.tokenAnswer("b"))
        #expect(try await token() == "a")
        // It was good for 20 seconds less a tenth, and 3 of them are gone.
        google.clock.advance(by: .seconds(15))
        #expect(try await token() == "b")
    }
}
