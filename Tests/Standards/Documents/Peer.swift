import Synchronization
import Transport

/// A peer whose responses the test gives, at the time of its choice.
final class Peer: Sendable {
    private struct State {
        var requests: [OutboundRequest] = []
        var prepared: [Result<OutboundResponse, TransportError>] = []
        var unanswered: [Int: CheckedContinuation<Result<OutboundResponse, TransportError>, Never>] = [:]
        var cancelled = 0
        var waiting: [(condition: @Sendable (Int, Int) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func ready() -> [CheckedContinuation<Void, Never>] {
            let (asked, cancelled) = (requests.count, cancelled)
            defer { waiting.removeAll { $0.condition(asked, cancelled) } }
            return waiting.filter { $0.condition(asked, cancelled) }.map(\.continuation)
        }
    }

    private let state = Mutex(State())

    var requests: [OutboundRequest] { state.withLock(\.requests) }

    var transport: HTTPTransport {
        HTTPTransport { request throws(TransportError) in try await self.receive(request).get() }
    }

    /// Sets the response to the next request without one.
    func prepare(_ answer: Result<OutboundResponse, TransportError>) {
        state.withLock { $0.prepared.append(answer) }
    }

    func prepare(_ body: String, status: Int = 200, header: [HeaderField] = []) {
        prepare(.success(OutboundResponse(status: status, header: header, body: Array(body.utf8))))
    }

    /// Responds to a waiting request; the first request has number 1.
    func answer(_ number: Int, _ body: String) {
        let continuation = state.withLock { $0.unanswered.removeValue(forKey: number) }
        continuation?.resume(returning: .success(OutboundResponse(status: 200, body: Array(body.utf8))))
    }

    /// Returns when at least `times` requests were received.
    func isAsked(times: Int) async {
        await reaches { asked, _ in asked >= times }
    }

    /// Returns when at least `number` requests were cancelled.
    func seesCancellations(_ number: Int) async {
        await reaches { _, cancelled in cancelled >= number }
    }

    private func reaches(_ condition: @escaping @Sendable (Int, Int) -> Bool) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.waiting.append((condition, continuation))
                return state.ready()
            }
            for continuation in ready { continuation.resume() }
        }
    }

    private func receive(_ request: OutboundRequest) async -> Result<OutboundResponse, TransportError> {
        let number = Mutex(0)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (prepared, ready) = state.withLock { state in
                    state.requests.append(request)
                    number.withLock { $0 = state.requests.count }
                    let prepared = state.prepared.isEmpty ? nil : state.prepared.removeFirst()
                    if prepared == nil { state.unanswered[state.requests.count] = continuation }
                    return (prepared, state.ready())
                }
                if let prepared { continuation.resume(returning: prepared) }
                for continuation in ready { continuation.resume() }
            }
        } onCancel: {
            let (continuation, ready) = state.withLock { state in
                state.cancelled += 1
                return (state.unanswered.removeValue(forKey: number.withLock { $0 }), state.ready())
            }
            continuation?.resume(returning: .failure(.cancelled(requestSent: true)))
            for continuation in ready { continuation.resume() }
        }
    }
}
