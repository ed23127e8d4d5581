package import JOSE
internal import Synchronization
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

    private let throttle: RetryThrottle

    /// Makes the policy with the default times.
    package init(_ throttle: RetryThrottle) {
        self.throttle = throttle
    }

    /// Sends a request, and repeats it after a response of 408, 429 or 5xx or a temporary transport error.
    ///
    /// Calls are not repeated while most of them fail, so that a service in trouble does not receive several times the
    /// usual number of requests.
    ///
    /// - Returns: The first other response, or the response of the last attempt.
    /// - Throws: The error of the last attempt.
    package func send(
        _ request: OutboundRequest, over transport: HTTPTransport, time: TimeSource
    ) async throws(TransportError) -> OutboundResponse {
        let end = time.now() + deadline
        var pauses = pauses[...]
        while true {
            let result = await transport.result(of: request)
            let mayRepeat = throttle.record(isFailure: Self.isTemporary(result))
            guard Self.isTemporary(result), mayRepeat, let next = pauses.popFirst(), time.now() + next < end,
                await pause(next)
            else { return try result.get() }
        }
    }

    private static func isTemporary(_ result: Result<OutboundResponse, TransportError>) -> Bool {
        switch result {
        case .success(let response): isTemporary(status: response.status)
        case .failure(.unreachable), .failure(.timedOut), .failure(.interrupted), .failure(.overloaded): true
        case .failure(.proxyFailed(_, _, let status, _)): status.map(isTemporary(status:)) ?? true
        case .failure: false
        }
    }

    static func isTemporary(status: Int) -> Bool {
        status == 408 || status == 429 || (500...599).contains(status)
    }
}

/// The budget of repeated calls, as gRPC throttles retries.
///
/// All calls to Google share one, also those with different policies: a call that fails shows that calls of another kind
/// would also add to the load of a service in trouble.
///
/// - SeeAlso: <https://github.com/grpc/proposal/blob/master/A6-client-retries.md>
package final class RetryThrottle: Sendable {
    private static let maximum = 10.0
    private let tokens = Mutex(maximum)

    /// Makes a full budget.
    package init() {}

    /// Counts an attempt: a failure takes a token, and ten other responses give one back.
    ///
    /// - Returns: Whether a failed call may be repeated: more than half of the tokens are left.
    func record(isFailure: Bool) -> Bool {
        tokens.withLock { tokens in
            tokens = isFailure ? max(0, tokens - 1) : min(Self.maximum, tokens + 0.1)
            return tokens > Self.maximum / 2
        }
    }
}
