package import JOSE
internal import Synchronization

/// A token bucket for one kind of signature.
///
/// It is what limits a server that was taken over, so that it is one bucket for all connections and users.
package final class SigningRate: Sendable {
    private let time: TimeSource
    // Integers avoid rounding errors: each second adds `income` to the level, each token costs `price`.
    private let income: Int64
    private let price: Int64
    private let state: Mutex<(level: Int64, at: NumericDate)>
    private var full: Int64 { income * price }

    /// - Parameters:
    ///   - count: The number of tokens in a period; they may be requested all at once.
    ///   - period: Whole seconds.
    package init(count: Int, per period: Duration, time: TimeSource) {
        income = Int64(max(count, 1))
        price = max(period.components.seconds, 1)
        self.time = time
        state = Mutex((level: income * price, at: time.now()))
    }

    /// Takes one token; returns `false` if none is left.
    func take() -> Bool {
        let now = time.now()
        return state.withLock { state in
            // A clock that was set back adds nothing.
            let seconds = min(max(now.seconds - state.at.seconds, 0), price)
            let level = min(full, state.level + seconds * income)
            state = (level, now)
            guard level >= price else { return false }
            state.level = level - price
            return true
        }
    }
}
