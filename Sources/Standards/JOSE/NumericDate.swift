/// Whole seconds since 1970-01-01T00:00:00Z, leap seconds not counted (RFC 7519 §2).
package struct NumericDate: Sendable, Hashable, Comparable {
    package let seconds: Int64

    package init(_ seconds: Int64) {
        self.seconds = seconds
    }

    package static func < (earlier: Self, later: Self) -> Bool { earlier.seconds < later.seconds }

    /// The sum in whole seconds: parts of a second are dropped.
    ///
    /// It stays at the far ends of time rather than wrap.
    package static func + (date: Self, duration: Duration) -> Self {
        let (sum, overflows) = date.seconds.addingReportingOverflow(duration.components.seconds)
        guard overflows else { return Self(sum) }
        return Self(duration < .zero ? .min : .max)
    }

    package static func - (date: Self, duration: Duration) -> Self { date + (.zero - duration) }
}
