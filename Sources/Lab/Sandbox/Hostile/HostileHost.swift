import Jansson
import Synchronization

/// A server of the attacker's: it keeps what reaches it, and answers what it was told.
///
/// It plays the attacker, so unlike ``ControlDesk`` it keeps values: what an attack wants to know is which secrets it
/// was sent, and from where. Only the last thousand requests are kept, and of each value the first 4 KiB.
actor HostileHost {
    /// Empty until the listener is bound.
    private(set) var origin = ""
    private var requests: [HostileRequest] = []
    private var lastNumber: Int64 = 0
    private var count: Int64 = 0
    private var answers: [String: Answer] = [:]
    private nonisolated let connections = Mutex<Int64>(0)

    func open(at origin: String) {
        self.origin = origin
    }

    func answer(_ request: IncomingRequest) -> Delivery {
        lastNumber += 1
        count += 1
        if requests.count == 1000 { requests.removeFirst() }
        requests.append(HostileRequest(request, number: lastNumber))
        return Delivery(answers[request.path] ?? HostileAnswer.usual)
    }

    nonisolated func countConnection() {
        connections.withLock { $0 += 1 }
    }

    // MARK: - Orders of the control listener

    /// `{"requests": [{"seq", "method", "path", "query", "header", "body"}], "count": 2, "connections": 3}`.
    ///
    /// `count` is of all requests since they were last forgotten, kept or not, and `connections` likewise: one without
    /// a request may have been an attempt at TLS.
    var report: JSON {
        .object([
            "requests": .array(requests.map(\.json)), "count": .integer(count),
            "connections": .integer(connections.withLock { $0 }),
        ])
    }

    /// Numbers go on from where they were.
    func forgetRequests() {
        requests = []
        count = 0
        connections.withLock { $0 = 0 }
    }

    /// Takes the place of the path's earlier answer.
    func place(_ answer: HostileAnswer) {
        answers[answer.path] = answer.answer
    }

    func removeAnswers() {
        answers = [:]
    }
}
