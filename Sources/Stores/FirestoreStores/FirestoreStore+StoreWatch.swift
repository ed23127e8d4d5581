package import JOSE
internal import OpenSSL
package import Stores
internal import Synchronization

/// What a process knows of the times of the store.
struct WatchState {
    /// The record of the first start, as it was read; `nil` before the first reading, and if the database may be another
    /// one since.
    var record: FirstStart?
    /// The time of the last reading of ``record``.
    var readAt: ContinuousClock.Instant?
    /// Whether the record was made anew by this process, which the operator asked for.
    var isAnew = false
    /// The latest time that this process has seen.
    var watchedUntil = NumericDate(0)
    var sweptThrough = NumericDate(0)
}

/// The record of the first start with a database.
///
/// An acknowledged commit of Firestore is not lost with a machine, and a restored state is always another database, with
/// another identity. Nothing has to be recorded between two starts, therefore.
struct FirstStart: Equatable {
    /// Random octets, which handles carry.
    ///
    /// A handle with others was kept before this record, and is unknown: a use of it may be missing.
    let epoch: [UInt8]
    /// Credentials that were issued earlier are refused.
    let since: NumericDate

    static let name = DocumentName(.meta, id: "first_start")

    /// What holds without a record: no credential with a time of issue is accepted.
    static let none = FirstStart(epoch: [], since: NumericDate(.max))

    init(epoch: [UInt8], since: NumericDate) {
        self.epoch = epoch
        self.since = since
    }

    fileprivate init(_ fields: Fields) throws(StoreError) {
        guard let epoch = fields[bytes: "epoch"], let since = fields[time: "since"] else { throw .corrupt }
        self.init(epoch: epoch, since: since)
    }
}

extension FirestoreStore: StoreWatch {
    /// The age at which the record of the first start and the identity of the database are read again.
    ///
    /// A database that was replaced by a restored one is missing for longer.
    private static let recordAge = Duration.seconds(60)

    // It writes nothing after the first start.
    package func watch(at now: NumericDate) async throws(StoreError) {
        let (time, _) = clock.renew(at: now)
        _ = try await firstStart()
        watch.withLock { $0.watchedUntil = max($0.watchedUntil, time) }
    }

    package func watchReading() async throws(StoreError) -> WatchReading {
        let record = try await firstStart()
        return watch.withLock {
            WatchReading(
                watchedUntil: $0.watchedUntil, unwatchedUntil: record.since, sweptThrough: $0.sweptThrough, clock: nil)
        }
    }

    package func warnings() async throws(StoreError) -> [StoreWarning] { [] }

    /// Returns the record of the first start with this database, and makes it if there is none and the store watches.
    ///
    /// - Throws: ``StoreError``. Nothing may be issued then, because the database may be another one.
    func firstStart() async throws(StoreError) -> FirstStart {
        let began = client.patience.clock()
        let (known, isAnew) = watch.withLock { state -> (FirstStart?, Bool) in
            let isFresh = state.readAt.map { $0.duration(to: began) < Self.recordAge } ?? false
            return (isFresh ? state.record : nil, state.isAnew)
        }
        if let known { return known }
        let identity = try await client.databaseIdentity()
        let mustRenew = watching?.isAnew ?? false && !isAnew
        let record = try await transaction { session async throws(StoreError) -> Outcome<FirstStart> in
            let found = try await session.document(FirstStart.name)
            if let found, !mustRenew, found[text: "database"]?.exactlyEquals(identity) ?? false {
                return .undo(try FirstStart(found))
            }
            guard let watching else { return .undo(.none) }
            // A clock that is ahead must not refuse what is issued until its time has come.
            let now = watching.time.now()
            let start = FirstStart(
                epoch: try FirestoreClient.makeAttempt(),
                since: UnwatchedTime.everythingBefore.end(at: session.time.map { min($0, now) } ?? now))
            var fields = Fields()
            fields[text: "database"] = identity
            fields[bytes: "epoch"] = start.epoch
            fields[time: "since"] = start.since
            session.set(FirstStart.name, fields)
            return .keep(start)
        }
        watch.withLock { state in
            state.record = record
            state.readAt = began
            if mustRenew {
                state.isAnew = true
                state.watchedUntil = NumericDate(0)
            }
        }
        return record
    }

    /// Makes the next call read the record of the first start again, after a call did not find the database.
    func forgetFirstStart(after error: StoreError) {
        guard case .unavailable(.databaseMissing, _) = error else { return }
        watch.withLock { $0.record = nil }
    }

    /// Checks the clock of a call that spends.
    ///
    /// - Parameters:
    ///   - now: The caller's clock.
    ///   - other: Firestore's clock, by which it deletes expired documents; `nil` if it is not known.
    /// - Throws: ``StoreError/clockBehind`` if a record that is needed may already be deleted, or while the clock is in
    ///   doubt.
    func requireClock(_ now: NumericDate, comparedWith other: NumericDate? = nil) throws(StoreError) {
        let isBehind = watch.withLock { state in
            now + UnwatchedTime.clockTolerance < state.watchedUntil || now < state.sweptThrough
        }
        if isBehind || clock.isInDoubt(at: now) { throw .clockBehind }
        if expiresByItself, let other, now + UnwatchedTime.clockTolerance < other { throw .clockBehind }
    }
}
