package import JOSE
package import Transport

/// A policy for repeating failed calls to Google that change nothing there.
package struct RetryPolicy: Sendable {
    /// The pauses between the attempts; there is one attempt more than pauses.
    package var pauses: [Duration] = [.milliseconds(200), .milliseconds(600), .seconds(2)]
    /// The time after the start of the first attempt in which further attempts may start.
    package var deadline: Duration = .seconds(10)
    /// Waits for a time, and returns `false` if no further attempt shall be made.
    package var pause: @Sendable (Duration) async -> Bool = { duration in
        // The random part prevents all servers from retrying at the same moment.
        (try? await Task.sleep(for: duration * Double.random(in: 0.5...1))) != nil
    }

    package init() {}

    /// Sends a request, and repeats it after a response of 408, 429 or 5xx or a temporary transport error.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - transport: Sends the request.
    ///   - time: The clock.
    /// - Returns: The first other response, or the response of the last attempt.
    /// - Throws: The error of the last attempt.
    package func send(
        _ request: OutboundRequest, over transport: HTTPTransport, time: TimeSource
    ) async throws(TransportError) -> OutboundResponse {
        let end = time.now() + deadline
        var pauses = pauses[...]
        while true {
            let result = await Self.attempt(request, over: transport)
            guard Self.isTemporary(result), let next = pauses.popFirst(), time.now() + next < end, await pause(next)
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

    private static func isTemporary(_ result: Result<OutboundResponse, TransportError>) -> Bool {
        switch result {
        case .success(let response): isTemporary(status: response.status)
        case .failure(.unreachable), .failure(.timedOut), .failure(.interrupted), .failure(.overloaded): true
        case .failure: false
        }
    }

    static func isTemporary(status: Int) -> Bool {
        status == 408 || status == 429 || (500...599).contains(status)
    }
}
