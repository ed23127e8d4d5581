import Jansson
import Synchronization

/// The attacker's server: it records all requests and sends configured responses.
///
/// Unlike ``ControlState`` it records values, because an attack must find out which secrets were sent to it. It keeps
/// the last thousand requests, and the first 4 KiB of each value.
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

    // MARK: - Commands of the control listener

    /// `{"requests": [{"seq", "method", "path", "query", "header", "body"}], "count": 2, "connections": 3}`.
    ///
    /// `count` and `connections` include everything since the last ``forgetRequests()``, even requests that are no
    /// longer kept. A connection without a request may have been an attempt at TLS.
    var report: JSON {
        .object([
            "requests": .array(requests.map(\.json)), "count": .integer(count),
            "connections": .integer(connections.withLock { $0 }),
        ])
    }

    /// Removes all requests.
    ///
    /// The numbering continues.
    func forgetRequests() {
        requests = []
        count = 0
        connections.withLock { $0 = 0 }
    }

    /// Sets the response of a path, replacing an earlier one.
    func place(_ answer: HostileAnswer) {
        answers[answer.path] = answer.answer
    }

    func removeAnswers() {
        answers = [:]
    }
}

/// One request to the attacker's server, including its values.
struct HostileRequest: Sendable {
    private let number: Int64
    private let request: IncomingRequest

    private static let maximumBytes = 4 << 10

    /// Keeps the first 4 KiB of each value.
    init(_ request: IncomingRequest, number: Int64) {
        self.number = number
        self.request = IncomingRequest(
            method: Self.cut(request.method), path: Self.cut(request.path), query: Self.cut(request.query),
            header: request.header.map { ($0.name, Self.cut($0.value)) },
            body: Array(request.body.prefix(Self.maximumBytes)))
    }

    /// The request as JSON.
    ///
    /// Repeated fields are joined by commas (RFC 9110 §5.3).
    var json: JSON {
        let header = Dictionary(request.header.map { ($0.name, $0.value) }) { $0 + ", " + $1 }
        // Our JSON parser does not accept U+0000.
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

/// The response of the attacker's server at one path, for every method and query.
///
/// ```json
/// {"path": "/jwks", "status": 302, "header": {"Location": "http://127.0.0.1:1/"}, "body": "text"}
/// ```
/// Only `path` is required, as it appears in the request. By default the response is 200, `application/json` and `{}`.
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

/// The commands below `/hostile`: an attack run configures the attacker's server and reads its requests.
///
/// | call | effect |
/// | --- | --- |
/// | `GET /hostile` | `{"origin": "http://127.0.0.1:8085"}` |
/// | `GET /hostile/requests` | ``HostileServer/report``: all requests, including values |
/// | `DELETE /hostile/requests` | removes them |
/// | `PUT /hostile/answers` | ``HostileAnswer`` |
/// | `DELETE /hostile/answers` | sets every response to `{}` again |
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
