import Foundation
import Jansson
import Synchronization
import Testing

@testable import TokenExchangeClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Sign-in on another device", .serialized, .timeLimit(.minutes(5)))
struct ClientDeviceTests {
    @Test("The sequence shows the code, then that the user is awaited, then the result, and ends")
    func progress() async throws {
        try await TestServer.open { server in
            let pauses = Pauses()
            let client = try server.client("living-room-tv", pauses: pauses)
            var states: [String] = []
            for try await state in client.deviceSignIn() {
                switch state {
                case .code(let code):
                    states.append("code")
                    #expect(code.userCode.wholeMatch(of: /[B-Z]{4}-[B-Z]{4}/) != nil)
                    #expect(code.verificationURL.absoluteString == "https://auth.example.com/device")
                    #expect(
                        code.completeURL.absoluteString
                            == "https://auth.example.com/device?user_code=\(code.userCode)")
                    #expect(code.expiresIn == 600)
                case .waiting(let code):
                    states.append("waiting")
                    try await Human(server: server).confirm(code)
                case .signedIn(let result):
                    states.append("signedIn")
                    #expect(result.uid == TestServer.alice)
                    #expect(try Payload.of(result.tokens.customToken)?["uid"]?.string == TestServer.alice)
                }
            }
            #expect(states == ["code", "waiting", "signedIn"])
            #expect(pauses.all == [5, 5])
        }
    }

    @Test("A refusal of the user and an expired code end the sequence with an error", arguments: [true, false])
    func refusal(isDenied: Bool) async throws {
        try await TestServer.open { server in
            let sequence = try server.client("living-room-tv").deviceSignIn(with: .yahoo)
            var iterator = sequence.makeAsyncIterator()
            guard case .code(let code)? = try await iterator.next() else { throw TestServer.NotReady() }
            if isDenied {
                try await Human(server: server).confirm(code, decision: "deny")
                try await expectError(.accessDenied, "auth/user-cancelled") { try await iterator.next() }
            } else {
                server.clock.advance(by: .seconds(600))
                try await expectError(.expiredToken, "auth/internal-error") { try await iterator.next() }
            }
            let further = try await iterator.next()
            #expect(further == nil)
        }
    }

    @Test("A device that polls too fast slows down, and one without a connection waits longer")
    func intervals() async throws {
        try await TestServer.open { server in
            let pauses = Pauses()
            // The pauses are recorded and do not pass for the server, so that every poll but the first is too fast. The
            // fourth one ends the sequence.
            var timing = pauses.timing(advancing: server.clock)
            timing.pause = { [timing] seconds in
                try await timing.pause(seconds)
                server.clock.advance(by: .seconds(-seconds))
                if pauses.all.count == 4 { throw CancellationError() }
            }
            let lost = Mutex(0)
            let client = TokenExchangeClient(
                server: try #require(URL(string: server.issuer)), clientID: "living-room-tv", browser: nil,
                idToken: nil, appCheckToken: nil,
                http: { [http = server.http] request in
                    if request.url?.path == "/token",
                        lost.withLock({
                            $0 += 1; return $0
                        }) == 2
                    {
                        throw URLError(.networkConnectionLost)
                    }
                    return try await http(request)
                }, timing: timing)
            var waits = 0
            try await expectError(.cancelled, "auth/user-cancelled") {
                for try await case .waiting in client.deviceSignIn() { waits += 1 }
            }
            #expect(pauses.all == [5, 5, 10, 15])
            #expect(waits == 1, "Only the first poll has a state.")
        }
    }

    @Test("A busy server is asked again after the time that it names")
    func busy() async throws {
        try await TestServer.open { server in
            let pauses = Pauses()
            let polls = Mutex(0)
            let http = server.http
            let client = try server.client("living-room-tv", pauses: pauses) { request in
                guard request.url?.path == "/token",
                    polls.withLock({
                        $0 += 1; return $0
                    }) <= 3
                else {
                    return try await http(request)
                }
                let body = #"{"error": "temporarily_unavailable", "reason": "overloaded", "retry": "same"}"#
                let response = HTTPURLResponse(
                    url: try #require(request.url), statusCode: 503, httpVersion: nil,
                    headerFields: ["Retry-After": "9"])
                return (Data(body.utf8), try #require(response))
            }
            var iterator = client.deviceSignIn().makeAsyncIterator()
            guard case .code? = try await iterator.next(), case .waiting(let code)? = try await iterator.next()
            else { throw TestServer.NotReady() }
            #expect(pauses.all == [5, 9, 9])
            try await Human(server: server).confirm(code)
            guard case .signedIn? = try await iterator.next() else { throw TestServer.NotReady() }
            #expect(pauses.all == [5, 9, 9, 9])
            #expect(polls.withLock { $0 } == 4)
        }
    }

    @Test("A device that stays without a connection gives up when its code has expired")
    func offline() async throws {
        try await TestServer.open { server in
            let pauses = Pauses()
            let http = server.http
            let client = try server.client("living-room-tv", pauses: pauses) { request in
                guard request.url?.path != "/token" else { throw URLError(.notConnectedToInternet) }
                return try await http(request)
            }
            try await expectError(.networkFailed, "auth/network-request-failed") {
                for try await _ in client.deviceSignIn() {}
            }
            #expect(pauses.all.prefix(6) == [5, 10, 20, 40, 60, 60])
            #expect((600..<660).contains(pauses.all.reduce(0, +)))
        }
    }

    @Test("A client without the grant is refused at the first element")
    func grant() async throws {
        try await TestServer.open { server in
            var iterator = try server.client("x-only").deviceSignIn().makeAsyncIterator()
            try await expectError("unauthorized_client", "auth/app-not-authorized") { try await iterator.next() }
            let further = try await iterator.next()
            #expect(further == nil)
        }
    }

    @Test("A cancelled task ends the waiting")
    func cancellation() async throws {
        try await TestServer.open { server in
            let (shown, whenShown) = AsyncStream.makeStream(of: Void.self)
            let client = TokenExchangeClient(
                server: try #require(URL(string: server.issuer)), clientID: "living-room-tv", browser: nil,
                idToken: nil, appCheckToken: nil, http: server.http, timing: .endless)
            let waiting = Task {
                for try await _ in client.deviceSignIn() { whenShown.yield() }
            }
            _ = await shown.first { true }
            waiting.cancel()
            try await expectError(.cancelled, "auth/user-cancelled") { try await waiting.value }
        }
    }
}
