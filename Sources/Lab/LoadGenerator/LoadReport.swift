/// What a run has measured.
///
/// Times are in microseconds, memory in KiB.
package struct LoadReport: Sendable, Encodable {
    package var connections: Int
    package var seconds: Double
    package var answers: Int
    /// Answers a second.
    package var rate: Double
    package var p50: UInt32?
    package var p99: UInt32?
    package var p999: UInt32?
    package var longest: UInt32?
    /// The answers by status; 0 counts requests that never got one.
    package var statuses: [String: Int]
    /// The first body of each status from 400 on.
    package var refusals: [String: String]
    /// Processor time for each answer.
    package var serverTime: Double?
    package var databaseTime: Double?
    package var generatorTime: Double?
    package var memory: Int?
    package var peakMemory: Int?
}
