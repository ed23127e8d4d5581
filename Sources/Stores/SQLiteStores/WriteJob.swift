internal import GRDB
internal import Stores

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
