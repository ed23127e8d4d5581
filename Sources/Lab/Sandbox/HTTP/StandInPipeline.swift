import Jansson

/// What stands between a stand-in's listener and the stand-in: faults and the log.
///
/// A fault with a `status` or a `body` answers in the endpoint's place, which then hears nothing of the request. All
/// other faults spoil what the endpoint answered, so that a code, for instance, is spent.
struct StandInPipeline: Sendable {
    private let standIn: StandIn
    private let state: ControlState
    private let recorder: TrafficRecorder?
    private let respond: @Sendable (Endpoint, IncomingRequest) async -> Answer

    /// The witness, if any, is told what was answered before it is sent.
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
            // What Google's libraries take for the sign of a metadata server.
            if standIn == .google { answer.header.append(("Metadata-Flavor", "Google")) }
        }
        fault?.spoil(&answer)
        let manner = fault?.manner ?? .whole
        await state.record(request, at: endpoint, of: standIn, status: manner == .dropped ? 0 : answer.status)
        if let endpoint, manner != .dropped { await recorder?.see(endpoint, request, answer) }
        return Delivery(answer, manner)
    }

    /// The pages that belong to no endpoint.
    private func sharedPage(_ request: IncomingRequest) -> Answer {
        switch (request.method, request.path) {
        case ("GET", "/"):
            Page.message(
                "\(standIn.title) (stand-in)",
                """
                This imitates the sign-in endpoints of \(standIn.title) for development, demonstration and attack runs. \
                It is not \(standIn.title), and the people in it do not exist.
                """)
        case ("GET", "/style.css"):
            StyleSheet.answer
        default:
            .text("Nothing is here.", status: 404)
        }
    }
}
