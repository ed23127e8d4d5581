internal import GRDB
internal import Stores
internal import Synchronization

/// The one writer: everything that waits is written in one transaction, and nobody hears of it before it is durable.
///
/// A commit waits for the disk, and that takes as long for a hundred records as for one. As many jobs wait here as there
/// are requests under way; who limits those limits these.
final class WriteQueue: Sendable {
    /// What a job has come to.
    enum Outcome<Value: Sendable> {
        case keep(Value)
        /// All that this job wrote is taken back.
        case undo(Value)
    }

    private static let batchLimit = 256

    private let database: any DatabaseWriter
    private let state = Mutex(State())

    private struct State {
        var waiting: [WriteJob] = []
        var isDraining = false
    }

    init(_ database: any DatabaseWriter) {
        self.database = database
    }

    /// Runs `body` in a transaction that it shares with others, and returns after the commit.
    ///
    /// Cancelling the task changes nothing: who spends must learn what came of it.
    ///
    /// - Parameter body: what it throws undoes its own work and nobody else's.
    /// - Returns: what `body` came to, durable if it is kept.
    /// - Throws: what `body` threw, or the failure of the whole transaction.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Outcome<Value>
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            submit(WriteJob(body) { continuation.resume(returning: $0) })
        }
        return try result.get()
    }

    private func submit(_ job: WriteJob) {
        let isFirst = state.withLock { state in
            state.waiting.append(job)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        if isFirst { database.asyncWriteWithoutTransaction { self.drain($0) } }
    }

    private func drain(_ db: Database) {
        while let batch = nextBatch() {
            switch Self.commit(batch, db) {
            case .success(let answers): for answer in answers { answer() }
            case .failure(let error): for job in batch { job.fail(error) }
            }
        }
    }

    private func nextBatch() -> [WriteJob]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDraining = false
                return nil
            }
            let batch = Array(state.waiting.prefix(Self.batchLimit))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }

    private static func commit(_ batch: [WriteJob], _ db: Database) -> Result<[WriteJob.Answer], StoreError> {
        var answers: [WriteJob.Answer] = []
        var commitHasBegun = false
        do {
            // Immediate: a transaction that starts by reading and then cannot write would fail without waiting.
            try db.inTransaction(.immediate) {
                for job in batch { answers.append(try job.run(in: db)) }
                commitHasBegun = true
                return .commit
            }
            return .success(answers)
        } catch {
            return .failure(StoreError(error, commitHasBegun: commitHasBegun))
        }
    }
}
