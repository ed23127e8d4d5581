/// The function that sends HTTP requests: libcurl in production, a substitute in tests.
package struct HTTPTransport: Sendable {
    package typealias Send = @Sendable (OutboundRequest) async throws(TransportError) -> OutboundResponse

    /// Sends a request.
    ///
    /// Returns a response with any status, including 4xx and 5xx, and throws only if there is no response.
    package let send: Send

    package init(send: @escaping Send) {
        self.send = send
    }
}

/// The complete response of a peer.
///
/// Its description contains only the status, since header fields and body may contain tokens.
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

/// The reason why there is no response.
///
/// Errors name hosts, never URLs, since a query may contain a secret.
package enum TransportError: Error, Equatable, Sendable {
    /// The name did not resolve, or the connection was not accepted.
    case unreachable(host: String)
    /// TLS negotiation failed, or the certificate is not trusted.
    case untrusted(host: String)
    /// `requestSent` is true as soon as one byte of the request may have left.
    case timedOut(host: String, requestSent: Bool)
    /// The connection ended between the first byte of the request and the last of the answer.
    case interrupted(host: String)
    /// The answer's header fields or body passed the limit.
    case tooLarge(host: String)
    /// The response is not HTTP.
    case notHTTP(host: String)
    /// The URL is not absolute `https`, nor `http` to a loopback address or to Google's metadata server; or it, or a
    /// header field, is no plain line.
    case refusedURL
    /// Too many calls wait for this origin, or too little time was left when the call could start.
    case overloaded(host: String)
    /// The calling task was cancelled.
    case cancelled(requestSent: Bool)

    /// Whether the peer may have seen any of the request.
    ///
    /// If not, a credential in it is still unused.
    package var requestMayHaveArrived: Bool {
        switch self {
        case .unreachable, .untrusted, .refusedURL, .overloaded: false
        case .timedOut(_, let requestSent), .cancelled(let requestSent): requestSent
        case .interrupted, .tooLarge, .notHTTP: true
        }
    }
}
