internal import Hummingbird

/// An answer, and what metrics and log are told of it.
struct Answer: Sendable {
    var response: Response
    var reason: Reason?
    var failure: RequestError?

    static func refusal(_ error: RequestError, requestID: String) -> Answer {
        let refusal = ErrorTable.answer(to: error)
        return Answer(
            response: .refusal(refusal, requestID: requestID), reason: refusal.reason, failure: error)
    }
}
