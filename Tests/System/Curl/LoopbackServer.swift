import Curl
import Foundation

/// An HTTP/1.1 server on 127.0.0.1 that does what a test says, one thread per connection.
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

    /// Runs the script for each connection, and closes the connection when it returns.
    init(_ script: @escaping Script) throws {
        (listener, port) = try Sockets.listenOnFreePort()
        Thread.detachNewThread { [listener, weak self] in
            // The number of the listener is never given back: a late `stop` would shut down whoever had it next.
            while let connection = Sockets.next(listener), let self {
                self.change { state in
                    state.accepted += 1
                    state.open.append(connection)
                }
                Thread.detachNewThread {
                    script(LoopbackConnection(socket: connection, server: self))
                    // First forgotten, then closed: the number may be another connection's at once.
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

    /// Returns when the tally is such; a test that waits in vain runs into its time limit.
    func reaches(_ condition: @escaping @Sendable (Tally) -> Bool) async {
        await withCheckedContinuation { continuation in
            change { $0.waiting.append((condition, continuation)) }
        }
    }

    /// Accepts no further connection, and ends those that are open.
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
