import Curl
import Foundation

/// An HTTP/1.1 server on 127.0.0.1 that runs a script of the test, with one thread per connection.
final class LoopbackServer: Sendable {
    typealias Script = @Sendable (LoopbackConnection) -> Void

    private struct State: Sendable {
        var accepted = 0
        var requests: [LoopbackRequest] = []
        var open: [Int32] = []
        var waiting: [(reached: @Sendable (LoopbackServer.Tally) -> Bool, CheckedContinuation<Void, Never>)] = []
    }

    struct Tally: Sendable {
        let accepted: Int
        let requests: Int
        let open: Int
    }

    let port: UInt16
    private let listener: Int32
    private let state = Guarded(State())

    /// Makes a server that answers each request with its path, as soon as the gate lets it pass.
    convenience init(answeringAfter gate: Gate) throws {
        try self.init { connection in
            while let request = connection.nextRequest() {
                gate.pass()
                connection.answer(request.path)
            }
        }
    }

    /// Runs the script for each connection, and closes the connection when the script returns.
    init(_ script: @escaping Script) throws {
        (listener, port) = try Sockets.listenOnFreePort()
        Thread.detachNewThread { [listener, weak self] in
            // The listener is never closed: a late `stop` could shut down another socket that got the same descriptor.
            while let connection = Sockets.next(listener), let self {
                self.change { state in
                    state.accepted += 1
                    state.open.append(connection)
                }
                Thread.detachNewThread {
                    script(LoopbackConnection(socket: connection, server: self))
                    // The connection is removed before it is closed, since another connection can get its descriptor at
                    // once.
                    self.change { state in state.open.removeAll { $0 == connection } }
                    Sockets.release(connection)
                }
            }
        }
    }

    func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

    var accepted: Int { state.withLock(\.accepted) }
    var requests: [LoopbackRequest] { state.withLock(\.requests) }

    func note(_ request: LoopbackRequest) {
        change { $0.requests.append(request) }
    }

    /// Returns when the tally meets the condition; a test whose condition is never met runs into its time limit.
    func reaches(_ condition: @escaping @Sendable (Tally) -> Bool) async {
        await withCheckedContinuation { continuation in
            change { $0.waiting.append((condition, continuation)) }
        }
    }

    /// Accepts no further connection, and ends the open ones.
    func stop() {
        state.withLock { state in
            Sockets.shutDown(listener)
            for socket in state.open { Sockets.shutDown(socket) }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let ready = state.withLock { state in
            body(&state)
            let tally = Tally(accepted: state.accepted, requests: state.requests.count, open: state.open.count)
            let ready = state.waiting.filter { $0.reached(tally) }.map(\.1)
            state.waiting.removeAll { $0.reached(tally) }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }
}

/// An accepted connection, which a script controls.
final class LoopbackConnection {
    private let socket: Int32
    private let server: LoopbackServer
    private var buffered: [UInt8] = []

    init(socket: Int32, server: LoopbackServer) {
        self.socket = socket
        self.server = server
    }

    /// The next complete request, or `nil` after the client has closed.
    ///
    /// A request needs a `Content-Length` to have a body.
    func nextRequest() -> LoopbackRequest? {
        let separator = Array("\r\n\r\n".utf8)
        guard let end = readUntil({ $0.firstRange(of: separator)?.upperBound }) else { return nil }
        let lines = String(decoding: buffered[..<end].dropLast(4), as: UTF8.self).components(separatedBy: "\r\n")
        let head = LoopbackRequest(line: lines.first ?? "", header: Array(lines.dropFirst()), body: [])
        let length = head[field: "Content-Length"].flatMap { Int($0) } ?? 0
        guard readUntil({ $0.count >= end + length ? end + length : nil }) != nil else { return nil }
        let request = LoopbackRequest(
            line: head.line, header: head.header, body: Array(buffered[end..<(end + length)]))
        buffered.removeFirst(end + length)
        server.note(request)
        return request
    }

    /// The path of the next request, whose body is left unread.
    func readHead() -> String? {
        guard let end = readUntil({ $0.firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound }) else { return nil }
        return LoopbackRequest(line: String(decoding: buffered[..<end], as: UTF8.self), header: [], body: []).path
    }

    /// Sends octets; returns `false` if the client has closed.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { Sockets.sendAll(bytes, to: socket) }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func answer(_ body: String = "", status: String = "200 OK", header: [String] = []) -> Bool {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + header
        return send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    /// Forwards octets between the client and a port of 127.0.0.1, until both have closed.
    func relay(to port: UInt16) {
        guard let peer = try? Sockets.connect(to: port) else { return }
        let (socket, end) = (socket, DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            while let bytes = Sockets.receive(from: peer), Sockets.sendAll(bytes, to: socket) {}
            Sockets.shutDown(socket)
            end.signal()
        }
        while let bytes = Sockets.receive(from: socket), Sockets.sendAll(bytes, to: peer) {}
        Sockets.shutDown(peer)
        end.wait()
        Sockets.release(peer)
    }

    /// Returns when the client has closed.
    func awaitEnd() {
        while Sockets.receive(from: socket) != nil {}
    }

    /// Ends the connection with FIN.
    func finish() { Sockets.shutDown(socket) }

    /// Ends the connection with RST.
    func reset() { Sockets.resetOnClose(socket) }

    private func readUntil(_ end: ([UInt8]) -> Int?) -> Int? {
        while true {
            if let end = end(buffered) { return end }
            guard let more = Sockets.receive(from: socket) else { return nil }
            buffered += more
        }
    }
}

/// A request as it was received.
struct LoopbackRequest: Sendable, Equatable {
    let line: String
    let header: [String]
    let body: [UInt8]

    var path: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

    subscript(field name: String) -> String? {
        header.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
    }
}
