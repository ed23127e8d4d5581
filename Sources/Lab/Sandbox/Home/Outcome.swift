import Jansson
import Transport

/// What became of a request.
enum Outcome: Sendable {
    /// Not yet known.
    case underWay
    case answer(OutboundResponse)
    case noAnswer(TransportError)
    /// The browser took it there, and the answer went to the browser.
    case elsewhere

    init(_ answer: Answer) {
        self = .answer(
            OutboundResponse(
                status: answer.status, header: answer.header.map { HeaderField($0.name, $0.value) }, body: answer.body))
    }

    var response: OutboundResponse? {
        if case .answer(let response) = self { response } else { nil }
    }

    /// Nil unless the answer is a success and JSON.
    var success: JSON? {
        guard let response, (200..<300).contains(response.status) else { return nil }
        return try? JSON.parse(response.body, maximumBytes: 1 << 20)
    }

    /// A redirect is no refusal here, unless it carries one.
    var isRefusal: Bool {
        switch self {
        case .answer(let response): Verdict(response).isRefusal
        case .noAnswer: true
        case .underWay, .elsewhere: false
        }
    }
}
