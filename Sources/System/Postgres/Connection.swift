internal import CLibpq
internal import Glibc

/// One session at a server, the sole owner of a `PGconn`.
///
/// Every call blocks, so use it on a thread of its own. Only one thread may use it at a time: "two threads must not
/// attempt to manipulate the same PGconn object at the same time" (libpq manual, "Behavior in Threaded Programs").
@safe
package struct Connection: ~Copyable {
    private let connection: OpaquePointer
    private let answerTimeout: Duration
    /// The names of the prepared statements of this session.
    private var names: [Statement: String] = [:]
    /// The start of every transaction; `nil` if all transactions run in one session.
    var start: TransactionStart?
    package internal(set) var isInTransaction = false
    var isBroken = false

    /// Connects, and sets the limits of the session or of its transactions.
    ///
    /// - Parameters:
    ///   - string: The connection string. Missing values come from the environment, such as `PGPASSFILE` and
    ///     `PGSSLROOTCERT`.
    ///   - name: The `application_name` for the operator of the server, unless the string sets another one.
    /// - Throws: ``PostgresError/unreachable(_:)``, or the error of setting the limits.
    package static func open(
        _ string: ConnectionString, name: String, timeouts: ConnectionTimeouts
    ) throws(PostgresError) -> Connection {
        var connection = unsafe Connection(owning: try connect(string, name: name, timeouts), timeouts)
        if string.poolsTransactions { connection.start = TransactionStart() }
        try connection.setLimits(timeouts)
        return connection
    }

    private init(owning connection: OpaquePointer, _ timeouts: ConnectionTimeouts) {
        unsafe self.connection = unsafe connection
        answerTimeout = timeouts.answer
    }

    /// The number of hosts that the connection string and the environment name.
    package var hostCount: Int {
        guard let options = unsafe PQconninfo(connection) else { return 1 }
        defer { unsafe PQconninfoFree(options) }
        var count = 1
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if ["host", "hostaddr"].contains(unsafe String(cString: keyword)), let value = unsafe option.pointee.val {
                count = max(count, unsafe String(cString: value).split(separator: ",").count)
            }
            unsafe option += 1
        }
        return count
    }

    /// Whether the session seems usable, without sending anything.
    ///
    /// A server sends unrequested data when it shuts down or a setting changes. In both cases a new session is better.
    package func isAlive() -> Bool {
        unsafe !isBroken && PQstatus(connection) == CONNECTION_OK && !isReadable(within: .zero)
    }

    /// Runs one statement.
    ///
    /// Outside of a transaction the statement is committed when the method returns.
    ///
    /// - Throws: ``PostgresError/refused(_:message:mayHaveCommitted:)`` or ``PostgresError/interrupted(mayHaveCommitted:)``.
    @discardableResult
    package mutating func run(_ statement: Statement, _ values: [Value] = []) throws(PostgresError) -> Answer {
        guard start != nil else { return try runPrepared(statement, values) }
        return try isInTransaction ? runUnprepared(statement, values) : runAsTransaction(statement, values)
    }

    /// Runs a statement in the open transaction, without a name that another session would not know.
    mutating func runUnprepared(_ statement: Statement, _ values: [Value]) throws(PostgresError) -> Answer {
        let encoded = EncodedValues(values)
        return try unsafe answer(mayCommit: false) {
            unsafe encoded.send(to: $0, sql: statement.sql, types: values.map(\.type))
        }
    }

    private mutating func runPrepared(_ statement: Statement, _ values: [Value]) throws(PostgresError) -> Answer {
        let name = try prepare(statement, values)
        let encoded = EncodedValues(values)
        return try unsafe answer(mayCommit: statement.writes && !isInTransaction) {
            unsafe encoded.send(to: $0, statement: name)
        }
    }

    /// Runs statements without values, one after another.
    ///
    /// Outside of a transaction they must not write, because an error would report that nothing was committed.
    ///
    /// - Parameter script: The statements, a constant of the program.
    /// - Returns: The result of the last statement.
    /// - Throws: The same errors as ``run(_:_:)``.
    @discardableResult
    package mutating func run(script: String) throws(PostgresError) -> Answer {
        try unsafe answer(mayCommit: false) { unsafe PQsendQuery($0, script) }
    }

    package mutating func begin() throws(PostgresError) {
        if let start { return try begin(start) }
        try run(script: "BEGIN")
        isInTransaction = true
    }

    /// Commits the transaction.
    ///
    /// - Parameter hasWritten: Whether the transaction may have changed something.
    /// - Throws: ``PostgresError``. Only after an error with `mayHaveCommitted` may the changes have been committed.
    package mutating func commit(hasWritten: Bool = true) throws(PostgresError) {
        isInTransaction = false
        let answer = try unsafe answer(mayCommit: hasWritten) { unsafe PQsendQuery($0, "COMMIT") }
        // COMMIT rolls back a failed transaction without reporting an error.
        guard answer.tag == "COMMIT" else { throw .refused(SQLState("25P02"), mayHaveCommitted: false) }
    }

    /// Rolls back all changes since ``begin()``.
    ///
    /// If the rollback fails, the session is not used again. Closing it also rolls back.
    package mutating func rollback() {
        guard isInTransaction else { return }
        isInTransaction = false
        guard !isBroken else { return }
        if (try? run(script: "ROLLBACK")) == nil { isBroken = true }
    }

    private mutating func prepare(_ statement: Statement, _ values: [Value]) throws(PostgresError) -> String {
        if let name = names[statement] { return name }
        let name = "tx\(names.count)"
        try unsafe answer(mayCommit: false) {
            unsafe PQsendPrepare($0, name, statement.sql, CInt(values.count), values.map(\.type))
        }
        names[statement] = name
        return name
    }

    /// Sends a command, and reads the whole response.
    @discardableResult
    private mutating func answer(
        mayCommit: Bool, to send: (OpaquePointer) -> CInt
    ) throws(PostgresError) -> Answer {
        guard !isBroken, unsafe send(connection) == 1 else {
            // The message was not sent completely, and the server commits only after it has read the whole message.
            isBroken = true
            throw .interrupted(mayHaveCommitted: false)
        }
        let deadline = ContinuousClock.now + answerTimeout
        var answer: Answer?
        var failure: SQLState?
        var message: String?
        var hasFailed = false
        while true {
            guard waitForResult(until: deadline) else {
                isBroken = true
                throw .interrupted(mayHaveCommitted: mayCommit)
            }
            guard let result = unsafe PQgetResult(connection) else { break }
            let handle = unsafe ResultHandle(owning: result)
            if handle.isFailure {
                hasFailed = true
                if failure == nil { (failure, message) = (handle.state, handle.message) }
                // Without this line the loop would not end after a COPY, which this program never starts.
                if handle.status != PGRES_FATAL_ERROR { break }
            } else {
                answer = handle.answer
            }
        }
        if let answer, !hasFailed { return answer }
        let isLost = unsafe PQstatus(connection) != CONNECTION_OK
        isBroken = isLost || !(failure?.sparesSession ?? false)
        guard let failure else { throw .interrupted(mayHaveCommitted: mayCommit) }
        throw .refused(
            failure, message: failure.hasMessageWithoutValues ? message : nil,
            mayHaveCommitted: mayCommit && (isLost || failure.leavesCommitOpen))
    }

    /// Waits for a result.
    ///
    /// - Returns: `false` if the result does not arrive in time.
    private borrowing func waitForResult(until deadline: ContinuousClock.Instant) -> Bool {
        // "If PQisBusy returns 1, a call to PQgetResult would block" (libpq manual, "Asynchronous Command Processing").
        while unsafe PQisBusy(connection) == 1 {
            guard isReadable(within: ContinuousClock.now.duration(to: deadline)) else { return false }
            // libpq turns a read failure into a result, which has more details.
            if unsafe PQconsumeInput(connection) == 0 { return true }
        }
        return true
    }

    private borrowing func isReadable(within patience: Duration) -> Bool {
        var descriptor = unsafe pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        let deadline = ContinuousClock.now + patience
        while true {
            let milliseconds = max(0, ContinuousClock.now.duration(to: deadline).wholeMilliseconds)
            let count = unsafe poll(&descriptor, 1, CInt(clamping: milliseconds))
            if count >= 0 { return count > 0 }
            guard errno == EINTR else { return true }
        }
    }

    deinit { unsafe PQfinish(connection) }
}
