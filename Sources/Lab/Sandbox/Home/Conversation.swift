import Jansson
import Transport

/// Sends on behalf of one run, and writes down what it sent and what came back.
struct Conversation: Sendable {
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
