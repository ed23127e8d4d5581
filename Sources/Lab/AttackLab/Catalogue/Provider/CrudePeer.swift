internal import Dispatch
internal import Glibc
internal import Synchronization

/// A listener that says byte for byte what it was told, HTTP or not, and keeps what it hears.
final class CrudePeer: Sendable {
    /// What is done after a request was heard.
    enum Step: Sendable {
        case send([UInt8])
        case wait(milliseconds: UInt32)
        /// The bytes again and again, until the connection is closed.
        case repeated([UInt8])
        /// The connection ends with RST.
        case reset
        /// The connection stays open for the next request.
        case listen
    }

    typealias Script = @Sendable (_ number: Int, _ request: String) -> [Step]

    /// Scheme, host and port.
    let base: String
    private let listener: Int32
    private let script: Script
    private let memory = Mutex(Memory())

    private struct Memory {
        var requests: [String] = []
        var sentBytes = 0
    }

    /// - `script`: what follows the request of that number, from 0, on whatever connection; then the connection ends.
    init(_ script: @escaping Script) throws {
        self.script = script
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard let port = Self.bind(listener), listen(listener, 128) == 0 else {
            throw Inconclusive("No listener could be opened.")
        }
        base = "http://127.0.0.1:\(port)"
        let accepting = DispatchQueue(label: "crude peer")
        accepting.async { [listener] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                DispatchQueue.global().async { [weak self] in
                    self?.serve(connection)
                    _ = close(connection)
                }
            }
        }
    }

    /// Ends the listener; the steps under way end with their connections.
    func stop() {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        _ = close(listener)
    }

    /// Heads and bodies of what was asked.
    var requests: [String] { memory.withLock { $0.requests } }

    /// How much the other side took, its buffers included.
    var sentBytes: Int { memory.withLock { $0.sentBytes } }

    private func serve(_ connection: Int32) {
        while let request = Self.request(on: connection) {
            let number = memory.withLock { memory in
                memory.requests.append(request)
                return memory.requests.count - 1
            }
            var goesOn = false
            for step in script(number, request) {
                switch step {
                case .send(let bytes): guard send(bytes, on: connection) else { return }
                case .wait(let milliseconds): usleep(milliseconds * 1000)
                case .repeated(let bytes): while send(bytes, on: connection) {}
                case .reset:
                    // Data that was not read, or no lingering: either makes close(2) send RST.
                    var lingering = linger(l_onoff: 1, l_linger: 0)
                    _ = unsafe setsockopt(
                        connection, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
                    return
                case .listen: goesOn = true
                }
            }
            guard goesOn else { return }
        }
    }

    /// False where the other side is gone.
    private func send(_ bytes: [UInt8], on connection: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            memory.withLock { $0.sentBytes += count }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Head and body, by its declared length; nil at the end of the connection.
    private static func request(on connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let head = text.firstRange(of: "\r\n\r\n") {
                let length =
                    text[..<head.lowerBound].lowercased().split(separator: "\r\n")
                    .first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst("content-length:".count).trimmed) } ?? 0
                if text[head.upperBound...].utf8.count >= length { return text }
            }
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer.prefix(count)
        }
    }

    /// The port that the system chose on 127.0.0.1.
    private static func bind(_ listener: Int32) -> UInt16? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe Glibc.bind(listener, pointer, size) == 0 && getsockname(listener, pointer, &size) == 0
            }
        }
        return isBound ? UInt16(bigEndian: address.sin_port) : nil
    }
}

extension CrudePeer.Step {
    static func send(_ text: String) -> Self { .send(Array(text.utf8)) }
}
