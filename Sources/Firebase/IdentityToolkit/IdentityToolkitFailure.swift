internal import Jansson
internal import Transport

/// One attempt that failed.
struct IdentityToolkitFailure: Error {
    let error: IdentityToolkitError
    /// It may be better in a moment.
    let isPassing: Bool
    /// No byte of the request left.
    var wasNotHeard = false
    var retryAfter: Duration?

    static func answer(
        to request: OutboundRequest, from transport: HTTPTransport, _ effect: IdentityToolkitEndpoint.Effect
    ) async throws(Self) -> JSON {
        let response: OutboundResponse
        do {
            response = try await transport.send(request)
        } catch {
            throw Self(error, effect)
        }
        guard response.status == 200 else { throw Self(response, effect) }
        guard let answer = try? JSON.parse(response.body, maximumBytes: request.maximumBodyBytes), answer.object != nil
        else { throw Self(error: .malformedAnswer, isPassing: false) }
        return answer
    }

    private init(error: IdentityToolkitError, isPassing: Bool) {
        self.error = error
        self.isPassing = isPassing
    }

    private init(_ error: TransportError, _ effect: IdentityToolkitEndpoint.Effect) {
        wasNotHeard = !error.requestMayHaveArrived
        self.error = wasNotHeard || effect == .reading ? .unreachable(error) : .outcomeUnknown
        switch error {
        case .unreachable, .timedOut, .interrupted: isPassing = true
        case .untrusted, .tooLarge, .notHTTP, .refusedURL, .overloaded, .cancelled: isPassing = false
        }
    }

    private init(_ response: OutboundResponse, _ effect: IdentityToolkitEndpoint.Effect) {
        let error = IdentityToolkitError(response)
        switch error {
        case .busy:
            (self.error, isPassing) = (error, true)
        case .unavailable:
            (self.error, isPassing) = (effect == .reading ? error : .outcomeUnknown, true)
        default:
            (self.error, isPassing) = (error, false)
        }
        // RFC 9110 §10.2.3: seconds, or a date, which nobody sends here.
        retryAfter = response[field: "Retry-After"].flatMap { Int64($0) }.map { .seconds(min(max(0, $0), 3600)) }
    }
}
