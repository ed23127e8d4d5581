package import JOSE
internal import Synchronization

/// A store that records the periods in which it saw every use of a credential.
///
/// A missing record proves that a credential was not used only if no record can have been lost. The store keeps the
/// time until which it has watched, and refuses credentials that were issued before an unwatched period
/// (``SpendOutcome/unwatched(_:)``).
package protocol StoreWatch: Sendable {
    /// Records that the store has watched until now.
    ///
    /// Each process calls it every few seconds, and once more when it stops. If the store was not watched since the
    /// last record, the time in between becomes unwatched time in the same commit.
    ///
    /// - Parameter now: The caller's clock. A time before the last record does not change the record.
    /// - Throws: ``StoreError``. The call can always be repeated.
    func watch(at now: NumericDate) async throws(StoreError)

    /// Reads the times that the store keeps, and its clock.
    func watchReading() async throws(StoreError) -> WatchReading

    /// Finds problems of the configuration of a store that works.
    func warnings() async throws(StoreError) -> [StoreWarning]
}

/// The times that a store keeps, and its own clock.
package struct WatchReading: Sendable, Equatable {
    /// The time until which the store has watched; zero if it never has.
    package let watchedUntil: NumericDate
    /// The end of the latest unwatched period; zero if there is none.
    ///
    /// Credentials that were issued earlier may be refused.
    package let unwatchedUntil: NumericDate
    /// The time of the last sweep, which may have deleted records that expired earlier.
    package let sweptThrough: NumericDate
    /// The clock of the store's machine; `nil` if that is the caller's machine.
    package let clock: NumericDate?

    package init(
        watchedUntil: NumericDate, unwatchedUntil: NumericDate, sweptThrough: NumericDate, clock: NumericDate?
    ) {
        self.watchedUntil = watchedUntil
        self.unwatchedUntil = unwatchedUntil
        self.sweptThrough = sweptThrough
        self.clock = clock
    }

    /// Whether a clock that shows `now` was set back, so that the store refuses to spend: ``StoreError/clockBehind``.
    package func isBehind(_ now: NumericDate) -> Bool {
        now + UnwatchedTime.clockTolerance < watchedUntil || now < sweptThrough
    }

    /// Whether a clock that shows `now` is more than a day ahead of the times in the store although the store is watched,
    /// so that it jumped.
    package func isFarBehind(_ now: NumericDate) -> Bool {
        watchedUntil + WatchClock.largestStep < now
    }

    /// Whether what has expired at `now` may be deleted.
    ///
    /// If the clock is wrong, or jumped ahead so that its time is not recorded, what it calls expired is still needed when
    /// it is right again.
    package func allowsDeletion(at now: NumericDate) -> Bool {
        !isClockOff(from: now) && !isBehind(now) && now <= watchedUntil + UnwatchedTime.clockTolerance
    }

    /// Returns the time after which sign-ins are possible again without a repair.
    ///
    /// - Parameter now: A clock that was set back, or that was ahead before.
    /// - Returns: The time; zero or less if the clock is not behind.
    package func wait(from now: NumericDate) -> Duration {
        max(
            .seconds(watchedUntil.seconds - now.seconds) - UnwatchedTime.clockTolerance,
            .seconds(sweptThrough.seconds - now.seconds))
    }

    /// Says what ends ``StoreError/clockBehind``.
    ///
    /// - Parameter now: The clock that was set back, or that was ahead before.
    /// - Returns: One sentence without a full stop.
    package func remedy(at now: NumericDate) -> String {
        let wait =
            "sign-ins are possible again in \(wait(from: now).inWords), when the clock has passed the times in the store"
        return
            "\(wait). If the clock is right now and was ahead before, start once with --new-store instead: everything "
            + "that was issued before is then refused, and users sign in again"
    }

    /// Whether the clock of the store's machine shows another time than `now`, by more than a minute.
    package func isClockOff(from now: NumericDate) -> Bool {
        guard let clock else { return false }
        return now + UnwatchedTime.clockTolerance < clock || clock + UnwatchedTime.clockTolerance < now
    }
}

