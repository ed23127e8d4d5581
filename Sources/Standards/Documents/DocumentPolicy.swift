package import Transport

/// How long a document is cached, and how often it is fetched.
package struct DocumentPolicy: Sendable, Equatable {
    /// The minimum lifetime of a document, even if its `Cache-Control` says less.
    package var minimumLifetime: Duration = .seconds(5 * 60)
    /// The maximum lifetime of a document, even if its `Cache-Control` says more.
    package var maximumLifetime: Duration = .seconds(24 * 60 * 60)
    /// The lifetime of a document without `max-age`.
    package var defaultLifetime: Duration = .seconds(60 * 60)
    /// The time after its lifetime in which a document is still used if no newer one can be fetched.
    package var staleLimit: Duration = .seconds(24 * 60 * 60)
    /// The minimum time between two extra fetches, and between a response that is not a document and the next attempt.
    package var cooldown: Duration = .seconds(30)
    /// The maximum time of one fetch.
    package var timeout: Duration = .seconds(5)
    /// The maximum size of the body.
    package var maximumBodyBytes = 256 * 1024

    package init() {}

    /// Returns the time between a failed attempt and the next one.
    ///
    /// After a response with a wrong status or body it is the cool-down. If the peer cannot be reached, or answers with
    /// a server error (RFC 9110 §15.6), it is 1 s, 2 s, 4 s and so on up to the cool-down, because such failures often
    /// end soon.
    ///
    /// - Parameters:
    ///   - error: The error of the last attempt.
    ///   - failures: The number of failures in a row.
    /// - Returns: The time since the last attempt.
    func pause(after error: DocumentError, failures: Int) -> Duration {
        switch error {
        case .unreachable, .status(500...): min(cooldown, .seconds(1 << min(max(0, failures - 1), 16)))
        case .status, .malformed: cooldown
        }
    }
}

/// Why a document could not be fetched.
package enum DocumentError: Error, Equatable, Sendable {
    /// The peer sent no response.
    case unreachable(TransportError)
    /// The status of the response is not 200. Redirects are not followed.
    case status(Int)
    /// The body is not the expected document.
    case malformed
}
