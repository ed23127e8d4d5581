internal import Jansson
internal import Transport

/// Calls to other servers.
struct PeerClient: Sendable {
    let transport: HTTPTransport
    let mistakes: Set<Mistake>

    /// Sends a request.
    ///
    /// Redirects are not followed, because they would send code and secret to another address.
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

/// A failure of a call to a provider.
struct ProviderFailure: Error, Sendable {
    let status: Int
    let reason: String
    /// The request did not arrive, or the provider asks to retry later.
    ///
    /// The credential is still valid.
    let leavesUnspent: Bool
    /// The provider limits the rate.
    var isPause = false
    /// The operator must act; a retry does not help.
    var isFinal = false

    static let unusable = ProviderFailure(502, "provider_response_invalid", leavesUnspent: false)
    static let refused = ProviderFailure(502, "provider_error", leavesUnspent: false)

    /// The operator's plan or credentials do not allow the call.
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

    /// The failure for an unexpected status.
    init(status: Int) {
        self.init(502, "provider_error", leavesUnspent: status == 429 || status == 503)
        isPause = leavesUnspent
    }

    /// The refusal for the client.
    ///
    /// If `isGivenBack` is true, the same request may be sent again.
    func refusal(isGivenBack: Bool) -> Refusal {
        var refusal = Refusal.failure(
            status, "temporarily_unavailable", reason, "The provider sent an unexpected response.",
            retry: isGivenBack ? "same" : "restart")
        refusal.retryAfter = isPause ? 5 : nil
        if isFinal { refusal.retry = nil }
        return refusal
    }
}

extension OutboundResponse {
    /// The body if it is JSON by its type and its text; otherwise `nil`.
    var json: JSON? {
        let mediaType = self[field: "Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard mediaType == "application/json" else { return nil }
        return try? JSON.parse(body, maximumBytes: 256 * 1024)
    }
}
