package import JOSE
internal import Postgres
package import Stores
internal import Synchronization

extension PostgresStore: StoreWatch {
    package func watch(at now: NumericDate) async throws(StoreError) {
        let (time, hasClock) = clock.renew(at: now)
        try await Self.perform(on: watcher) { [sessions] connection in
            let isUnbroken = sessions.isSame && hasClock
            try WatchTables.renew(at: time, isUnbroken: isUnbroken, &connection)
            sessions.noteRenewal()
        }
    }

    package func watchReading() async throws(StoreError) -> WatchReading {
        try await Self.perform(on: watcher) { try WatchTables.reading(&$0) }
    }

    package func warnings() async throws(StoreError) -> [StoreWarning] {
        try await Self.perform(on: watcher) { connection in
            let row = try connection.run(
                .reading(
                    """
                    SELECT current_setting('synchronous_standby_names', true),
                        (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit')
                    """)
            ).rows.first
            var warnings: [StoreWarning] = []
            if connection.hostCount > 1, row?.text(0)?.isEmpty ?? false { warnings.append(.asynchronousReplicas) }
            if ["local", "remote_write", "off"].contains(row?.text(1)) { warnings.append(.weakSynchronousCommit) }
            return warnings
        }
    }
}

/// Counts the sessions of the connection that renews the watch record.
///
/// A session that has been open since the last renewal proves that the server ran all the time, however late the
/// renewal was. With a pooler of transactions this holds too, because a session ends if the start time of its server
/// changes.
final class WatcherSessions: Sendable {
    private let state = Mutex<(opened: Int, renewed: Int)>((0, 0))

    /// Whether the last renewal was in the session that is open now.
    var isSame: Bool { state.withLock { $0.opened == $0.renewed } }

    func noteOpening() {
        state.withLock { $0.opened += 1 }
    }

    func noteRenewal() {
        state.withLock { $0.renewed = $0.opened }
    }
}

/// The identity of the server of a session, as far as the server reports it.
struct ServerIdentity: Equatable {
    /// The system identifier and the timeline.
    ///
    /// The timeline changes after a failover. The identifier differs if a dump was restored to another cluster.
    ///
    /// The value is `nil` for engines without WAL, such as those that replicate by consensus and lose no commit at a failover.
    let server: String?
    /// The start time of the server, in microseconds.
    ///
    /// It changes if a data folder is restored, because that requires a restart of the server.
    let started: String?

    // `pg_control_checkpoint()` would name the old timeline until the first checkpoint after a promotion.
    private static let serverText = """
        (SELECT system_identifier FROM pg_control_system())::text || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
        """
    private static let startedText = "(floor(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint)::text"

    /// The query for both, which changes its result if another server answers.
    static let query = "SELECT \(serverText), \(startedText)"

    init(of connection: inout Connection) throws(PostgresError) {
        server = try Self.text("SELECT " + Self.serverText, &connection)
        started = try Self.text("SELECT " + Self.startedText, &connection)
    }

    init(server: String?, started: String?) {
        self.server = server
        self.started = started
    }

    /// Runs a query for one text; `nil` if the engine has no such function, or this role may not call it.
    private static func text(_ sql: String, _ connection: inout Connection) throws(PostgresError) -> String? {
        do throws(PostgresError) {
            return try connection.run(.reading(sql)).rows.first?.text(0)
        } catch .refused(let state, _, _) where state.isUnsupported {
            return nil
        }
    }
}

/// The tables with the watched and unwatched times, and the server that kept them.
enum WatchTables {
    private struct Record {
        let until: NumericDate
        let identity: ServerIdentity
        let clock: NumericDate

        init(_ row: Row?) throws(StoreError) {
            guard let row, let until = row.integer(0), let clock = row.integer(3) else { throw .corrupt }
            self.until = NumericDate(until)
            identity = ServerIdentity(server: row.text(1), started: row.text(2))
            self.clock = NumericDate(clock)
        }

        /// The knowledge about the time since this record.
        func continuity(
            at now: NumericDate, on found: ServerIdentity, sinceRecord isUnbroken: Bool
        ) -> WatchContinuity {
            if let server = found.server, let recorded = identity.server, server != recorded { return .broken }
            if isUnbroken { return .unbroken }
            // A server with a restored data folder was started after the record.
            let isOld = until + UnwatchedTime.recordTolerance < now
            if isOld, found.started == nil || found.started != identity.started { return .broken }
            return .shared
        }
    }

    private static let clock = "floor(extract(epoch FROM clock_timestamp()))::bigint"

