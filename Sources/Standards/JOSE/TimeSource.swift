/// What time it is, as a value: nothing below the command line reads a clock of its own.
package struct TimeSource: Sendable {
    package let now: @Sendable () -> NumericDate
    /// Milliseconds since 1970-01-01T00:00:00Z, for what is written into logs; decisions are made by ``now``.
    package let milliseconds: @Sendable () -> Int64

    /// A clock of whole seconds.
    package init(now: @escaping @Sendable () -> NumericDate) {
        self.now = now
        milliseconds = { now().seconds * 1000 }
    }

    /// A clock of milliseconds.
    package static func precise(_ milliseconds: @escaping @Sendable () -> Int64) -> TimeSource {
        TimeSource(milliseconds: milliseconds)
    }

    private init(milliseconds: @escaping @Sendable () -> Int64) {
        self.milliseconds = milliseconds
        now = {
            let (seconds, rest) = milliseconds().quotientAndRemainder(dividingBy: 1000)
            return NumericDate(rest < 0 ? seconds - 1 : seconds)
        }
    }
}
