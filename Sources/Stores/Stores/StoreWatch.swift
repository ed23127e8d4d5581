package import JOSE
internal import Synchronization

/// A store that knows when it was there to see what is used.
///
/// A record that is not there proves that a credential was not used only if no record can have been lost. The store
/// keeps until when it has watched, and refuses what was issued before a time that it did not watch
/// (``SpendOutcome/unwatched(_:)``).
package protocol StoreWatch: Sendable {
    /// Records that the store has watched until now.
    ///
    /// Each process calls it every few seconds, and once more when it stops. If the store was not watched since the
    /// last record, the time in between becomes unwatched time in the same commit.
    ///
    /// - Parameter now: the caller's clock. The record never goes back.
    /// - Throws: ``StoreError``; it may be called again in any case.
    func watch(at now: NumericDate) async throws(StoreError)

    /// What the store says about clocks.
    func watchReading() async throws(StoreError) -> WatchReading

    /// What an operator should know about how the store is set up, although it works.
    func warnings() async throws(StoreError) -> [StoreWarning]
}

/// The times that a store keeps, and its own clock.
package struct WatchReading: Sendable, Equatable {
    /// The store has watched until then; zero if it never has.
    package let watchedUntil: NumericDate
    /// The end of the latest time that was not watched; zero if there is none.
    ///
    /// What was issued earlier may be refused.
    package let unwatchedUntil: NumericDate
    /// Records that expired earlier are forgotten.
    package let sweptThrough: NumericDate
    /// The clock of the machine that the store is on; nil if that is the caller's machine.
    package let clock: NumericDate?

    package init(
        watchedUntil: NumericDate, unwatchedUntil: NumericDate, sweptThrough: NumericDate, clock: NumericDate?
    ) {
        self.watchedUntil = watchedUntil
        self.unwatchedUntil = unwatchedUntil
        self.sweptThrough = sweptThrough
        self.clock = clock
    }

    /// Whether a clock that shows `now` was set back, so that the store takes nothing: ``StoreError/clockBehind``.
    package func isBehind(_ now: NumericDate) -> Bool {
        now + UnwatchedTime.clockTolerance < watchedUntil || now < sweptThrough
    }

    /// Whether the clock of the store's machine shows another time than `now`, by more than a minute.
    package func isClockOff(from now: NumericDate) -> Bool {
        guard let clock else { return false }
        return now + UnwatchedTime.clockTolerance < clock || clock + UnwatchedTime.clockTolerance < now
    }
}

/// Makes an open store one that watches.
package struct Watching: Sendable {
    package let time: TimeSource
    /// Whether everything that the store has recorded of clocks is void, and everything issued before now is refused.
    ///
    /// It is the way out after a clock was ahead for a while.
    package let isAnew: Bool

    package init(_ time: TimeSource, isAnew: Bool = false) {
        self.time = time
        self.isAnew = isAnew
    }
}

/// Compares the wall clock with one that is never set, between two renewals by one process.
///
/// A machine that is slow, or a process that was stopped, sees both advance. After a virtual machine was put back to an
/// earlier state, or after the clock was set, only the wall clock does.
package final class WatchClock: Sendable {
    private let last = Mutex<(steady: ContinuousClock.Instant, wall: NumericDate)?>(nil)

    package init() {}

    /// Remembers a renewal, and returns whether both clocks advanced alike since the one before.
    ///
    /// - Parameter now: the wall clock.
    /// - Returns: false at the first renewal.
    package func renew(at now: NumericDate) -> Bool {
        let steady = ContinuousClock.now
        return last.withLock { last in
            defer { last = (steady, now) }
            guard let last else { return false }
            let passed = last.steady.duration(to: steady)
            return now < last.wall + passed + UnwatchedTime.recordTolerance
        }
    }
}

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

/// How far one sweep may go.
package enum SweepStep {
    /// A clock that is ahead by less than this does no harm: what expired later is kept.
    private static let delay = Duration.seconds(3600)
    /// A clock that jumps ahead for a minute makes the store forget no more than the records of this time.
    private static let limit = Duration.seconds(3600)

    /// - Parameters:
    ///   - now: the caller's clock.
    ///   - reading: what the store says about clocks.
    /// - Returns: until when expired records are forgotten; nil if none may be, since a clock is wrong.
    package static func end(at now: NumericDate, _ reading: WatchReading) -> NumericDate? {
        guard !reading.isClockOff(from: now), !reading.isBehind(now) else { return nil }
        return min(now - delay, reading.sweptThrough + limit)
    }
}

/// What an operator should know about a store that works.
package enum StoreWarning: String, Sendable, CaseIterable {
    /// Several hosts are named, and the server waits for no standby.
    case asynchronousReplicas = "asynchronous_replicas"
    /// `synchronous_commit` is below `on` for the server, the database, the role or the connection string.
    case weakSynchronousCommit = "weak_synchronous_commit"

    /// What can happen, and what to do.
    package var advice: String {
        switch self {
        case .asynchronousReplicas:
            "the connection string names several hosts, and synchronous_standby_names is empty: a failover can lose links, "
                + "unlinks and deleted accounts that were confirmed. Credentials are still good for one use. Set "
                + "synchronous_standby_names"
        case .weakSynchronousCommit:
            "synchronous_commit is below on: this program sets it to on for its own sessions, but other programs can lose "
                + "confirmed commits at a failover. Set synchronous_commit to on"
        }
    }
}
