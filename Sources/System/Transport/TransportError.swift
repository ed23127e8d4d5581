/// Why there is no answer.
///
/// Hosts are named, never URLs: a query may hold a secret.
package enum TransportError: Error, Equatable, Sendable {
    /// The name did not resolve, or the connection was not accepted.
    case unreachable(host: String)
    /// TLS could not be agreed on, or the certificate is not one we trust.
    case untrusted(host: String)
    /// `requestSent` is true as soon as one byte of the request may have left.
    case timedOut(host: String, requestSent: Bool)
    /// The connection ended between the first byte of the request and the last of the answer.
    case interrupted(host: String)
    /// The answer's header fields or body passed the limit.
    case tooLarge(host: String)
    /// What came back is not HTTP.
    case notHTTP(host: String)
    /// The URL is not absolute `https`, nor `http` to a loopback address or to Google's metadata server; or it, or a
    /// header field, is no plain line.
    case refusedURL
    /// Too many calls wait for this origin, or the time that was left when it was this one's turn was not enough.
    case overloaded(host: String)
    /// The calling task was cancelled.
    case cancelled(requestSent: Bool)

    /// Whether the peer may have seen any of the request.
    ///
    /// Where it has not, a credential in it is as good as before.
    package var requestMayHaveArrived: Bool {
        switch self {
        case .unreachable, .untrusted, .refusedURL, .overloaded: false
        case .timedOut(_, let requestSent), .cancelled(let requestSent): requestSent
        case .interrupted, .tooLarge, .notHTTP: true
        }
    }
}
