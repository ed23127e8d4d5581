import Jansson
import Transport

/// One sign-in or one attack, from its first message to its last.
struct Run: Sendable {
    /// The event that the application waits for.
    enum Stage: Sendable {
        case working
        /// The browser returns with a code, for this state and this verifier.
        case awaitingCode(state: String, verifier: String, tokenEndpoint: String)
        /// The browser returns with the provider's answer.
        case awaitingCallback(session: String)
        /// The user enters the code on another device.
        case polling(Device)
        /// The user signs out, after a sign-in on two devices.
        case signedIn(phone: Session, laptop: Session)
        case ended
    }

    struct Device: Sendable {
        let deviceCode: String
        let userCode: String
        let verificationURI: String
        let verificationURIComplete: String
        let tokenEndpoint: String
    }

    /// A session at Firebase.
    struct Session: Sendable {
        let idToken: String
        let refreshToken: String
    }

    /// An unguessable text: a browser that knows it can see the run and replay its steps.
    let id: String
    let scenario: Scenario
    /// The id of the provider.
    let provider: String
    /// The origin of the home page.
    let origin: String
    /// Seconds since 1970-01-01T00:00:00Z on the clock of the stand-ins.
    let startedAt: Int64
    var stage = Stage.working
    var steps: [Step] = []
    /// The codes and tokens seen so far.
    ///
    /// They assign messages between server and provider to this run.
    var handles: Set<String> = []
    /// The answer that contains the custom token.
    var result: JSON?

    var title: String {
        DocumentedProvider(id: provider).map { "Sign in with \($0.title), in the browser" } ?? scenario.title
    }

    /// The custom token, which `/v1/exchange` and `/token` return under different names.
    var customToken: String? { result?["custom_token"]?.string ?? result?["access_token"]?.string }
}

/// One message of a run, and the outcome of its replay.
struct Step: Sendable {
    /// The position in the run, from 1.
    let number: Int
    let kind: StepKind
    /// An explanation of this message in plain text.
    var note: String?
    let request: RecordedRequest
    var outcome: Outcome
    /// The outcome of the last replay.
    var replay: Outcome?
    var replayCount = 0
}

/// The outcome of a request.
enum Outcome: Sendable {
    /// There is no answer yet.
    case underWay
    case answer(OutboundResponse)
    case noAnswer(TransportError)
    /// The browser sent the request, so this process does not see the answer.
    case elsewhere

    init(_ answer: Answer) {
        self = .answer(
            OutboundResponse(
                status: answer.status, header: answer.header.map { HeaderField($0.name, $0.value) }, body: answer.body))
    }

    var response: OutboundResponse? {
        if case .answer(let response) = self { response } else { nil }
    }

    /// The JSON of a successful answer; `nil` for any other outcome.
    var success: JSON? {
        guard let response, (200..<300).contains(response.status) else { return nil }
        return try? JSON.parse(response.body, maximumBytes: 1 << 20)
    }

    /// Whether the request failed or was refused.
    ///
    /// A redirect counts only if it carries an error.
    var isRefusal: Bool {
        switch self {
        case .answer(let response): Verdict(response).isRefusal
        case .noAnswer: true
        case .underWay, .elsewhere: false
        }
    }
}
