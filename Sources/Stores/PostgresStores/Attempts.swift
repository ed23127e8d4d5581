internal import Glibc
internal import Postgres

/// A transaction that the server ended for the sake of another one is begun anew, so many times.
enum Attempts {
    static let limit = 25

    /// What a stricter server would have said of a transaction that saw only half of another's work.
    static let overtaken = PostgresError.refused(SQLState("40001"), mayHaveCommitted: false)

    /// Only what was certainly rolled back is done again.
    ///
    /// - Parameters:
    ///   - connection: what it leaves open is rolled back.
    ///   - body: one transaction, or one statement.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws the last time.
    static func run<Value>(
        _ connection: inout Connection, _ body: (inout Connection) throws -> Value
    ) throws -> Value {
        for attempt in 1..<limit {
            do {
                return try body(&connection)
            } catch PostgresError.refused(let state, mayHaveCommitted: false) where state.asksForAnotherTry {
                connection.rollback()
                pause(after: attempt)
            } catch {
                connection.rollback()
                throw error
            }
        }
        defer { connection.rollback() }
        return try body(&connection)
    }

    /// Up to a millisecond, doubled with every attempt, up to 16; not the same for all who were in each other's way.
    private static func pause(after attempt: Int) {
        usleep(UInt32.random(in: 0...1000) << UInt32(min(attempt - 1, 4)))
    }
}
