import Foundation

/// One accepted connection, in the hands of a script.
final class LoopbackConnection {
    private let socket: Int32
    private let server: LoopbackServer
    private var buffered: [UInt8] = []

    init(socket: Int32, server: LoopbackServer) {
        self.socket = socket
        self.server = server
    }

    /// The next whole request; nil when the client has closed.
    ///
    /// Requests need a `Content-Length` to have a body.
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

    /// False when the client has closed.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { Sockets.sendAll(bytes, to: socket) }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    func answer(_ body: String = "", status: String = "200 OK", header: [String] = []) -> Bool {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + header
        return send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
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
