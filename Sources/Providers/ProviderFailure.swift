package import Documents
package import Transport

/// What went wrong on the provider's side of a call.
///
/// The credential that the call was about is not what is wrong.
package enum ProviderFailure: Error, Equatable, Sendable {
    case noAnswer(TransportError)
    /// Status 429, with the seconds of `Retry-After`, at most sixty; nil if it gave none that can be read.
    case throttled(retryAfter: Int64?)
    /// Status 503.
    case unavailable(retryAfter: Int64?)
    /// Any other status that is no answer to the question: a redirect, a 5xx, a refusal.
    case failed(status: Int)
    /// The provider refuses our own registration. An operator must look.
    case refusedClient(ClientRefusal)
    /// The provider has suspended or locked the person's account, or has it no more.
    case accountDisabled
    /// The named part of the answer is missing or of the wrong form.
    case malformedResponse(String)
    /// The provider's metadata or key set is not to be had.
    case document(DocumentError)

    /// Whether what the request carried is as good as before: nothing arrived, or the provider said "not now".
    package var leavesCredentialUnspent: Bool {
        switch self {
        case .noAnswer(let error): !error.requestMayHaveArrived
        case .throttled, .unavailable, .document: true
        case .failed, .refusedClient, .accountDisabled, .malformedResponse: false
        }
    }

    /// Whether the same question may have another answer a while later.
    ///
    /// A status that is no refusal counts as passing: what is decided by a refusal is decided for good.
    package var isPassing: Bool {
        switch self {
        case .noAnswer, .throttled, .unavailable, .document: true
        case .failed(let status): !(400..<500).contains(status) || [408, 425].contains(status)
        case .refusedClient, .accountDisabled, .malformedResponse: false
        }
    }

    /// The failure that a status stands for, if success was 200 and 4xx has no meaning of its own.
    ///
    /// 402 is about our credit at every provider that sends it.
    ///
    /// - `codes`: what the body may say beside the status.
    package init(_ response: OutboundResponse, codes: ErrorCodes = .none) {
        self =
            switch response.status {
            case 429: .throttled(retryAfter: Self.retryAfter(response))
            case 503: .unavailable(retryAfter: Self.retryAfter(response))
            case 400..<500:
                codes.failure(of: response)
                    ?? (response.status == 402 ? .refusedClient(.credit) : .failed(status: response.status))
            default: .failed(status: response.status)
            }
    }

    /// The delay form of RFC 9110 §10.2.3; a date is not worth a parser.
    private static func retryAfter(_ response: OutboundResponse) -> Int64? {
        guard let seconds = response[field: "Retry-After"].flatMap(Int64.init), seconds >= 0 else { return nil }
        return min(seconds, 60)
    }
}
