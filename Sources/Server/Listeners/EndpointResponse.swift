internal import Hummingbird

/// An answer, and what metrics and log are told of it.
struct EndpointResponse: Sendable {
    var response: Response
    var reason: Reason?
    var failure: RequestError?

    static func refusal(_ error: RequestError, requestID: String) -> EndpointResponse {
        let refusal = ErrorTable.response(to: error)
        return EndpointResponse(
            response: .refusal(refusal, requestID: requestID), reason: refusal.reason, failure: error)
    }
}
