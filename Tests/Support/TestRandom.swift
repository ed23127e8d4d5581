package import OAuth
internal import OpenSSL
internal import Synchronization

/// Randomness that is the same in every run, and runs out where a test says so.
package final class TestRandom: Sendable {
    private struct State {
        var calls = 0
        var failingCall: Int?
    }

    private let state = Mutex(State())

    package init() {}

    /// How often somebody asked.
    package var calls: Int { state.withLock { $0.calls } }

    /// The given call from now on fails, counted from 1.
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
