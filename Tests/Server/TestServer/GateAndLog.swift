import Logging
import Synchronization
import Transport

/// Every line that was logged, at every level.
final class LogMemory: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }
    var text: String { lines.joined(separator: "\n") }

    var logger: Logger {
        Logger(label: "server") { _ in Handler(memory: self) }
    }

    private struct Handler: LogHandler {
        let memory: LogMemory
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            memory.kept.withLock { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}

/// A transport to the providers that holds requests back until a test releases them.
final class Gate: Sendable {
    private struct State {
        var isShut = false
        var held: [CheckedContinuation<Void, Never>] = []
        var witnesses: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func transport(over transport: HTTPTransport, timeout: Duration) -> HTTPTransport {
        HTTPTransport { request throws(TransportError) in
            await self.pass()
            var request = request
            request.timeout = min(request.timeout, timeout)
            return try await transport.send(request)
        }
    }

    func shut() {
        state.withLock { $0.isShut = true }
    }

    func open() {
        let held = state.withLock { state in
            state.isShut = false
            defer { state.held = [] }
            return state.held
        }
        for call in held { call.resume() }
    }

    /// Returns once a request waits at the closed gate.
    func isReached() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if !state.held.isEmpty { return true }
                state.witnesses.append(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func pass() async {
        await withCheckedContinuation { call in
            let woken: [CheckedContinuation<Void, Never>] = state.withLock { state in
                guard state.isShut else { return [call] }
                state.held.append(call)
                defer { state.witnesses = [] }
                return state.witnesses
            }
            for one in woken { one.resume() }
        }
    }
}
