import Jansson
import Transport

/// One sign-in, or one attack, from its first message to its last.
struct Run: Sendable {
    /// What the application waits for.
    enum Stage: Sendable {
        case working
        /// The browser brings a code back, under this state and for this verifier.
        case awaitingCode(state: String, verifier: String, tokenEndpoint: String)
        /// The browser brings the provider's answer back.
        case awaitingCallback(session: String)
        /// Somebody enters the code on another device.
        case polling(Device)
        case ended
    }

    struct Device: Sendable {
        let deviceCode: String
        let userCode: String
        let verificationURI: String
        let verificationURIComplete: String
        let tokenEndpoint: String
    }

    /// Unguessable: who knows it sees the run and may replay it.
    let id: String
    let scenario: Scenario
    /// The home page's own.
    let origin: String
    /// Seconds since 1970-01-01T00:00:00Z, by the stand-ins' clock.
    let startedAt: Int64
    var stage = Stage.working
    var steps: [Step] = []
    /// Codes and tokens that have occurred, by which messages between server and provider are known as part of it.
    var handles: Set<String> = []
    /// The answer that holds the custom token.
    var result: JSON?

    /// The custom token, under whichever name it came.
    var customToken: String? { result?["custom_token"]?.string ?? result?["access_token"]?.string }
}

/// One message of a run, and what came of sending it again.
struct Step: Sendable {
    /// From 1, in the order in which they were sent.
    let number: Int
    let kind: StepKind
    /// What is particular about this one; plain text.
    var note: String?
    let request: RecordedRequest
    var outcome: Outcome
    /// Of the last replay.
    var replay: Outcome?
    var replayCount = 0
}

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