extension Duration {
    /// The duration for a person, in the largest unit of which it has at least two.
    package var inWords: String {
        let seconds = max(1, components.seconds)
        let units: [(String, Int64)] = [
            ("years", 31_556_952), ("months", 2_629_746), ("days", 86_400), ("hours", 3600), ("minutes", 60),
        ]
        guard let (name, length) = units.first(where: { seconds >= 2 * $0.1 }) else { return "\(seconds) seconds" }
        return "about \(seconds / length) \(name)"
    }
}

/// The settings of a store that watches.
package struct Watching: Sendable {
    package let time: TimeSource
    /// Whether to discard all recorded times and refuse every credential that was issued before now.
    ///
    /// An operator uses it after a clock was ahead for some time.
    package let isAnew: Bool
    private let pause: @Sendable () -> Void

    /// - Parameters:
    ///   - isAnew: Whether to discard all recorded times.
    ///   - pause: Blocks the thread for some seconds.
    package init(_ time: TimeSource, isAnew: Bool = false, pause: @escaping @Sendable () -> Void = {}) {
        self.time = time
        self.isAnew = isAnew
        self.pause = pause
    }

    /// Returns the time for the first record of a process, and blocks the thread if the wall clock may have jumped.
    ///
    /// After a stop of more than a day, the clock is read a second time after a pause, because a recorded time cannot be
    /// taken back. It is believed if it advanced by less than a minute.
    ///
    /// - Parameter reading: The times of the store. Its own clock limits what is recorded, so that a jump of only this
    ///   process's clock does no harm.
    package func confirmedNow(after reading: WatchReading) -> NumericDate {
        var now = time.now()
        guard reading.watchedUntil.seconds > 0, !isAnew else { return now }
        while reading.watchedUntil + WatchClock.largestStep < min(now, reading.clock ?? now) {
            pause()
            let last = now
            now = time.now()
            if last <= now, now < last + UnwatchedTime.clockTolerance { break }
        }
        return now
    }
}

/// Compares the wall clock with a monotonic clock, between two renewals by one process.
///
/// On a slow machine or after a pause of the process, both clocks advance. After a virtual machine was restored to an
/// earlier state, or after the clock was set, only the wall clock advances.
///
/// A wall clock that jumped ahead by more than a day is not believed at once: a recorded time cannot be taken back, and
/// sign-ins would stop until that time came. Until both clocks have advanced equally for a minute, the time is the last
/// believed one and the advance of the monotonic clock.
package final class WatchClock: Sendable {
    private struct Reading {
        let steady: ContinuousClock.Instant
        let wall: NumericDate

        /// The wall clock at a later reading of the monotonic clock, if it was not set meanwhile.
        func expected(at steady: ContinuousClock.Instant) -> NumericDate { wall + self.steady.duration(to: steady) }
    }

    private struct State {
        /// The last believed reading.
        var last: Reading?
        /// The first reading after a jump.
        var jump: Reading?
    }

    private let state = Mutex(State())
    private let steady: @Sendable () -> ContinuousClock.Instant

    package init(steady: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.steady = steady
    }

    /// Returns whether the wall clock jumped ahead, and the jump is not believed yet.
    ///
    /// - Returns: Whether the time of the wall clock must not be recorded.
    package func isInDoubt(at now: NumericDate) -> Bool { time(at: now) != now }

    /// Records a renewal, and compares the advance of both clocks since the previous one.
    ///
    /// - Parameter now: The wall clock.
    /// - Returns: The time to record, and whether the wall clock advanced by less than 10 seconds more than the monotonic
    ///   clock; `false` at the first renewal.
    package func renew(at now: NumericDate) -> (time: NumericDate, isUnbroken: Bool) {
        let reading = Reading(steady: steady(), wall: now)
        return state.withLock { state in
            guard let last = state.last else {
                state.last = reading
                return (now, false)
            }
            let expected = last.expected(at: reading.steady)
            if let time = Self.doubted(reading, after: expected, &state) { return (time, true) }
            state = State(last: reading)
            return (now, now < expected + UnwatchedTime.recordTolerance)
        }
    }

    /// Returns the time to use for a record other than a renewal.
    ///
    /// - Parameter now: The wall clock.
    /// - Returns: `now`, unless it jumped ahead and is not believed yet.
    package func time(at now: NumericDate) -> NumericDate {
        let steady = steady()
        return state.withLock { state in
            guard let expected = state.last?.expected(at: steady), expected + Self.largestStep < now else { return now }
            return expected
        }
    }

    /// Decides about a reading that may be a jump.
    ///
    /// - Returns: The time to use instead; `nil` if the reading is believed.
    private static func doubted(
        _ reading: Reading, after expected: NumericDate, _ state: inout State
    ) -> NumericDate? {
        guard expected + largestStep < reading.wall else { return nil }
        guard let jump = state.jump,
            jump.expected(at: reading.steady).isWithin(UnwatchedTime.recordTolerance, of: reading.wall)
        else {
            state.jump = reading
            return expected
        }
        return jump.steady.duration(to: reading.steady) < agreement ? expected : nil
    }

    /// The largest step of the wall clock that is believed at once.
    package static let largestStep = Duration.seconds(86400)
    /// The time for which both clocks have to advance equally after a jump.
    package static let agreement = Duration.seconds(60)
}

