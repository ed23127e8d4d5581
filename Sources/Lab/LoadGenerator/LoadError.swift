/// The reasons why there is no measurement.
package enum LoadError: Error, Equatable {
    case unreadableAnswer
    /// /proc does not tell what a process has taken.
    case unreadableProcess(Int32)
    /// They came to an end before the warm-up did.
    case tooFewErrands
    /// The server does not take connections.
    case noConnection(cause: String)
}
