import Firebase
import JOSE
import Standards
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
        // `script` takes a variable number of responses, so that they are written out.
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

    /// Waits for the request that is under way, like a caller who cannot use the current token.
    private func settle() async {
        _ = try? await source.token(Secret("a"))
    }

    @Test("A token is used until 225 seconds before its expiry without a further request")
    func cached() async throws {
        script(ScriptedGoogle.tokenAnswer("a"), ScriptedGoogle.tokenAnswer("b"))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(3599 - 226))
        #expect(try await token() == "a")
        // The requests that ran beside the caller's.
        for _ in 0..<1000 { await Task.yield() }
        #expect(fetches == 1)
    }

    @Test("In its last 225 seconds it is still used while one request for a new one is under way")
    func ahead() async throws {
        script(ScriptedGoogle.tokenAnswer("a"), ScriptedGoogle.tokenAnswer("b"))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(3599 - 225))
        #expect(try await token() == "a")
        await settle()
        #expect(try await token() == "b")
        #expect(fetches == 2)
    }

    @Test("If no new one can be fetched it is used until its expiry, with pauses between the requests")
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

    @Test(
        "A request that is under way for 30 seconds is given up, as one in the middle of which the process was stopped")
    func givenUp() async throws {
        let (held, release) = AsyncStream.makeStream(of: Void.self)
        script(
            ScriptedGoogle.tokenAnswer("a"),
            ScriptedAnswer { _ throws(TransportError) in
                for await _ in held {}
                return OutboundResponse(
                    status: 200, header: [HeaderField("Content-Type", "application/json")],
                    body: Array(#"{"access_token":"b","expires_in":3599,"token_type":"Bearer"}"#.utf8))
            }, ScriptedGoogle.tokenAnswer("c"))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(3599 - 225))
        #expect(try await token() == "a")
        while fetches < 2 { await Task.yield() }
        google.clock.advance(by: .seconds(226))
        #expect(try await token() == "c")
        release.finish()
        for _ in 0..<1000 { await Task.yield() }
        #expect(try await token() == "c")
        #expect(fetches == 3)
    }

    @Test("Waiting callers share one request")
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

    @Test("After a failure no request is sent for five seconds, and callers get its error")
    func cooldown() async throws {
        script(.status(403), ScriptedGoogle.tokenAnswer("a"))
        for _ in 0..<3 {
            await #expect(throws: AccessTokenError.refused(status: 403)) { try await source.token(nil) }
        }
        #expect(fetches == 1)
        google.clock.advance(by: .seconds(5))
        #expect(try await token() == "a")
    }

    @Test("A token that Google refused is not returned again to the caller who reports it")
    func refused() async throws {
        script(ScriptedGoogle.tokenAnswer("a"), ScriptedGoogle.tokenAnswer("b"))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(5))
        #expect(try await token(refused: "a") == "b")
        // The refusal of another token has no effect on this one.
        #expect(try await token(refused: "a") == "b")
        #expect(fetches == 2)
    }

    @Test("If only the refused token is available it is not returned, and one request is sent in five seconds")
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
        // To wait does not help.
        #expect(AccessTokenError.noOther.advice == AccessTokenError.refused(status: 401, words: "x").advice)
    }

    @Test("A token of a few seconds is used until it expires, and then replaced at once")
    func shortLived() async throws {
        script(ScriptedGoogle.tokenAnswer("a", expiresIn: 3), ScriptedGoogle.tokenAnswer("b", expiresIn: 3))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(2))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(1))
        #expect(try await token() == "b")
    }

    @Test(
        "A refusal of the service account, of its key or of the time is told in Google's words, with what to compare",
        arguments: [
            "Invalid JWT Signature", "Invalid grant: account not found",
            "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe",
        ])
    func refusedAccount(_ description: String) async throws {
        script(.json(#"{"error":"invalid_grant","error_description":"\#(description)."}"#, status: 400))
        let error = await #expect(throws: AccessTokenError.self) { try await source.token(nil) }
        #expect(
            error?.sentence
                == "Google refuses to issue one, with the status 400: invalid_grant: \(description)")
        #expect(error?.advice?.contains("exist and are enabled, and synchronize the clock of this machine") == true)
    }

    @Test("A failure has no effect after the next success")
    func recovery() async throws {
        script(.status(403), ScriptedGoogle.tokenAnswer("a", expiresIn: 3), ScriptedGoogle.tokenAnswer("b"))
        await #expect(throws: AccessTokenError.refused(status: 403)) { try await source.token(nil) }
        google.clock.advance(by: .seconds(5))
        #expect(try await token() == "a")
        google.clock.advance(by: .seconds(3))
        #expect(try await token() == "b")
    }

    @Test("The lifetime of a token counts from the request, not from a late response")
    func lateAnswer() async throws {
        let clock = google.clock
        let late = ScriptedAnswer { _ throws(TransportError) in
            clock.advance(by: .seconds(3))
            let body = #"{"access_token":"a","expires_in":20,"token_type":"Bearer"}"#
            return OutboundResponse(status: 200, body: Array(body.utf8))
        }
        script(late, ScriptedGoogle.tokenAnswer("b"))
        #expect(try await token() == "a")
        // It was valid for 20 seconds less a tenth, and 3 of them have passed.
        google.clock.advance(by: .seconds(15))
        #expect(try await token() == "b")
    }
}