extension NumericDate {
    fileprivate func isWithin(_ tolerance: Duration, of other: NumericDate) -> Bool {
        self <= other + tolerance && other <= self + tolerance
    }
}

/// A period before now in which credentials may have been used without a record in this store.
package enum UnwatchedTime: Sendable, Equatable {
    /// No process has watched since this time, and no commit is missing.
    case since(NumericDate)
    /// Commits may be missing: a credential of any age may have been used by one of them.
    case everythingBefore

    /// The end of the period if the store starts to watch again at `now`.
    ///
    /// If commits may be missing, one of them may be from the second `now`. The period then includes that second.
    package func end(at now: NumericDate) -> NumericDate {
        switch self {
        case .since: now
        case .everythingBefore: now + .seconds(1)
        }
    }

    /// The maximum age of the record of a watched store.
    ///
    /// If it is older, no process watched.
    package static let recordTolerance = Duration.seconds(10)
    /// The time by which a clock may be behind the record.
    package static let clockTolerance = Duration.seconds(60)
    /// The maximum number of periods.
    ///
    /// Older ones are joined with all time before them, so that a server that restarts often does not make every spend
    /// slower.
    package static let periodLimit = 32

    /// Determines the period that was not watched.
    ///
    /// - Parameters:
    ///   - recorded: The time until which the store has watched; zero if it never has.
    ///   - now: The time at which the store watches again.
    /// - Returns: The period, or `nil` if the store has watched all the time.
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

/// The knowledge about the time since a store's last record.
package enum WatchContinuity: Sendable, Equatable {
    /// The store may be an older copy of itself, or a replica that lacks the last commits.
    case broken
    /// No commit is missing, and no process has had the store open since.
    case resumed
    /// No commit is missing. Another process may have watched, in which case the record is recent.
    case shared
    /// This process has had the store open all the time, and its clock was not set.
    case unbroken
}

/// The limits of one sweep.
package enum SweepStep {
    /// Records are kept for this time after they expire, so that a clock that is ahead by less does no harm.
    private static let delay = Duration.seconds(3600)
    /// One sweep advances by at most this time, so that a clock that jumps ahead deletes only few records.
    private static let limit = Duration.seconds(3600)

    /// Determines how far a sweep may advance.
    ///
    /// - Parameter now: The caller's clock.
    /// - Returns: The expiry before which records are deleted; `nil` if a clock is wrong and none may be deleted.
    package static func end(at now: NumericDate, _ reading: WatchReading) -> NumericDate? {
        guard reading.allowsDeletion(at: now) else { return nil }
        return min(now - delay, reading.sweptThrough + limit)
    }
}

/// A warning about a store that works.
package enum StoreWarning: String, Sendable, CaseIterable {
    /// The connection string names several hosts, and a commit waits for no standby.
    case asynchronousReplicas = "asynchronous_replicas"
    /// `synchronous_commit` is below `on` for the server, the database, the role or the connection string.
    case weakSynchronousCommit = "weak_synchronous_commit"

    /// The consequence, and the remedy.
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
