package import JOSE
package import Transport

/// How often a call to Google that changes nothing is made again.
package struct RetryPolicy: Sendable {
    /// Before the second attempt, before the third, and so on: one attempt more than there are pauses.
    package var pauses: [Duration] = [.milliseconds(200), .milliseconds(600), .seconds(2)]
    /// No attempt begins later than this after the first one did.
    package var deadline: Duration = .seconds(10)
    /// Waits, and answers whether it is worth going on.
    package var pause: @Sendable (Duration) async -> Bool = { duration in
        // Not all servers at the same moment.
        (try? await Task.sleep(for: duration * Double.random(in: 0.5...1))) != nil
    }

    package init() {}

    /// The first answer that is neither 408, 429 nor 5xx, or else what came of the last attempt.
    package func send(
        _ request: OutboundRequest, over transport: HTTPTransport, time: TimeSource
    ) async throws(TransportError) -> OutboundResponse {
        let end = time.now() + deadline
        var pauses = pauses[...]
        while true {
            let result = await Self.attempt(request, over: transport)
            guard Self.isPassing(result), let next = pauses.popFirst(), time.now() + next < end, await pause(next)
            else { return try result.get() }
        }
    }

    private static func attempt(
        _ request: OutboundRequest, over transport: HTTPTransport
    ) async -> Result<OutboundResponse, TransportError> {
        do throws(TransportError) {
            return .success(try await transport.send(request))
        } catch {
            return .failure(error)
        }
    }

    private static func isPassing(_ result: Result<OutboundResponse, TransportError>) -> Bool {
        switch result {
        case .success(let response): isPassing(status: response.status)
        case .failure(.unreachable), .failure(.timedOut), .failure(.interrupted), .failure(.overloaded): true
        case .failure: false
        }
    }

    static func isPassing(status: Int) -> Bool {
        status == 408 || status == 429 || (500...599).contains(status)
    }
}
