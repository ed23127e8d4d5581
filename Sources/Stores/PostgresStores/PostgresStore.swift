internal import JOSE
package import Postgres
package import Stores

/// The store for more than one machine: a PostgreSQL, or an engine that speaks its protocol.
///
/// Every process asks it with the time of its own clock, so those clocks have to be kept together, as NTP does; a
/// record outlives its credential by the skew that is allowed, and that is what they may differ by.
package final class PostgresStore: TimedStore {
    private let pool: ConnectionPool
    /// One connection beside the pool, so that the record of what was watched waits for no sign-in.
    let watcher: ConnectionPool
    let sessions: WatcherSessions
    let clock = WatchClock()
    package let times = StoreTimes()

    private init(_ pool: ConnectionPool, watcher: ConnectionPool, _ sessions: WatcherSessions) {
        self.pool = pool
        self.watcher = watcher
        self.sessions = sessions
    }

    /// Connects, looks at the server, and brings the tables up to date.
    ///
    /// Blocks the thread. Call it once, before serving requests.
    ///
    /// - Parameters:
    ///   - conninfo: libpq's URI or keywords, with all hosts among which the one that takes writes is looked for. It is
    ///     repeated nowhere.
    ///   - connections: how many at most, beside one that renews the record of what was watched. Each has a thread.
    ///   - waiting: how many calls may wait for one of them.
    ///   - migrates: without it tables that are not up to date are ``StoreError/tablesBehind``, and the role needs no
    ///     right to make any.
    ///   - watching: makes it a store that watches, each session of which looks at which server it is before it is
    ///     used. Without it credentials that were issued at a known time are refused unless another process watches.
    ///   - timeouts: how long the server may take.
    /// - Returns: a store every commit of which is on disk when it is answered.
    /// - Throws: ``StoreError/newerSchema(found:supported:)`` and leaves the tables as they were;
    ///   ``StoreError/notDurable`` where the server is set up to forget commits; ``StoreError/unavailable(_:)`` where
    ///   it cannot be reached, or only reads.
    package static func open(
        conninfo: String, connections: Int = 8, waiting: Int = 1024, migrates: Bool = true,
        watching: Watching? = nil, timeouts: ConnectionTimeouts = ConnectionTimeouts()
    ) throws(StoreError) -> PostgresStore {
        let string = ConnectionString(conninfo)
        do {
            try Schema.prepare(string, timeouts, migrates: migrates)
            if let watching { try begin(watching, string, timeouts) }
        } catch {
            throw StoreError(error)
        }
        let sessions = WatcherSessions()
        return PostgresStore(
            ConnectionPool(count: connections, queueLimit: waiting, patience: timeouts.answer) {
                () throws(PostgresError) in try Session.open(string, timeouts, watching: watching?.time)
            },
            watcher: ConnectionPool(count: 1, queueLimit: 64, patience: timeouts.answer) {
                () throws(PostgresError) in
                let connection = try Session.open(string, timeouts, watching: watching?.time)
                sessions.noteOpening()
                return connection
            }, sessions)
    }

    private static func begin(
        _ watching: Watching, _ string: ConnectionString, _ timeouts: ConnectionTimeouts
    ) throws {
        var connection = try Session.open(string, timeouts)
        try Attempts.run(&connection) { connection in
            try WatchTables.renew(at: watching.time.now(), isAnew: watching.isAnew, &connection)
        }
    }

    /// Brings the tables up to date.
    ///
    /// Blocks the thread. Any number of processes may do it at once.
    ///
    /// - Parameters:
    ///   - conninfo: as for ``open(conninfo:connections:waiting:migrates:watching:timeouts:)``, of a role that may make
    ///     tables.
    ///   - timeouts: how long the server may take for one statement.
    /// - Returns: the migrations that were applied by this call, in their order.
    /// - Throws: as ``open(conninfo:connections:waiting:migrates:watching:timeouts:)``.
    @discardableResult
    package static func migrate(
        conninfo: String, timeouts: ConnectionTimeouts = ConnectionTimeouts()
    ) throws(StoreError) -> [String] {
        do {
            return try Schema.prepare(ConnectionString(conninfo), timeouts, migrates: true)
        } catch {
            throw StoreError(error)
        }
    }

    /// Waits for calls in progress. Later calls throw ``StoreError/unavailable(_:)``.
    package func close() {
        pool.close()
        watcher.close()
    }

    /// Reads the settings that are in effect.
    package func settings() async throws(StoreError) -> PostgresSettings {
        try await perform { try PostgresSettings(of: &$0) }
    }

    /// Runs `body` on a connection, on the connection's own thread.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (inout Connection) throws -> Value
    ) async throws(StoreError) -> Value {
        let began = ContinuousClock.now
        defer { times.record(ContinuousClock.now - began) }
        return try await Self.perform(on: pool, body)
    }

    /// As ``perform(_:)``, on a connection of a given pool.
    static func perform<Value: Sendable>(
        on pool: ConnectionPool, _ body: @escaping @Sendable (inout Connection) throws -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Result<Value, StoreError>, PostgresError>
        do throws(PostgresError) {
            result = .success(
                try await pool.run { connection in
                    do {
                        return .success(try Attempts.run(&connection, body))
                    } catch {
                        return .failure(StoreError(error))
                    }
                })
        } catch {
            result = .failure(error)
        }
        return try result.mapError { StoreError($0) }.flatMap(\.self).get()
    }

    /// Runs `body` in a transaction of its own, again where others were in its way, and returns after the commit.
    ///
    /// - Parameter body: may run more than once, and each time on what is committed then.
    /// - Returns: The value of `body`, durable if it is kept.
    /// - Throws: what `body` threw, or the failure of the transaction.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (inout Connection) throws -> Outcome<Value>
    ) async throws(StoreError) -> Value {
        try await perform { connection in
            try connection.begin()
            switch try body(&connection) {
            case .keep(let value):
                try connection.commit()
                return value
            case .undo(let value):
                connection.rollback()
                return value
            }
        }
    }
}

/// What a transaction has come to.
enum Outcome<Value: Sendable> {
    case keep(Value)
    /// All that was written is taken back; where nothing was, this spares the server a commit.
    case undo(Value)
}
