internal import AttackLab
internal import Jansson
internal import Transport

/// Calls to whoever is not us.
struct PeerClient: Sendable {
    let transport: HTTPTransport
    let mistakes: Set<Mistake>

    /// A redirect is an answer like any other, and never followed: it would carry code and secret along.
    func send(_ request: OutboundRequest) async throws(ProviderFailure) -> OutboundResponse {
        do {
            var request = request
            var response = try await transport.send(request)
            var hops = 0
            while mistakes.contains(.redirectsFollowed), [301, 302, 303, 307, 308].contains(response.status), hops < 5,
                let location = response[field: "Location"]
            {
                request.url = location
                response = try await transport.send(request)
                hops += 1
            }
            return response
        } catch {
            throw ProviderFailure(error)
        }
    }
}

/// What went wrong at the provider, or on the way.
struct ProviderFailure: Error, Sendable {
    let status: Int
    let reason: String
    /// Nothing arrived, or the provider said "not now": what was sent is as good as before.
    let leavesUnspent: Bool
    /// The provider asked for a pause.
    var isPause = false
    /// The operator has to act: sending again does not help.
    var isFinal = false

    static let unusable = ProviderFailure(502, "provider_response_invalid", leavesUnspent: false)
    static let refused = ProviderFailure(502, "provider_error", leavesUnspent: false)

    /// The tier or the credentials of the operator do not allow the call.
    static let refusesUs = {
        var trouble = ProviderFailure(502, "provider_refuses_us", leavesUnspent: false)
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

extension OutboundResponse {
    /// The body, where it says that it is JSON, and is; nil for anything else.
    var json: JSON? {
        let mediaType = self[field: "Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard mediaType == "application/json" else { return nil }
        return try? JSON.parse(body, maximumBytes: 256 * 1024)
    }
}
