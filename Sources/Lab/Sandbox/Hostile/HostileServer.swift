import Jansson
import Synchronization

/// A server of the attacker's: it keeps what reaches it, and answers what it was told.
///
/// It plays the attacker, so unlike ``ControlState`` it keeps values: what an attack wants to know is which secrets it
/// was sent, and from where. Only the last thousand requests are kept, and of each value the first 4 KiB.
actor HostileServer {
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

/// One request as it reached the attacker's server, values included.
struct HostileRequest: Sendable {
    private let number: Int64
    private let request: IncomingRequest

    private static let maximumBytes = 4 << 10

    /// Keeps no more than the first 4 KiB of each value.
    init(_ request: IncomingRequest, number: Int64) {
        self.number = number
        self.request = IncomingRequest(
            method: Self.cut(request.method), path: Self.cut(request.path), query: Self.cut(request.query),
            header: request.header.map { ($0.name, Self.cut($0.value)) },
            body: Array(request.body.prefix(Self.maximumBytes)))
    }

    /// Fields that came more than once are one, as RFC 9110 §5.3 joins them.
    var json: JSON {
        let header = Dictionary(request.header.map { ($0.name, $0.value) }) { $0 + ", " + $1 }
        // Who reads the report could not parse U+0000.
        let body = String(decoding: request.body, as: UTF8.self).replacing("\0", with: "\u{FFFD}")
        return .object([
            "seq": .integer(number), "method": .string(request.method), "path": .string(request.path),
            "query": .string(request.query), "header": .object(header.mapValues { .string($0) }),
            "body": .string(body),
        ])
    }

    private static func cut(_ text: String) -> String {
        String(decoding: text.utf8.prefix(maximumBytes), as: UTF8.self)
    }
}

/// What the attacker's server says at one path, to every method and query.
///
/// ```json
/// {"path": "/jwks", "status": 302, "header": {"Location": "http://127.0.0.1:1/"}, "body": "text"}
/// ```
/// `path` alone is required, as it comes over the wire. Unless said otherwise the answer is 200, `application/json`
/// and `{}`.
struct HostileAnswer: Sendable {
    let path: String
    let answer: Answer

    static let usual = Answer(200, header: [("Content-Type", "application/json")], body: Array("{}".utf8))

    init(_ input: JSON) throws(ControlError) {
        var input = try ControlInput(input)
        path = try input.requiredString("path")
        guard path.hasPrefix("/"), !path.contains("?") else {
            throw .invalid(member: "path", expected: "a path from its first slash, without a query")
        }
        var answer = Self.usual
        if let status = try input.integer("status", in: 200...599) { answer.status = Int(status) }
        answer.set(try input.strings(in: "header"))
        if let body = try input.string("body") { answer.body = Array(body.utf8) }
        self.answer = answer
        try input.finish()
    }
}

/// What the control listener has below `/hostile`: how an attack run instructs its own server, and reads what came.
///
/// | call | does |
/// | --- | --- |
/// | `GET /hostile` | `{"origin": "http://127.0.0.1:8085"}` |
/// | `GET /hostile/requests` | ``HostileServer/report``: what reached it, values included |
/// | `DELETE /hostile/requests` | forgets it |
/// | `PUT /hostile/answers` | ``HostileAnswer`` |
/// | `DELETE /hostile/answers` | it answers everything with `{}` again |
struct HostileControl: ControlSection {
    let host: HostileServer

    func answer(
        _ request: IncomingRequest, command: () throws(ControlError) -> JSON
    ) async throws(ControlError) -> Answer? {
        switch (request.method, request.path) {
        case ("GET", "/hostile"):
            return .json(.object(["origin": .string(await host.origin)]))
        case ("GET", "/hostile/requests"):
            return .json(await host.report)
        case ("DELETE", "/hostile/requests"):
            await host.forgetRequests()
        case ("PUT", "/hostile/answers"):
            await host.place(try HostileAnswer(try command()))
        case ("DELETE", "/hostile/answers"):
            await host.removeAnswers()
        default:
            return nil
        }
        return Answer(204)
    }
}
