package import Documents
package import Transport

/// What went wrong on the provider's side of a call.
///
/// None of it is the applicant's fault.
package enum ProviderFailure: Error, Equatable, Sendable {
    case noAnswer(TransportError)
    /// Status 429, with the seconds of `Retry-After`, at most sixty; nil where it gave none that can be read.
    case throttled(retryAfter: Int64?)
    /// Status 503.
    case unavailable(retryAfter: Int64?)
    /// Any other status that is no answer to the question: a redirect, a 5xx, a price or access tier.
    case failed(status: Int)
    /// The provider does not take our own client credentials. An operator must look.
    case refusedClient
    /// The named part of the answer is missing or of the wrong form.
    case malformedResponse(String)
    /// The provider's metadata or key set is not to be had.
    case document(DocumentError)

    /// Whether what the request carried is as good as before: nothing arrived, or the provider said "not now".
    package var leavesCredentialUnspent: Bool {
        switch self {
        case .noAnswer(let error): !error.requestMayHaveArrived
        case .throttled, .unavailable, .document: true
        case .failed, .refusedClient, .malformedResponse: false
        }
    }

    /// The failure that a status stands for where success was 200 and 4xx has a meaning of its own.
    package init(_ response: OutboundResponse) {
        self =
            switch response.status {
            case 429: .throttled(retryAfter: Self.retryAfter(response))
            case 503: .unavailable(retryAfter: Self.retryAfter(response))
            default: .failed(status: response.status)
            }
    }

    /// The delay form of RFC 9110 §10.2.3; a date is not worth a parser.
    private static func retryAfter(_ response: OutboundResponse) -> Int64? {
        guard let seconds = response[field: "Retry-After"].flatMap(Int64.init), seconds >= 0 else { return nil }
        return min(seconds, 60)
    }
}
