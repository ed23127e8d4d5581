internal import Documents
internal import Transport

extension TransportError {
    /// The failure in words, for an operator.
    var sentence: String {
        switch self {
        case .unreachable(let host): "\(host) accepts no connection, or its name does not resolve"
        case .untrusted(let host): "the certificate of \(host) is not trusted, or TLS failed"
        case .timedOut(let host, _): "\(host) did not answer in time"
        case .interrupted(let host): "the connection to \(host) ended early"
        case .tooLarge(let host): "the answer of \(host) is too large"
        case .notHTTP(let host): "the answer of \(host) is not HTTP"
        case .refusedURL: "the URL is not allowed: it must be absolute, with https"
        case .overloaded(let host): "too many calls wait for \(host)"
        case .circuitOpen(let peer, _): "earlier calls to \(peer) failed"
        case .cancelled: "the call was cancelled"
        }
    }
}

extension DocumentError {
    /// The failure in words, for an operator.
    var sentence: String {
        switch self {
        case .unreachable(let error): error.sentence
        case .status(let status): "the status is \(status)"
        case .malformed: "the answer is not the expected document"
        }
    }
}
