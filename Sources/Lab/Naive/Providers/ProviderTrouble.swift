internal import Transport

/// What went wrong at the provider, or on the way.
struct ProviderTrouble: Error, Sendable {
    let status: Int
    let reason: String
    /// Nothing arrived, or the provider said "not now": what was sent is as good as before.
    let leavesUnspent: Bool
    /// The provider asked for a pause.
    var isPause = false
    /// The operator has to act: sending again does not help.
    var isFinal = false

    static let unusable = ProviderTrouble(502, "provider_response_invalid", leavesUnspent: false)
    static let refused = ProviderTrouble(502, "provider_error", leavesUnspent: false)

    /// The tier or the credentials of the operator do not allow the call.
    static let refusesUs = {
        var trouble = ProviderTrouble(502, "provider_refuses_us", leavesUnspent: false)
        trouble.isFinal = true
        return trouble
    }()

    private init(_ status: Int, _ reason: String, leavesUnspent: Bool) {
        self.status = status
        self.reason = reason
        self.leavesUnspent = leavesUnspent
    }

    init(_ error: TransportError) {
        let leavesUnspent = !error.requestMayHaveArrived
        switch error {
        case .timedOut: self.init(504, "provider_timeout", leavesUnspent: leavesUnspent)
        case .tooLarge, .notHTTP: self = .unusable
        default: self.init(502, "provider_unreachable", leavesUnspent: leavesUnspent)
        }
    }

    /// A status that is no answer to the question.
    init(status: Int) {
        self.init(502, "provider_error", leavesUnspent: status == 429 || status == 503)
        isPause = leavesUnspent
    }

    /// - `isGivenBack`: the same request may be sent again.
    func refusal(isGivenBack: Bool) -> Refusal {
        var refusal = Refusal.failure(
            status, "temporarily_unavailable", reason, "The provider did not answer as it should.",
            retry: isGivenBack ? "same" : "restart")
        refusal.retryAfter = isPause ? 5 : nil
        if isFinal { refusal.retry = nil }
        return refusal
    }
}
