internal import GRDB
internal import Stores

/// The one writer: everything that waits is written in one transaction, and nobody hears of it before it is durable.
///
/// A commit waits for the disk, and that takes as long for a hundred records as for one. As many jobs wait here as there
/// are requests under way; who limits those limits these.
actor WriteQueue {
    /// What a job has come to.
    enum Outcome<Value: Sendable> {
        case keep(Value)
        /// All that this job wrote is taken back.
        case undo(Value)
    }

    private static let batchLimit = 256

    private let database: any DatabaseWriter
    private var waiting: [WriteJob] = []
    private var isDraining = false

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
            waiting.append(WriteJob(body) { continuation.resume(returning: $0) })
            guard !isDraining else { return }
            isDraining = true
            // A task of its own: the work of many must not end with the request that came first.
            Task { await drain() }
        }
        return try result.get()
    }

    private func drain() async {
        while !waiting.isEmpty {
            let batch = Array(waiting.prefix(Self.batchLimit))
            waiting.removeFirst(batch.count)
            await withCheckedContinuation { next in
                database.asyncWriteWithoutTransaction { db in
                    Self.commit(batch, db)
                    next.resume()
                }
            }
        }
        isDraining = false
    }

    private static func commit(_ batch: [WriteJob], _ db: Database) {
        var answers: [WriteJob.Answer] = []
        var commitHasBegun = false
        do {
            // Immediate: a transaction that starts by reading and then cannot write would fail without waiting.
            try db.inTransaction(.immediate) {
                for job in batch { answers.append(try job.run(in: db)) }
                commitHasBegun = true
                return .commit
            }
            for answer in answers { answer() }
        } catch {
            let failure = StoreError(error, commitHasBegun: commitHasBegun)
            for job in batch { job.fail(failure) }
        }
    }
}
