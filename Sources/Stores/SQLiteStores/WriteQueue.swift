internal import DequeModule
internal import Dispatch
internal import Foundation
internal import GRDB
internal import Glibc
internal import Stores
internal import Synchronization

/// The queue of the only connection that writes, which one thread serves.
///
/// The thread is always the same one. Dispatch would take another of its threads for each commit, whose memory is in no cache.
///
/// Waiting jobs, at most 256, are written in one transaction, and no caller is resumed before it is durable.
///
/// A commit waits for the disk, which takes as long for a hundred records as for one. So after a commit of several jobs
/// the queue waits for as long as the commit took, at most 2 ms, to collect jobs for the next one. The queue has no
/// limit of its own: the number of jobs is bounded by the number of requests in progress.
///
/// Short reads run between two transactions, where they see only committed data. On another connection they would have
/// to read their pages again after each commit.
final class WriteQueue: Sendable {
    private struct State {
        var reads: [@Sendable (Database) -> Void] = []
        var writes: Deque<WriteJob> = []
        var isDraining = false
        /// The error of the latest transaction; `nil` if it succeeded.
        var latestFailure: StoreError?
    }

    private static let batchLimit = 256
    /// The maximum delay before the next batch.
    ///
    /// A commit that takes longer waits for a busy disk, and a larger batch would not help.
    private static let longestGathering: Duration = .milliseconds(2)
    /// Jobs that have not begun after this time are refused: their clients may have disconnected, and their credentials
    /// would be spent in vain.
    private static let patience: Duration = .seconds(8)

    private let meters: StoreMeters
    private let database: any DatabaseWriter
    private let isInPlace: @Sendable () -> Bool
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())
    /// Is signaled when the first job arrives in an empty queue, and at the end.
    private let arrival = DispatchSemaphore(value: 0)

    /// Makes an empty queue, and starts its thread, which ends with the queue.
    ///
    /// - Parameters:
    ///   - database: The database; nothing else may write to it in this process.
    ///   - isInPlace: Whether the open file is still the one at its path, where the next start finds it.
    ///   - meters: Measures each call and each commit.
    init(
        _ database: any DatabaseWriter, isInPlace: @escaping @Sendable () -> Bool, meters: StoreMeters,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.database = database
        self.meters = meters
        self.isInPlace = isInPlace
        self.now = now
        let thread = Thread { [weak self, arrival] in
            while true {
                arrival.wait()
                guard let queue = self else { return }
                queue.database.writeWithoutTransaction { queue.drain($0) }
            }
        }
        thread.name = "store"
        thread.start()
    }

    deinit { arrival.signal() }

    /// Runs `body` in a transaction that it shares with others, and returns after the commit.
    ///
    /// Cancelling the task has no effect: a caller that spends must learn the outcome.
    ///
    /// - Parameters:
    ///   - isOneStatement: Whether `body` writes with at most one statement, and returns `undo` only if that wrote
    ///     nothing. Then it needs no savepoint.
    ///   - body: The work. If it throws, only its own writes are rolled back.
    /// - Returns: The value of `body`, durable if it is kept.
    /// - Throws: The error of `body`, or of the whole transaction; ``StoreError/unavailable(_:cause:)`` if the job waited too
    ///   long.
    func write<Value: Sendable>(
        isOneStatement: Bool = false, _ body: @escaping @Sendable (Database) throws -> Outcome<Value>
    ) async throws(StoreError) -> Value {
        let began = now()
        defer { meters.record(now() - began) }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            let job = WriteJob(began: began, isOneStatement: isOneStatement, body) {
                continuation.resume(returning: $0)
            }
            add { $0.writes.append(job) }
        }
        return try result.get()
    }

    /// Runs `body` between two write transactions.
    ///
    /// `body` must be a single reading statement.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let began = ContinuousClock.now
        defer { meters.record(ContinuousClock.now - began) }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            add {
                $0.reads.append { db in
                    continuation.resume(returning: Result { try body(db) }.mapError { StoreError($0) })
                }
            }
        }
        return try result.get()
    }

    /// The number of jobs that no transaction has taken yet.
    var waitingJobs: Int { state.withLock { $0.writes.count + $0.reads.count } }

    private func add(_ append: (inout State) -> Void) {
        let wasDraining = state.withLock { state in
            append(&state)
            defer { state.isDraining = true }
            return state.isDraining
        }
        if !wasDraining { arrival.signal() }
    }

    /// Keeps the connection until the queue is empty.
    private func drain(_ db: Database) {
        while let (reads, writes) = next() {
            if !reads.isEmpty { Self.serve(reads, db) }
            guard !writes.isEmpty else { continue }
            let began = now()
            commit(writes, db)
            guard writes.count > 1 else { continue }
            // Jobs that arrive during a commit are written by the next one. If jobs come in groups, waiting for the
            // duration of one commit halves the number of commits and delays no job by more than one commit.
            usleep(UInt32(min(now() - began, Self.longestGathering) / .microseconds(1)))
        }
    }

    private func next() -> (reads: [@Sendable (Database) -> Void], writes: [WriteJob])? {
        state.withLock { state in
            guard !state.reads.isEmpty || !state.writes.isEmpty else {
                state.isDraining = false
                return nil
            }
            let batch = Array(state.writes.prefix(Self.batchLimit))
            state.writes.removeFirst(batch.count)
            defer { state.reads = [] }
            return (state.reads, batch)
        }
    }

    private static func serve(_ reads: [@Sendable (Database) -> Void], _ db: Database) {
        // Several reads share one lock. If it cannot be taken, each read reports the error itself.
        if reads.count > 1 { try? db.cachedStatement(sql: "BEGIN").execute() }
        for read in reads { read(db) }
        guard db.isInsideTransaction else { return }
        do { try db.cachedStatement(sql: "COMMIT").execute() } catch { try? db.rollback() }
    }

    private func commit(_ waiting: [WriteJob], _ db: Database) {
        let oldest = now() - Self.patience
        // If jobs waited because nothing could be written, report that failure and not an overload.
        let refusal = state.withLock(\.latestFailure) ?? .unavailable(.overloaded)
        for job in waiting where job.began < oldest { job.fail(refusal) }
        let batch = waiting.filter { $0.began >= oldest }
        guard !batch.isEmpty else { return }
        // Writes to a deleted or replaced file succeed and are lost when the process ends. Used credentials could then
        // be used again.
        guard isInPlace() else {
            return fail(batch, .unavailable(.cannotOpen))
        }
        var answers: [WriteJob.Answer] = []
        var commitHasBegun = false
        do {
            // Immediate: a transaction that starts by reading and then cannot write would fail without waiting. GRDB's own
            // functions for transactions would compile both statements each time.
            try db.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
            for job in batch { answers.append(try job.run(in: db)) }
            commitHasBegun = true
            try db.cachedStatement(sql: "COMMIT").execute()
            state.withLock { $0.latestFailure = nil }
            meters.recordCommit(jobs: batch.count)
            for answer in answers { answer() }
        } catch {
            // SQLite has already ended the transaction after some errors.
            if db.isInsideTransaction { try? db.rollback() }
            fail(batch, StoreError(error, commitHasBegun: commitHasBegun))
        }
    }

    private func fail(_ batch: [WriteJob], _ failure: StoreError) {
        state.withLock { state in
            // Jobs that have not begun were not written, even if the outcome of this transaction is unknown.
            state.latestFailure = if case .outcomeUnknown(let fault) = failure { .unavailable(fault) } else { failure }
        }
        for job in batch { job.fail(failure) }
    }
}

