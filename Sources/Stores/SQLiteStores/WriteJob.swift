internal import GRDB
internal import Stores

/// One caller's part of a transaction.
struct WriteJob: Sendable {
    /// Tells the caller, once the transaction is committed.
    typealias Answer = @Sendable () -> Void

    /// Tells the caller that nothing came of it.
    let fail: @Sendable (StoreError) -> Void
    private let perform: @Sendable (Database) throws -> (isKept: Bool, answer: Answer)

    /// - Parameters:
    ///   - body: what is to be written.
    ///   - answer: called exactly once.
    init<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> WriteQueue.Outcome<Value>,
        answer: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
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
        try db.cachedStatement(sql: "SAVEPOINT job").execute()
        do {
            let (isKept, answer) = try perform(db)
            if !isKept { try db.cachedStatement(sql: "ROLLBACK TO job").execute() }
            try db.cachedStatement(sql: "RELEASE job").execute()
            return answer
        } catch {
            // "If certain kinds of errors occur on a statement within a multi-statement transaction […] then the
            // transaction might be rolled back automatically. The only way to find out […] is to use this function"
            // (sqlite.org/c3ref/get_autocommit.html).
            guard db.isInsideTransaction else { throw error }
            try db.cachedStatement(sql: "ROLLBACK TO job").execute()
            try db.cachedStatement(sql: "RELEASE job").execute()
            let failure = StoreError(error)
            return { [fail] in fail(failure) }
        }
    }
}
