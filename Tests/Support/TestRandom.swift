internal import OpenSSL
package import Standards
internal import Synchronization

/// A random source that returns the same octets in every run, and fails on request.
package final class TestRandom: Sendable {
    private struct State {
        var calls = 0
        var failingCall: Int?
    }

    private let state = Mutex(State())

    package init() {}

    /// The number of calls so far.
    package var calls: Int { state.withLock { $0.calls } }

    /// Makes a later call fail; 1 is the next call.
    package func fail(atCall call: Int) {
        state.withLock { $0.failingCall = $0.calls + call }
    }

    package var source: RandomSource {
        RandomSource { count throws(RandomFailure) in try self.bytes(count) }
    }

    private func bytes(_ count: Int) throws(RandomFailure) -> [UInt8] {
        let call = try state.withLock { state throws(RandomFailure) in
            state.calls += 1
            guard state.calls != state.failingCall else { throw RandomFailure() }
            return state.calls
        }
        var bytes: [UInt8] = []
        while bytes.count < count {
            bytes += SHA256.hash(Array("test random \(call) \(bytes.count)".utf8))
        }
        return Array(bytes.prefix(count))
    }
}