/// The part of one caller in a shared transaction.
struct WriteJob: Sendable {
    /// Resumes the caller after the transaction is committed.
    typealias Answer = @Sendable () -> Void

    let began: ContinuousClock.Instant
    /// Resumes the caller with an error.
    let fail: @Sendable (StoreError) -> Void
    private let perform: @Sendable (Database) throws -> (isKept: Bool, answer: Answer)
    private let needsSavepoint: Bool

    /// Makes the job of one caller.
    ///
    /// - Parameters:
    ///   - began: The time since which the caller waits.
    ///   - isOneStatement: Whether `body` writes with at most one statement, which SQLite rolls back by itself.
    ///   - answer: The callback, which is called exactly once.
    init<Value: Sendable>(
        began: ContinuousClock.Instant, isOneStatement: Bool,
        _ body: @escaping @Sendable (Database) throws -> Outcome<Value>,
        answer: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        self.began = began
        needsSavepoint = !isOneStatement
        fail = { answer(.failure($0)) }
        perform = { db in
            switch try body(db) {
            case .keep(let value): (true, { answer(.success(value)) })
            case .undo(let value): (false, { answer(.success(value)) })
            }
        }
    }

    /// Runs the job inside the current transaction, completely or not at all.
    ///
    /// - Throws: Only if the work of the previous jobs is lost too.
    func run(in db: Database) throws -> Answer {
        if needsSavepoint { try db.cachedStatement(sql: "SAVEPOINT job").execute() }
        do {
            let (isKept, answer) = try perform(db)
            try end(undoing: !isKept, db)
            return answer
        } catch {
            // "If certain kinds of errors occur on a statement within a multi-statement transaction […] then the
            // transaction might be rolled back automatically. The only way to find out […] is to use this function"
            // (sqlite.org/c3ref/get_autocommit.html).
            guard db.isInsideTransaction else { throw error }
            try end(undoing: true, db)
            let failure = StoreError(error)
            return { [fail] in fail(failure) }
        }
    }

    private func end(undoing: Bool, _ db: Database) throws {
        guard needsSavepoint else { return }
        if undoing { try db.cachedStatement(sql: "ROLLBACK TO job").execute() }
        try db.cachedStatement(sql: "RELEASE job").execute()
    }
}
