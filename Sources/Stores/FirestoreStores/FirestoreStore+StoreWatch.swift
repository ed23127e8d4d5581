package import JOSE
package import Stores
internal import Synchronization

/// What a process knows of the times of the store.
struct WatchState {
    /// The record of the first start, as it was read; `nil` before the first reading, and if the database may be another
    /// one since.
    var record: FirstStart?
    /// The time of the last reading of ``record``.
    var readAt: ContinuousClock.Instant?
    /// The reading that runs, with its number; every call that needs the record waits for it.
    var reading: (number: Int, began: ContinuousClock.Instant, task: Task<Result<FirstStart, StoreError>, Never>)?
    var readings = 0
    /// Firestore's clock at the last reading of ``record``; `nil` for the emulator, whose clock is this machine's.
    var heard: (time: NumericDate, at: ContinuousClock.Instant)?
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
        // If the clock is ahead, sign-ins would otherwise stop after it was set right, until that time comes.
        let limit = firestoreTime ?? time
        watch.withLock { $0.watchedUntil = max($0.watchedUntil, min(time, limit)) }
    }

    package func watchReading() async throws(StoreError) -> WatchReading {
        let record = try await firstStart()
        let time = firestoreTime
        return watch.withLock {
            WatchReading(
                watchedUntil: $0.watchedUntil, unwatchedUntil: record.since, sweptThrough: $0.sweptThrough, clock: time)
        }
    }

    /// Firestore's clock, from its last reading and the monotonic clock; `nil` before it, and for the emulator.
    private var firestoreTime: NumericDate? {
        let now = client.patience.clock()
        return watch.withLock { $0.heard.map { $0.time + $0.at.duration(to: now) } }
    }

    package func warnings() async throws(StoreError) -> [StoreWarning] { [] }

    /// Returns the record of the first start with this database, and makes it if there is none and the store watches.
    ///
    /// - Throws: ``StoreError``. Nothing may be issued then, because the database may be another one.
    func firstStart() async throws(StoreError) -> FirstStart {
        let began = client.patience.clock()
        let (known, task) = watch.withLock { state -> (FirstStart?, Task<Result<FirstStart, StoreError>, Never>?) in
            if let readAt = state.readAt, readAt.duration(to: began) < Self.recordAge, let record = state.record {
                return (record, nil)
            }
            // A platform may stop the process between two requests, in the middle of a reading: its connection is then gone.
            if let reading = state.reading, reading.began.duration(to: began) < client.patience.budget {
                return (nil, reading.task)
            }
            state.readings += 1
            let number = state.readings
            let mustRenew = watching?.isAnew ?? false && !state.isAnew
            let task = Task.detached { await self.readFirstStart(number, from: began, anew: mustRenew) }
            state.reading = (number, began, task)
            return (nil, task)
        }
        if let known { return known }
        guard let task else { throw .unavailable(.other) }
        return try await task.value.get()
    }

    private func readFirstStart(
        _ number: Int, from began: ContinuousClock.Instant, anew mustRenew: Bool
    ) async -> Result<FirstStart, StoreError> {
        let result: Result<(record: FirstStart, time: NumericDate?), StoreError>
        do throws(StoreError) {
            result = .success(try await recordedFirstStart(anew: mustRenew))
        } catch {
            result = .failure(error)
        }
        let ended = client.patience.clock()
        return watch.withLock { state in
            // After an answer that the database does not exist, an earlier reading may be of another database.
            let isCurrent = state.reading?.number == number
            if isCurrent { state.reading = nil }
            if isCurrent, case .success(let (record, time)) = result {
                state.record = record
                state.readAt = began
                state.heard = time.map { ($0, ended) }
                // The sweep advances by an hour at a time, and would need years from zero.
                if !expiresByItself, record != .none {
                    state.sweptThrough = max(state.sweptThrough, record.since - .seconds(3600))
                }
                if mustRenew {
                    state.isAnew = true
                    state.watchedUntil = NumericDate(0)
                }
            }
            return result.map(\.record)
        }
    }

    /// Reads the record of the first start, or makes it.
    ///
    /// - Returns: The record, and Firestore's clock; `nil` for the emulator.
    private func recordedFirstStart(
        anew mustRenew: Bool
    ) async throws(StoreError) -> (record: FirstStart, time: NumericDate?) {
        let identity: Result<String, StoreError>
        do throws(StoreError) {
            identity = .success(try await client.databaseIdentity())
        } catch .unavailable(.privilegeMissing, let cause) {
            identity = .failure(.unavailable(.privilegeMissing, cause: cause))
        }
        let name = client.place.name
        return try await transaction { session async throws(StoreError) -> Outcome<(FirstStart, NumericDate?)> in
            let found = try await session.document(FirstStart.name)
            let time = self.expiresByItself ? session.time : nil
            let recorded = found?[text: "database"]
            // The name stands in for an identity that no server has read. It must not replace one that was read, because
            // the name of a restored database may be the same.
            if case .failure(let error) = identity, !mustRenew, let recorded, !recorded.exactlyEquals(name) {
                throw error
            }
            let present = (try? identity.get()) ?? name
            if let found, !mustRenew, recorded?.exactlyEquals(present) ?? false {
                return .undo((try FirstStart(found), time))
            }
            guard let watching = self.watching else { return .undo((.none, time)) }
            // The clocks of several servers may differ. With an early one, a use before the restore could be repeated.
            guard let now = self.expiresByItself ? time : watching.time.now()
            else { throw .unavailable(.noAnswer, cause: "the answer of Firestore has no time") }
            let start = FirstStart(
                epoch: try FirestoreClient.makeAttempt(), since: UnwatchedTime.everythingBefore.end(at: now))
            var fields = Fields()
            fields[text: "database"] = present
            fields[bytes: "epoch"] = start.epoch
            fields[time: "since"] = start.since
            session.set(FirstStart.name, fields)
            return .keep((start, time))
        }
    }

    /// Makes the next call read the record of the first start again, after a call did not find the database.
    func forgetFirstStart(after error: StoreError) {
        guard case .unavailable(.databaseMissing, _) = error else { return }
        watch.withLock { state in
            state.record = nil
            state.reading = nil
        }
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
        for time in [expiresByItself ? other : nil, firestoreTime].compactMap(\.self)
        where now + UnwatchedTime.clockTolerance < time {
            throw .clockBehind
        }
    }
}
