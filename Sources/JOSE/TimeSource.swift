/// What time it is, as a value: nothing below the command line reads a clock of its own.
package struct TimeSource: Sendable {
    package let now: @Sendable () -> NumericDate

    package init(now: @escaping @Sendable () -> NumericDate) {
        self.now = now
    }
}
