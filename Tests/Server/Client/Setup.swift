import Foundation
import Jansson
import Standards
import Synchronization
import Testing
import Transport

@testable import TokenExchangeClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TestServer {
    /// Makes a client of this server.
    ///
    /// It sends requests by `URLSession`, and its pauses advance the clock of the server instead of waiting.
    func client(
        _ id: String = "my-app", as person: Person? = nil, browser: Browser? = nil, appCheckToken: String? = nil,
        pauses: Pauses = Pauses(), http: TokenExchangeClient.HTTPClient? = nil
    ) throws -> TokenExchangeClient {
        TokenExchangeClient(
            server: try #require(URL(string: issuer)), clientID: id, browser: browser,
            idToken: person.map { person in { @Sendable in person.idToken } },
            appCheckToken: appCheckToken.map { token in { @Sendable in token } }, http: http ?? self.http,
            timing: pauses.timing(advancing: clock))
    }

    /// Sends requests for the issuer to the port of the public listener, by a `URLSession` of their own.
    ///
    /// The session is never closed. FoundationNetworking sometimes loses a request on a socket that has the number of one
    /// that it has just closed (swift-corelibs-foundation, issue 4791).
    var http: TokenExchangeClient.HTTPClient {
        let session = URLSessionClient()
        Sessions.all.withLock { $0.append(session) }
        return { [issuer, publicPort] request in
            let url = request.url?.absoluteString ?? ""
            try #require(url.hasPrefix(issuer + "/"))
            var request = request
            request.url = URL(string: "http://127.0.0.1:\(publicPort)" + url.dropFirst(issuer.count))
            return try await session.send(request)
        }
    }
}

private enum Sessions {
    static let all = Mutex<[URLSessionClient]>([])
}

/// The pauses of a client, which end at once.
final class Pauses: Sendable {
    private let taken = Mutex<[TimeInterval]>([])

    var all: [TimeInterval] { taken.withLock { $0 } }

    func timing(advancing clock: ServerClock) -> Timing {
        Timing(
            pause: { seconds in
                try Task.checkCancellation()
                self.taken.withLock { $0.append(seconds) }
                clock.advance(by: .seconds(seconds))
            }, jitter: { 0.5 })
    }
}

extension Timing {
    /// Pauses that end only with their task.
    static let endless = Timing(
        pause: { _ in
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in stream {}
            continuation.finish()
            throw CancellationError()
        }, jitter: { 1 })
}

/// A user who follows every page of a flow.
struct Human: Sendable {
    static let redirectURI = "https://app.example.com/cb"

    let server: TestServer
    var user = "alice"
    var decision = "allow"

    /// A browser of the application's own, which this user operates.
    var browser: Browser { Browser(redirectURI: Self.redirectURI) { try await visit($0) } }

    /// Follows the pages of the server and of the provider.
    ///
    /// - Parameter button: The button that is pressed on a page after the provider.
    /// - Returns: The URL of the redirect to the application.
    func visit(_ url: URL, pressing button: [String: String] = [:]) async throws -> URL {
        var browser = TestBrowser(server)
        var response = try await browser.get(url.absoluteString)
        if response.location == nil {
            let choice = try #require(response.buttons("provider").first, "\(response.text)")
            response = try await browser.post("/authorize", ["flow": response.hiddenFlow ?? "", "provider": choice])
        }
        let callback = try await browser.consent(at: response.location ?? "", as: user, decision: decision)
        var finished = try await browser.get(callback)
        if finished.location == nil {
            let fields = ["flow": finished.hiddenFlow ?? ""].merging(button) { $1 }
            finished = try await browser.post("/authorize", fields)
        }
        return try #require(URL(string: finished.location ?? ""), "\(finished.text)")
    }

    /// Enters the code of a device, signs in, and decides.
    func confirm(_ code: DeviceCode, decision: String = "approve") async throws {
        var browser = TestBrowser(server)
        let form = try await browser.get("/device")
        let asked = try await browser.post("/device", ["flow": form.hiddenFlow ?? "", "user_code": code.userCode])
        let left = try await browser.post("/device", ["flow": asked.hiddenFlow ?? "", "provider": "yahoo.com"])
        let verified = try await browser.get(try await browser.consent(at: left.location ?? "", as: user))
        _ = try await browser.post("/device", ["flow": verified.hiddenFlow ?? "", "decision": decision])
    }
}

@discardableResult
func expectError<Value>(
    _ reason: TokenExchangeError.Reason, _ code: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ call: () async throws -> Value
) async throws -> TokenExchangeError {
    let error = try await #require(throws: TokenExchangeError.self, sourceLocation: sourceLocation) {
        _ = try await call()
    }
    #expect(error.reason == reason, "\(error)", sourceLocation: sourceLocation)
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    return error
}

extension TestServer {
    /// The code of Yahoo's stand-in for a user, as an application has it.
    func yahooCredential(_ user: String = "alice", claims: JSON? = nil) async throws -> Credential {
        let issued = try await standIns.yahoo(nonce: "n-0S6_WzA2Mj", user: user)
        if let claims { try await standIns.spoilNextIDToken(claims) }
        return .authorizationCode(issued.code, redirectURI: "com.example.app:/yahoo", nonce: "n-0S6_WzA2Mj")
    }

    /// The code of X's stand-in for a user, as an application has it.
    func xCredential(_ user: String = "bjorn") async throws -> Credential {
        .authorizationCode(
            try await standIns.xCode(user: user), redirectURI: "com.example.app:/x", codeVerifier: StandIns.verifier)
    }
}