    static func reading(_ connection: inout Connection) throws -> WatchReading {
        let row = try connection.run(
            .reading(
                """
                SELECT watch.until, (SELECT coalesce(max(until), 0) FROM unwatched), swept.through, \(clock)
                FROM watch, swept
                """)
        ).rows.first
        guard let until = row?.integer(0), let end = row?.integer(1), let through = row?.integer(2),
            let clock = row?.integer(3)
        else { throw StoreError.corrupt }
        return WatchReading(
            watchedUntil: NumericDate(until), unwatchedUntil: NumericDate(end), sweptThrough: NumericDate(through),
            clock: NumericDate(clock))
    }

    /// Checks the server of a new session, and records it if it is another one.
    ///
    /// Every session is checked before it is used. If commits of a lost server may be missing, the unwatched period is
    /// thus recorded before the first spend.
    static func admit(_ connection: inout Connection, at now: NumericDate) throws {
        let found = try ServerIdentity(of: &connection)
        let record = try Record(
            connection.run(.reading("SELECT until, server, started, \(clock) FROM watch")).rows.first)
        guard
            UnwatchedTime.between(
                record.until, and: now, record.continuity(at: now, on: found, sinceRecord: false)) != nil
        else { return }
        try renew(at: now, &connection)
    }

    /// Records that the store watches now, and the period before now that it did not watch.
    ///
    /// - Parameters:
    ///   - now: The caller's clock.
    ///   - isUnbroken: Whether the session has been open since its last renewal, and no clock was set.
    ///   - isAnew: Whether to discard an earlier record, even one in the future.
    ///   - connection: The connection, outside of a transaction.
    /// - Throws: The error of the server, or ``StoreError/corrupt``. Then nothing was changed.
    static func renew(
        at now: NumericDate, isUnbroken: Bool = false, isAnew: Bool = false, _ connection: inout Connection
    ) throws {
        let found = try ServerIdentity(of: &connection)
        try connection.begin()
        // The row is locked, so that one of several processes records the unwatched period and the others find it
        // recorded.
        let record = try Record(
            connection.run(.writing("SELECT until, server, started, \(clock) FROM watch FOR UPDATE")).rows.first)
        // Without this limit a process whose clock is ahead would record a future time, and the store would refuse the
        // calls of all others (`clockBehind`).
        let now = min(now, record.clock)
        let recorded = isAnew ? NumericDate(0) : record.until
        let newest = max(now, recorded)
        let time = UnwatchedTime.between(
            recorded, and: now, record.continuity(at: now, on: found, sinceRecord: isUnbroken))
        let end = (time?.end(at: newest) ?? newest).seconds
        switch time {
        case nil: break
        case .since(let start): try add(since: start.seconds, until: end, &connection)
        case .everythingBefore:
            try connection.run(.writing("DELETE FROM unwatched"))
            try add(since: .min, until: end, &connection)
            // A lost commit may have redeemed these rows. A row in a replica does not prove that its code is unused.
            try connection.run(.writing("DELETE FROM handoffs"))
            try connection.run(.writing("DELETE FROM pending_credentials"))
            try connection.run(.writing("DELETE FROM device_grants WHERE state NOT IN ('pending', 'claimed')"))
        }
        if recorded.seconds == 0 {
            // Sweeps advance in limited steps from this time.
            let through = isAnew ? "$1::bigint" : "greatest(through, $1::bigint)"
            try connection.run(
                .writing("UPDATE swept SET through = \(through)"), [.integer((now - .seconds(3600)).seconds)])
        }
        try connection.run(
            .writing(
                """
                UPDATE watch SET until = $1, server = convert_from($2, 'UTF8'), started = convert_from($3, 'UTF8')
                """),
            [
                .integer(newest.seconds), .bytes(found.server.map { Array($0.utf8) }),
                .bytes(found.started.map { Array($0.utf8) }),
            ])
        try connection.commit()
    }

    private static func add(since start: Int64, until end: Int64, _ connection: inout Connection) throws {
        try connection.run(
            .writing(
                """
                INSERT INTO unwatched (since, until) VALUES ($1, $2)
                ON CONFLICT (until) DO UPDATE SET since = least(unwatched.since, excluded.since)
                """), [.integer(start), .integer(end)])
        let oldest = try connection.run(
            .reading("SELECT until FROM unwatched ORDER BY until DESC LIMIT 1 OFFSET $1"),
            [.integer(Int64(UnwatchedTime.periodLimit - 1))]
        ).rows.first?.integer(0)
        guard let oldest else { return }
        try connection.run(.writing("DELETE FROM unwatched WHERE until < $1"), [.integer(oldest)])
        try connection.run(
            .writing("UPDATE unwatched SET since = $1 WHERE until = $2"), [.integer(.min), .integer(oldest)])
    }
}
