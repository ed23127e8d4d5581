/// The result of a measurement.
///
/// Times are in microseconds, memory in KiB.
package struct LoadReport: Sendable, Encodable {
    package var connections: Int
    package var seconds: Double
    package var answers: Int
    /// Responses per second.
    package var rate: Double
    package var p50: UInt32?
    package var p99: UInt32?
    package var p999: UInt32?
    package var longest: UInt32?
    /// The number of responses by status; 0 counts requests without a response.
    package var statuses: [String: Int]
    /// The first body of each status from 400 on.
    package var refusals: [String: String]
    /// Processor time per response.
    package var serverTime: Double?
    package var databaseTime: Double?
    package var generatorTime: Double?
    package var memory: Int?
    package var peakMemory: Int?
}

/// Response times in microseconds.
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
    /// - Parameter share: A number from 0 to 1; 0.5 is the median.
    /// - Returns: A time in microseconds, or `nil` if nothing was recorded.
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
