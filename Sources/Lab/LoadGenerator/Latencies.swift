/// How long answers took, in microseconds.
package struct Latencies: Sendable, Equatable {
    private var values: [UInt32] = []
    private var isSorted = true

    package init() {}

    package init(_ values: [UInt32]) {
        self.values = values.sorted()
    }

    package var count: Int { values.count }

    package mutating func record(nanoseconds: Int64) {
        values.append(UInt32(clamping: nanoseconds / 1000))
        isSorted = false
    }

    /// The smallest value that at least this share of all values does not exceed (the nearest rank).
    ///
    /// - Parameter share: from 0 to 1; 0.5 is the median.
    /// - Returns: nil if nothing was recorded.
    package mutating func percentile(_ share: Double) -> UInt32? {
        guard !values.isEmpty else { return nil }
        if !isSorted {
            values.sort()
            isSorted = true
        }
        let rank = Int((share * Double(values.count)).rounded(.up))
        return values[min(max(rank, 1), values.count) - 1]
    }
}
