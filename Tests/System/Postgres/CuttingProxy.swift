import Foundation
import Glibc
import Synchronization

/// A proxy in front of a server's socket, which cuts the connection at a given message.
final class CuttingProxy: Sendable {
    enum Cut: Sendable {
        /// The server does not receive the message.
        case request
        /// The server receives the message, and the client does not receive the response.
        case answer
    }

    /// The folder of the proxy's socket, used as the host of a connection string.
    let folder: String
    private let listener: Int32
    private let server: String
    private let plan = Mutex<(cut: Cut, marks: @Sendable ([UInt8]) -> Bool)?>(nil)

    /// Starts to listen; `server` is the folder of the server's socket.
    init(before server: String) throws {
        self.server = server
        folder = NSTemporaryDirectory() + "token-exchange-proxy-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isBound = unsafe Self.withAddress(folder) { unsafe bind(listener, $0, $1) == 0 }
        self.listener = listener
        guard isBound, listen(listener, 50) == 0 else { throw CocoaError(.fileWriteUnknown) }
        let thread = Thread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { return }
                self.serve(client)
            }
        }
        thread.start()
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Cuts once, at the first message from a client for which `marks` returns true.
    func arm(_ cut: Cut, at marks: @escaping @Sendable ([UInt8]) -> Bool) {
        plan.withLock { $0 = (cut, marks) }
    }

    private func serve(_ client: Int32) {
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard unsafe Self.withAddress(server, { unsafe connect(upstream, $0, $1) == 0 }) else {
            close(client)
            return
        }
        let isCut = Latch()
        let ended = DispatchGroup()
        ended.enter()
        ended.enter()
        let requests = Thread { [weak self] in
            while let bytes = Self.read(client) {
                let cut = self?.plan.withLock { plan -> Cut? in
                    guard let found = plan, found.marks(bytes) else { return nil }
                    plan = nil
                    return found.cut
                }
                if cut != nil { isCut.open() }
                guard cut != .request, Self.write(bytes, to: upstream) else { break }
            }
            shutdown(upstream, Int32(SHUT_RDWR))
            shutdown(client, Int32(SHUT_RDWR))
            ended.leave()
        }
        let answers = Thread {
            while let bytes = Self.read(upstream), !isCut.isOpen, Self.write(bytes, to: client) {}
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(upstream, Int32(SHUT_RDWR))
            ended.leave()
        }
        requests.start()
        answers.start()
        ended.notify(queue: .global()) {
            close(client)
            close(upstream)
        }
    }

    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    private static func withAddress<Result>(
        _ folder: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array((folder + "/.s.PGSQL.5432").utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
