package import CoreMetrics
internal import JOSE
package import Postgres
package import Stores

/// The store for several machines: PostgreSQL, or an engine with the same protocol.
///
/// Every process passes the time of its own clock, so the clocks must be synchronized, for example with NTP. They may
/// differ by the allowed clock skew, by which a record outlives its credential.
package final class PostgresStore: SQLStore {
    let pool: ConnectionPool
    /// A separate connection, so that renewing the watch record does not wait for sign-ins.
    let watcher: ConnectionPool
    let sessions: WatcherSessions
    package let clock: WatchClock
    private let meters: StoreMeters

    private init(
        _ pool: ConnectionPool, watcher: ConnectionPool, _ sessions: WatcherSessions, _ clock: WatchClock,
        _ meters: StoreMeters
    ) {
        self.clock = clock
        self.meters = meters
        self.pool = pool
        self.watcher = watcher
        self.sessions = sessions
    }

    /// Connects, checks the server, and applies missing migrations.
    ///
    /// Blocks the thread. Call it once, before serving requests.
    ///
    /// - Parameters:
    ///   - conninfo: A URI or keywords for libpq. If it names several hosts, the one that accepts writes is used. It
    ///     never appears in errors or logs.
    ///   - connections: The maximum number of connections, besides one that renews the watch record. Each has a thread.
    ///   - waiting: The maximum number of calls that wait for a connection.
    ///   - poolsTransactions: Whether a pooler may run each transaction in another session (`pool_mode = transaction` of
    ///     PgBouncer).
    ///   - migrates: Whether to apply missing migrations. If false, missing ones cause ``StoreError/tablesBehind``, and
    ///     the role needs no permission to make tables.
    ///   - watching: The settings for watching. Each session then identifies its server before it is used. If `nil`,
    ///     credentials with a known time of issue are refused unless another process watches.
    ///   - timeouts: The limits for the server's responses. If `nil`, they are those of a server if the store watches, and
    ///     otherwise those of an operator's command, which may wait longer. Migrations may always wait longer.
    ///   - metrics: Receives the times of calls.
    /// - Returns: A store whose commits are on disk when they return.
    /// - Throws: ``StoreError/newerSchema(found:supported:)``, with unchanged tables; ``StoreError/notDurable(setting:value:needed:)``
    ///   if the server is configured so that it can lose commits; ``StoreError/unavailable(_:cause:)`` if it cannot be
    ///   reached or is read-only.
    package static func open(
        conninfo: String, connections: Int = 8, waiting: Int = 1024, poolsTransactions: Bool = false,
        migrates: Bool = true, watching: Watching? = nil, timeouts: ConnectionTimeouts? = nil,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) throws(StoreError) -> PostgresStore {
        let string = ConnectionString(conninfo, poolsTransactions: poolsTransactions)
        let limits = timeouts ?? (watching == nil ? ConnectionTimeouts() : .serving)
        do {
            try Schema.prepare(string, timeouts ?? ConnectionTimeouts(), migrates: migrates)
            if let watching { try begin(watching, string, limits) }
        } catch {
            throw StoreError(error)
        }
        let sessions = WatcherSessions()
        let clock = WatchClock()
        let time = watching.map { watching in TimeSource { clock.time(at: watching.time.now()) } }
        return PostgresStore(
            ConnectionPool(count: connections, queueLimit: waiting, patience: limits.wait) {
                () throws(PostgresError) in try PostgresSession.open(string, limits, watching: time)
            },
            watcher: ConnectionPool(count: 1, queueLimit: 64, patience: limits.wait) {
                () throws(PostgresError) in
                let connection = try PostgresSession.open(string, limits, watching: time)
                sessions.noteOpening()
                return connection
            }, sessions, clock, StoreMeters(metrics))
    }

    private static func begin(
        _ watching: Watching, _ string: ConnectionString, _ timeouts: ConnectionTimeouts
    ) throws {
        var connection = try PostgresSession.open(string, timeouts)
        try PostgresSession.run(on: &connection) { session in
            let now = watching.confirmedNow(after: try session.watchReading())
            try session.renew(at: now, isAnew: watching.isAnew)
        }
    }

    /// Applies missing migrations.
    ///
    /// Blocks the thread. Several processes may call it concurrently.
    ///
    /// - Parameters:
    ///   - conninfo: A URI or keywords for libpq, with a role that may make tables.
    ///   - poolsTransactions: The same as for `open`.
    ///   - timeouts: The limits for one statement.
    /// - Returns: The names of the migrations that this call applied, in order.
    /// - Throws: The same errors as ``open(conninfo:connections:waiting:poolsTransactions:migrates:watching:timeouts:metrics:)``,
    ///   but ``StoreError/unavailable(_:cause:)`` if the role may not migrate.
    @discardableResult
    package static func migrate(
        conninfo: String, poolsTransactions: Bool = false, timeouts: ConnectionTimeouts = ConnectionTimeouts()
    ) throws(StoreError) -> [String] {
        let string = ConnectionString(conninfo, poolsTransactions: poolsTransactions)
        return try wrappingNow(
            { (error: any Error) in StoreError(error) }, try Schema.migrate(string, timeouts))
    }

    /// Waits for calls in progress, and closes all connections.
    ///
    /// Later calls throw ``StoreError/unavailable(_:cause:)``.
    package func close() {
        pool.close()
        watcher.close()
    }

    /// Reads the settings that are in effect.
    package func settings() async throws(StoreError) -> PostgresSettings {
        try await read { try PostgresSettings($0.read(PostgresSettings.query).first) }
    }

    package func perform<Value: Sendable>(
        isOneStatement: Bool = false, _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws(StoreError) -> Value {
        let began = ContinuousClock.now
        defer { meters.record(ContinuousClock.now - began) }
        return try await Self.perform(on: pool, body)
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await perform(body)
    }

    package func scan<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws(StoreError) -> Value {
        try await perform(body)
    }

    // The transaction is repeated after a conflict.
    package func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresSession) throws -> Outcome<Value>
    ) async throws(StoreError) -> Value {
        try await perform { session in
            try session.begin()
            switch try body(session) {
            case .keep(let value):
                try session.commit()
                return value
            case .undo(let value):
                session.rollback()
                return value
            }
        }
    }

    /// Runs `body` on a connection of the given pool, on the connection's own thread.
    static func perform<Value: Sendable>(
        on pool: ConnectionPool, _ body: @escaping @Sendable (PostgresSession) throws -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Result<Value, StoreError>, PostgresError>
        do throws(PostgresError) {
            result = .success(
                try await pool.run { connection in
                    do {
                        return .success(try PostgresSession.run(on: &connection, body))
                    } catch {
                        return .failure(StoreError(error))
                    }
                })
        } catch {
            result = .failure(error)
        }
        return try result.mapError { StoreError($0) }.flatMap(\.self).get()
    }
}
