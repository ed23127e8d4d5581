package import JOSE

/// The time before now in which credentials may have been used without a trace in this store.
package enum UnwatchedTime: Sendable, Equatable {
    /// No process watched from then on, and nothing that was committed is missing.
    case since(NumericDate)
    /// Commits may be missing: a credential of any age may have been used by one of them.
    case everythingBefore

    /// When it ends, given when the store watches again.
    ///
    /// If commits may be missing, one of them may be of the very second in which the store watches again.
    package func end(at now: NumericDate) -> NumericDate {
        switch self {
        case .since: now
        case .everythingBefore: now + .seconds(1)
        }
    }

    /// A record that is older was not renewed in time, so that no process watched.
    package static let recordTolerance = Duration.seconds(10)
    /// By so much a clock may lie before the record.
    package static let clockTolerance = Duration.seconds(60)
    /// If there are more periods, the older ones are joined, and with all that was before them, so that a server that
    /// starts again and again does not make every spend slower.
    package static let periodLimit = 32

    /// Tells what has to be refused from now on.
    ///
    /// - Parameters:
    ///   - recorded: until when the store has watched; zero if it never has.
    ///   - now: when it watches again.
    ///   - continuity: what the caller knows about the time in between.
    /// - Returns: nil if the store has watched all the time.
    package static func between(
        _ recorded: NumericDate, and now: NumericDate, _ continuity: WatchContinuity
    ) -> UnwatchedTime? {
        guard recorded.seconds > 0 else { return .everythingBefore }
        switch continuity {
        case .broken: return .everythingBefore
        case .resumed: return recorded < now ? .since(recorded) : nil
        case .shared: return recorded + recordTolerance < now ? .since(recorded) : nil
        case .unbroken: return nil
        }
    }
}

/// What is known about the time since a store's last record.
package enum WatchContinuity: Sendable, Equatable {
    /// The store may be an older copy of itself, or a replica that lacks the last commits.
    case broken
    /// Nothing is missing, and no process had the store open since.
    case resumed
    /// Nothing is missing. Another process may have watched; then the record is fresh.
    case shared
    /// This process has had the store open all the time, and its clock was not set.
    case unbroken
}
