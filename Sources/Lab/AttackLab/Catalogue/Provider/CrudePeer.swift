internal import Dispatch
internal import Glibc
internal import Jansson
internal import OpenSSL
internal import Synchronization

/// A TCP listener that sends scripted bytes, valid HTTP or not, and records the requests that it receives.
final class CrudePeer: Sendable {
    /// A step after a request.
    enum Step: Sendable {
        case send([UInt8])
        case wait(milliseconds: UInt32)
        /// Sends the bytes repeatedly until the connection is closed.
        case repeated([UInt8])
        /// Closes the connection with RST.
        case reset
        /// Keeps the connection open for the next request.
        case listen
    }

    typealias Script = @Sendable (_ number: Int, _ request: String) -> [Step]

    /// The listener's URL: scheme, host and port.
    let base: String
    private let listener: Int32
    private let script: Script
    private let memory = Mutex(Memory())

    private struct Memory {
        var requests: [String] = []
        var sentBytes = 0
    }

    /// - `script`: The steps after each request, counted from 0 over all connections; then the connection closes.
    init(_ script: @escaping Script) throws {
        self.script = script
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard let port = Self.bind(listener), listen(listener, 128) == 0 else {
            throw Inconclusive("The listener could not be opened.")
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

    /// Closes the listener; steps in progress end with their connections.
    func stop() {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        _ = close(listener)
    }

    /// The received requests, each with header and body.
    var requests: [String] { memory.withLock { $0.requests } }

    /// The number of bytes that the other side accepted, including its buffers.
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
                    // Unread data or a linger time of 0 makes close(2) send RST.
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

    /// Returns `false` if the other side has closed the connection.
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

    /// Returns header and body of the declared length; `nil` at the end of the connection.
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

    /// Binds to 127.0.0.1 and returns the port that the system chose.
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

extension AttackContext {
    /// Starts a server that uses a crude peer as Yahoo's token endpoint, on the store of the server under attack.
    func withTokenPeer(
        timeout: String = "1s", _ script: @escaping CrudePeer.Script,
        _ work: (TestServer, CrudePeer) async throws -> Void
    ) async throws {
        let peer = try CrudePeer(script)
        defer { peer.stop() }
        var plan = ServerPlan("crude-\(attack.id)")
        plan.sharesStore = true
        plan.set("providers/yahoo.com/endpoints/token", .string(peer.base + "/token"))
        plan.set("providers/yahoo.com/timeout", .string(timeout))
        try await withServer(plan) { try await work($0, peer) }
    }

    /// Returns a code that only a crude peer accepts, and the request that posts it.
    func crudeExchange(nonce: String = "a-nonce-of-mine-0001") throws -> Request {
        exchange([
            "type": "authorization_code", "code": .string(Base64.urlEncode(try SecureRandom.bytes(9))),
            "redirect_uri": .string(lab.application.yahooRedirectURI), "nonce": .string(nonce),
        ])
    }

    /// Returns a valid response of the token endpoint.
    func goodTokens(nonce: String) async throws -> String {
        let issued = try await standIns.issue(["provider": "yahoo.com", "user": "alice", "nonce": .string(nonce)])
        let members = ["access_token", "id_token", "token_type", "expires_in"].compactMap { name in
            issued[name].map { (name, $0) }
        }
        return String(decoding: JSON.object(Dictionary(members) { $1 }).serialized(), as: UTF8.self)
    }
}

extension String {
    /// Returns a valid header of a JSON response, with further fields.
    static func head(length: Int? = nil, _ fields: String...) -> String {
        let length = length.map { ["Content-Length: \($0)"] } ?? []
        return (["HTTP/1.1 200 OK", "Content-Type: application/json"] + length + fields + ["", ""])
            .joined(separator: "\r\n")
    }
}

/// Returns the bytes in gzip format without compression (RFC 1951 §3.2.4, RFC 1952 §2.2).
enum StoredGzip {
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        var blocks: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let part = rest.prefix(65_535)
            rest = rest.dropFirst(part.count)
            let count = UInt16(part.count)
            blocks += [rest.isEmpty ? 1 : 0] + littleEndian(count) + littleEndian(~count) + part
        } while !rest.isEmpty
        return head + blocks + littleEndian(checksum(bytes)) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    }

    /// Returns the CRC-32 of the bytes.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
    }

    private static func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) }
    }
}
