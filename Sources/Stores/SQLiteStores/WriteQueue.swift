internal import DequeModule
internal import GRDB
internal import Glibc
internal import Stores
internal import Synchronization

/// The one connection that writes: everything that waits is written in one transaction, and nobody hears of it before it
/// is durable.
///
/// A commit waits for the disk, and that takes as long for a hundred records as for one. So a commit that was shared is
/// followed by a pause of its own length, in which the next one gathers. As many jobs wait here as there are requests under
/// way; what limits those limits these.
///
/// Short reads are served between two transactions, where they see what is committed and no more: a connection of their
/// own would read its pages again after each commit.
final class WriteQueue: Sendable {
    /// What a job has come to.
    enum Outcome<Value: Sendable> {
        case keep(Value)
        /// All that this job wrote is taken back.
        case undo(Value)
    }

    private struct State {
        var reads: [@Sendable (Database) -> Void] = []
        var writes: Deque<WriteJob> = []
        var isDraining = false
        /// Why the latest transaction failed; nil since one succeeded.
        var latestFailure: StoreError?
    }

    private static let batchLimit = 256
    /// A commit that takes longer waits for a busy disk, and gathering would not make it shorter.
    private static let longestGathering: Duration = .milliseconds(2)
    /// What has not begun by then is refused: who sent it may have gone, and its credential would be spent for nobody.
    private static let patience: Duration = .seconds(8)

    let times = StoreTimes()
    private let database: any DatabaseWriter
    private let isInPlace: @Sendable () -> Bool
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// - Parameters:
    ///   - database: whose writer this is alone.
    ///   - isInPlace: whether the file that is open still stands where the next start looks for it.
    ///   - now: a clock that is never set.
    init(
        _ database: any DatabaseWriter, isInPlace: @escaping @Sendable () -> Bool,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.database = database
        self.isInPlace = isInPlace
        self.now = now
    }

    /// Runs `body` in a transaction that it shares with others, and returns after the commit.
    ///
    /// Cancelling the task changes nothing: who spends must learn what came of it.
    ///
    /// - Parameters:
    ///   - isOneStatement: whether `body` writes with one statement at most, and undoes only where that wrote nothing; it
    ///     then needs no savepoint.
    ///   - body: what it throws undoes its own work and nobody else's.
    /// - Returns: what `body` came to, durable if it is kept.
    /// - Throws: what `body` threw, or the failure of the whole transaction; ``StoreError/unavailable(_:)`` for what had
    ///   waited too long before it was its turn.
    func write<Value: Sendable>(
        isOneStatement: Bool = false, _ body: @escaping @Sendable (Database) throws -> Outcome<Value>
    ) async throws(StoreError) -> Value {
        let began = now()
        defer { times.record(now() - began) }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            let job = WriteJob(began: began, isOneStatement: isOneStatement, body) {
                continuation.resume(returning: $0)
            }
            add { $0.writes.append(job) }
        }
        return try result.get()
    }

    /// Runs `body` outside of any transaction: it reads, with one statement.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let began = ContinuousClock.now
        defer { times.record(ContinuousClock.now - began) }
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            add {
                $0.reads.append { db in
                    continuation.resume(returning: Result { try body(db) }.mapError { StoreError($0) })
                }
            }
        }
        return try result.get()
    }

    private func add(_ append: (inout State) -> Void) {
        let wasDraining = state.withLock { state in
            append(&state)
            defer { state.isDraining = true }
            return state.isDraining
        }
        guard !wasDraining else { return }
        database.asyncWriteWithoutTransaction { self.drain($0) }
    }

    /// Stays with the connection until nothing waits any more.
    private func drain(_ db: Database) {
        while let (reads, writes) = next() {
            Self.serve(reads, db)
            guard !writes.isEmpty else { continue }
            let began = now()
            commit(writes, db)
            guard writes.count > 1 else { continue }
            // What comes during a commit is written by the next one. If many jobs share a commit, as much time again halves
            // the number of commits, and delays no job by more than one of them.
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
        // Several share one lock. Where there is none, each of them finds out why.
        if reads.count > 1 { try? db.cachedStatement(sql: "BEGIN").execute() }
        for read in reads { read(db) }
        guard db.isInsideTransaction else { return }
        do { try db.commit() } catch { try? db.rollback() }
    }

    private func commit(_ waiting: [WriteJob], _ db: Database) {
        let oldest = now() - Self.patience
        // A queue that does not get shorter because nothing can be written is not one with too much to do.
        let refusal = state.withLock(\.latestFailure) ?? .unavailable(.overloaded)
        for job in waiting where job.began < oldest { job.fail(refusal) }
        let batch = waiting.filter { $0.began >= oldest }
        guard !batch.isEmpty else { return }
        // A file that was deleted or replaced takes writes, and they are gone with the process: what was used could be
        // used again.
        guard isInPlace() else {
            return fail(batch, .unavailable(.cannotOpen))
        }
        var answers: [WriteJob.Answer] = []
        var commitHasBegun = false
        do {
            // Immediate: a transaction that starts by reading and then cannot write would fail without waiting.
            try db.inTransaction(.immediate) {
                for job in batch { answers.append(try job.run(in: db)) }
                commitHasBegun = true
                return .commit
            }
            state.withLock { $0.latestFailure = nil }
            for answer in answers { answer() }
        } catch {
            fail(batch, StoreError(error, commitHasBegun: commitHasBegun))
        }
    }

    private func fail(_ batch: [WriteJob], _ failure: StoreError) {
        state.withLock { state in
            // What has not begun was not written, whatever became of this.
            state.latestFailure = if case .outcomeUnknown(let fault) = failure { .unavailable(fault) } else { failure }
        }
        for job in batch { job.fail(failure) }
    }
}

/// One caller's part of a transaction.
struct WriteJob: Sendable {
    /// Tells the caller, once the transaction is committed.
    typealias Answer = @Sendable () -> Void

    let began: ContinuousClock.Instant
    /// Tells the caller that nothing came of it.
    let fail: @Sendable (StoreError) -> Void
    private let perform: @Sendable (Database) throws -> (isKept: Bool, answer: Answer)
    private let needsSavepoint: Bool

    /// - Parameters:
    ///   - began: since when the caller waits.
    ///   - isOneStatement: whether `body` writes with one statement at most, which SQLite takes back by itself.
    ///   - body: what is to be written.
    ///   - answer: called exactly once.
    init<Value: Sendable>(
        began: ContinuousClock.Instant, isOneStatement: Bool,
        _ body: @escaping @Sendable (Database) throws -> WriteQueue.Outcome<Value>,
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

    /// Does the work inside the transaction under way, all of it or none.
    ///
    /// - Parameter db: the connection that writes.
    /// - Returns: what to do after the commit.
    /// - Throws: only where the work of the jobs before it is lost too.
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
