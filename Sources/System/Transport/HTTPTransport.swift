/// The network, as a value: production hands in libcurl, a test whatever it likes.
package struct HTTPTransport: Sendable {
    package typealias Send = @Sendable (OutboundRequest) async throws(TransportError) -> OutboundResponse

    /// Answers for every status, 4xx and 5xx included; throws only where there is no answer.
    package let send: Send

    package init(send: @escaping Send) {
        self.send = send
    }
}

/// A peer's whole answer.
///
/// Its description names the status alone: header fields and body may hold tokens.
package struct OutboundResponse: Sendable, Equatable {
    package let status: Int
    package let header: [HeaderField]
    package let body: [UInt8]

    package init(status: Int, header: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.header = header
        self.body = body
    }

    /// The value of the first field of that name, in whatever case it is written (RFC 9110 §5.1).
    package subscript(field name: String) -> String? {
        let wanted = name.lowercased()
        return header.first { $0.name.lowercased() == wanted }?.value
    }
}

extension OutboundResponse: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { "status \(status)" }
    package var debugDescription: String { description }
}

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
