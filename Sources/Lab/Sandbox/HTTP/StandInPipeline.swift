/// The steps between a listener and its stand-in: faults, the log and the record of the home page.
///
/// A fault with a `status` or a `body` replaces the response of the endpoint, which does not see the request. All other
/// faults change the endpoint's response, so that for example a code is spent.
struct StandInPipeline: Sendable {
    private let standIn: StandIn
    private let state: ControlState
    private let recorder: TrafficRecorder?
    private let respond: @Sendable (Endpoint, IncomingRequest) async -> Answer

    /// Creates the pipeline; the recorder, if there is one, gets every message before the response is sent.
    init(
        _ standIn: StandIn, state: ControlState, recorder: TrafficRecorder?,
        respond: @escaping @Sendable (Endpoint, IncomingRequest) async -> Answer
    ) {
        self.standIn = standIn
        self.state = state
        self.recorder = recorder
        self.respond = respond
    }

    func answer(_ request: IncomingRequest) async -> Delivery {
        let endpoint = Endpoint(path: request.path, of: standIn)
        let fault: Fault? = if let endpoint { await state.takeFault(of: endpoint) } else { nil }
        if let delay = fault?.delayMilliseconds { try? await Task.sleep(for: .milliseconds(delay)) }

        var answer: Answer
        if let replacement = fault?.replacement {
            answer = replacement
        } else if let endpoint {
            answer = await respond(endpoint, request)
        } else {
            answer = sharedPage(request)
            // Google's libraries recognize a metadata server by this field.
            if standIn == .google { answer.header.append(("Metadata-Flavor", "Google")) }
        }
        fault?.spoil(&answer)
        let manner = fault?.manner ?? .whole
        await state.record(request, at: endpoint, of: standIn, status: manner == .dropped ? 0 : answer.status)
        if let endpoint, manner != .dropped { await recorder?.see(endpoint, request, answer) }
        return Delivery(answer, manner)
    }

    /// The responses to paths that belong to no endpoint.
    private func sharedPage(_ request: IncomingRequest) -> Answer {
        switch (request.method, request.path) {
        case ("GET", "/"):
            Page.message(
                "\(standIn.title) (stand-in)",
                """
                This server imitates the sign-in endpoints of \(standIn.title) for development, demonstration and attack runs. \
                It is not \(standIn.title), and its users do not exist.
                """)
        case ("GET", "/style.css"):
            StyleSheet.answer
        case ("GET", "/favicon.ico"):
            .noIcon
        default:
            .text("Not found.", status: 404)
        }
    }
}
