import Jansson
import Transport

/// Sends on behalf of one run, and writes down what it sent and what came back.
struct RunClient: Sendable {
    let run: String
    let scenario: Scenario
    /// The home page's own origin, which is the application's.
    let origin: String
    let server: HomeServer
    let store: RunStore

    /// Nil where the run is gone or its record is full: then nothing is sent.
    func send(_ kind: StepKind, _ request: RecordedRequest, note: String? = nil) async -> Outcome? {
        guard let number = await store.append(kind, request, note: note, to: run) else { return nil }
        let outcome = await Self.outcome(of: request.outbound, by: server.transport)
        await store.complete(number, of: run, outcome)
        return outcome
    }

    /// Ends the run at a step that was refused.
    func success(_ kind: StepKind, _ request: RecordedRequest, note: String? = nil) async -> JSON? {
        guard let answer = await send(kind, request, note: note)?.success else {
            await store.finish(run, with: nil)
            return nil
        }
        return answer
    }

    /// The last step: with the answer, the run has its custom token.
    func finish(_ kind: StepKind, _ request: RecordedRequest, note: String? = nil) async {
        let answer = await send(kind, request, note: note)?.success
        await store.finish(run, with: answer)
    }

    static func outcome(of request: OutboundRequest, by transport: HTTPTransport) async -> Outcome {
        do throws(TransportError) {
            return .answer(try await transport.send(request))
        } catch {
            return .noAnswer(error)
        }
    }
}

/// How the home page introduces itself to the server.
enum HomeClient {
    static let id = "sandbox"
    /// Has no browser.
    static let television = "living-room-tv"
    static let callbackPath = "/callback"
    static let signInCallbackPath = "/signin-callback"
}

/// Where the server's endpoints are (RFC 8414 §3), as it says itself.
struct ServerMetadata {
    private let document: JSON
    private let issuer: String

    init(_ document: JSON, of server: HomeServer) {
        self.document = document
        issuer = server.publicURL
    }

    static func request(to server: HomeServer) -> RecordedRequest {
        .get(server.publicURL + "/.well-known/oauth-authorization-server")
    }

    /// §3.3: a document of another issuer is not used.
    var isFromServer: Bool { document["issuer"]?.string == issuer }

    var authorization: String { endpoint("authorization_endpoint", or: "/authorize") }
    var token: String { endpoint("token_endpoint", or: "/token") }
    var deviceAuthorization: String { endpoint("device_authorization_endpoint", or: "/device_authorization") }

    private func endpoint(_ name: String, or path: String) -> String {
        guard let url = document[name]?.string, url.hasPrefix(issuer + "/") else { return issuer + path }
        return url
    }
}

/// Sends a step's request once more, as somebody would who saw it: every byte of it, and no cookie.
struct Replayer: Sendable {
    /// Marks the request for the stand-ins' witness, which does not write it down.
    static let mark = "sandbox-replay"

    let store: RunStore
    let server: HomeServer

    /// False where there is no such step.
    func replay(_ number: Int, of id: String) async -> Bool {
        guard let run = await store.run(id), let step = run.steps.first(where: { $0.number == number }) else {
            return false
        }
        var request = step.request.outbound
        if step.kind.receiver == .provider { request.header.append(HeaderField(Self.mark, "1")) }
        let outcome = await RunClient.outcome(of: request, by: server.transport)
        await store.add(replay: outcome, to: number, of: id)
        return true
    }
}
