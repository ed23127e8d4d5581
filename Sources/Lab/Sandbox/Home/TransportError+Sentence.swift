import Transport

extension TransportError {
    /// For people.
    var sentence: String {
        switch self {
        case .unreachable(let host): "Nobody answers at \(host)."
        case .untrusted(let host): "The certificate of \(host) is not trusted."
        case .timedOut(let host, _): "\(host) did not answer in time."
        case .interrupted(let host): "\(host) ended the connection before its answer was complete."
        case .tooLarge(let host): "The answer of \(host) is too long."
        case .notHTTP(let host): "What \(host) answered is not HTTP."
        case .refusedURL: "The request cannot be sent: it is not plain HTTP to this machine."
        case .overloaded(let host): "Too many requests wait for \(host)."
        case .cancelled: "The sandbox was stopped while it waited."
        }
    }
}
