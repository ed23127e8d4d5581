/// The plan of a measurement.
package struct LoadPlan: Sendable {
    package enum Pace: Sendable {
        /// Each connection sends its next request after the response to the previous one.
        case closed
        /// Requests are sent when they are due. If no connection is free, a request waits, and its time counts from the
        /// time at which it was due. Otherwise a server that stalls would receive fewer requests, and its slow
        /// responses would be counted too rarely (coordinated omission).
        case open(rate: Double, spacing: Schedule.Spacing)
    }

    package let port: Int
    package let connections: Int
    package let pace: Pace
    /// The time under load before the measurement starts.
    package let warmUp: Duration
    package let length: Duration
    /// The processes of the server, without their children.
    package let server: [Int32]
    /// The processes of its database, if it has processes of its own.
    package let database: [Int32]
}

/// The reasons why a measurement failed.
package enum LoadError: Error, Equatable {
    case unreadableAnswer
    /// The processor time of this process cannot be read from /proc.
    case unreadableProcess(Int32)
    /// The workload was finished before the warm-up.
    case tooFewRequests
    /// The server accepts no connections.
    case noConnection(cause: String)
}
