extension Duration {
    /// Whole milliseconds, rounded up and at least one: libcurl takes zero for "no limit".
    var atLeastOneMillisecond: Int {
        let (seconds, attoseconds) = components
        let milliseconds = Int(clamping: seconds).multipliedReportingOverflow(by: 1000)
        guard !milliseconds.overflow else { return seconds < 0 ? 1 : Int(Int32.max) }
        let part = Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        return min(max(1, milliseconds.partialValue.addingReportingOverflow(part).partialValue), Int(Int32.max))
    }

    /// Whole seconds, and at least one.
    var atLeastOneSecond: Int {
        min(max(1, Int(clamping: components.seconds)), Int(Int32.max))
    }
}
