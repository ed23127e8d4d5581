import Synchronization
import Testing
import Transport

@Suite("Circuit breaker")
struct CircuitBreakerTests {
    private static let failures: [Peer.Answer] = [
        .status(502), .status(503), .status(504), .error(.unreachable(host: "a")), .error(.untrusted(host: "a")),
        .error(.timedOut(host: "a", requestSent: true)), .error(.interrupted(host: "a")), .error(.notHTTP(host: "a")),
        .error(.proxyFailed(proxy: "p:3128", host: "a", status: 407)),
    ]
    private static let answers: [Peer.Answer] = [
        .status(200), .status(400), .status(401), .status(429), .status(500), .error(.tooLarge(host: "a")),
        .error(.refusedURL), .error(.overloaded(host: "a")), .error(.cancelled(requestSent: true)),
    ]

    @Test("Every kind of failure opens the circuit at the maximum, and the peer is not called", arguments: failures)
    func opens(failure: Peer.Answer) async {
        let peer = Peer(failure)
        for _ in 0..<3 { #expect(await peer.call() == failure) }
        #expect(await peer.call() == .error(.circuitOpen(peer: "op", retryAfter: 5)))
        #expect(peer.calls == 3)
    }

    @Test("Other answers and errors never open it", arguments: answers)
    func staysClosed(answer: Peer.Answer) async {
        let peer = Peer(answer)
        for _ in 0..<10 { #expect(await peer.call() == answer) }
        #expect(peer.calls == 10)
    }

    @Test("A response between failures begins the count again")
    func success() async {
        let peer = Peer(.status(503))
        for answer in [.status(503), .status(503), .status(400), .status(503), .status(503)] as [Peer.Answer] {
            peer.answer = answer
            #expect(await peer.call() == answer)
        }
        #expect(await peer.call() == .status(503))
        #expect(await peer.call() == .error(.circuitOpen(peer: "op", retryAfter: 5)))
    }

    @Test("After five seconds one call is tried, and its answer closes the circuit")
    func closes() async {
        let peer = Peer(.status(503))
        for _ in 0..<3 { _ = await peer.call() }
        peer.advance(.milliseconds(4001))
        #expect(await peer.call() == .error(.circuitOpen(peer: "op", retryAfter: 1)))
        peer.advance(.milliseconds(999))
        peer.answer = .status(200)
        for _ in 0..<2 { #expect(await peer.call() == .status(200)) }
    }

    @Test("Each failed trial doubles the pause up to one minute")
    func doubles() async {
        let peer = Peer(.status(503))
        for _ in 0..<3 { _ = await peer.call() }
        for pause in [5, 10, 20, 40, 60, 60] {
            #expect(await peer.call() == .error(.circuitOpen(peer: "op", retryAfter: pause)))
            peer.advance(.seconds(pause))
            #expect(await peer.call() == .status(503))
        }
    }

    @Test("While one call is tried, others are stopped; if it is cancelled, the next one is tried")
    func oneTrial() async {
        let peer = Peer(.status(503))
        for _ in 0..<3 { _ = await peer.call() }
        peer.advance(.seconds(5))
        let second = Mutex<Peer.Answer?>(nil)
        peer.answer = .error(.cancelled(requestSent: true))
        let first = await peer.call(during: {
            let answer = await peer.call()
            second.withLock { $0 = answer }
        })
        #expect(first == .error(.cancelled(requestSent: true)))
        #expect(second.withLock { $0 } == .error(.circuitOpen(peer: "op", retryAfter: 1)))
        peer.answer = .status(200)
        #expect(await peer.call() == .status(200))
    }

    @Test("Another kind of call, another peer, and a call that the rule excludes have circuits of their own")
    func separate() async {
        let peer = Peer(.status(503))
        for _ in 0..<3 { _ = await peer.call() }
        for queue in [CallQueue("op", "user"), CallQueue("other", "token")] {
            #expect(await peer.call(queue) == .status(503))
        }
        for _ in 0..<9 {
            #expect(await peer.call(CallQueue("op", "document")) == .status(503))
            #expect(await peer.call(nil) == .status(503))
        }
    }
}

/// A peer behind a breaker that opens after three failures, and a clock that the test advances.
final class Peer: Sendable {
    enum Answer: Equatable, Sendable {
        case status(Int)
        case error(TransportError)
    }

    private final class Script: Sendable {
        let state: Mutex<(answer: Answer, calls: Int, during: (@Sendable () async -> Void)?)>
        let time = Mutex(ContinuousClock.now)

        init(_ answer: Answer) {
            state = Mutex((answer, 0, nil))
        }
    }

    private let script: Script
    private let transport: HTTPTransport

    init(_ answer: Answer) {
        let script = Script(answer)
        self.script = script
        let breaker = CircuitBreaker(maximumFailures: 3) { script.time.withLock { $0 } }
        let transport = HTTPTransport { _ throws(TransportError) in
            let (answer, during) = script.state.withLock { state in
                state.calls += 1
                defer { state.during = nil }
                return (state.answer, state.during)
            }
            await during?()
            switch answer {
            case .status(let status): return OutboundResponse(status: status)
            case .error(let error): throw error
            }
        }
        self.transport = breaker.protecting(transport) { $0.call != "document" }
    }

    /// How many calls reached the peer.
    var calls: Int { script.state.withLock { $0.calls } }

    var answer: Answer {
        get { script.state.withLock { $0.answer } }
        set { script.state.withLock { $0.answer = newValue } }
    }

    func advance(_ duration: Duration) {
        script.time.withLock { $0 += duration }
    }

    /// Sends a request.
    ///
    /// - Parameter body: Runs while the peer has the call.
    func call(
        _ queue: CallQueue? = CallQueue("op", "token"), during body: (@Sendable () async -> Void)? = nil
    ) async -> Answer {
        script.state.withLock { $0.during = body }
        var request = OutboundRequest(.get, "https://a.example/token", timeout: .seconds(1))
        request.queue = queue
        do throws(TransportError) {
            return .status(try await transport.send(request).status)
        } catch {
            return .error(error)
        }
    }
}
