/// How a server is loaded.
package struct LoadPlan: Sendable {
    package enum Pace: Sendable {
        /// Each connection sends its next request when the answer to the one before has come.
        case closed
        /// Requests are sent when they are due. One for which no connection is free waits, and its time counts from when it
        /// was due: otherwise a server that stops answering would also stop being asked, and its slow answers would be few
        /// (coordinated omission).
        case open(rate: Double, spacing: Schedule.Spacing)
    }

    package let port: Int
    package let connections: Int
    package let pace: Pace
    /// How long the server is loaded before anything counts.
    package let warmUp: Duration
    package let length: Duration
    /// The processes of the server, without their children.
    package let server: [Int32]
    /// The processes of its database, if that is another program.
    package let database: [Int32]

    package init(
        port: Int, connections: Int, pace: Pace, warmUp: Duration, length: Duration, server: [Int32], database: [Int32]
    ) {
        self.port = port
        self.connections = connections
        self.pace = pace
        self.warmUp = warmUp
        self.length = length
        self.server = server
        self.database = database
    }
}

/// The reasons why there is no measurement.
package enum LoadError: Error, Equatable {
    case unreadableAnswer
    /// /proc does not tell what a process has taken.
    case unreadableProcess(Int32)
    /// They came to an end before the warm-up did.
    case tooFewRequests
    /// The server does not take connections.
    case noConnection(cause: String)
}
