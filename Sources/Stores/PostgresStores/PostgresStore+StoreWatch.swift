package import JOSE
internal import Postgres
package import Stores
internal import Synchronization

extension PostgresStore: StoreWatch {
    package func watch(at now: NumericDate) async throws(StoreError) {
        let (time, hasClock) = clock.renew(at: now)
        try await Self.perform(on: watcher) { [sessions] session in
            try session.renew(at: time, isUnbroken: sessions.isSame && hasClock)
            sessions.noteRenewal()
        }
    }

    package func watchReading() async throws(StoreError) -> WatchReading {
        try await Self.perform(on: watcher) { try $0.watchReading() }
    }

    package func warnings() async throws(StoreError) -> [StoreWarning] {
        try await Self.perform(on: watcher) { session in
            let row = try session.read(
                """
                SELECT current_setting('synchronous_standby_names', true),
                    (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit')
                """
            ).first
            var warnings: [StoreWarning] = []
            if session.hostCount > 1, row?.text(0)?.isEmpty ?? false { warnings.append(.asynchronousReplicas) }
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

    init(of session: PostgresSession) throws {
        server = try Self.text("SELECT " + Self.serverText, session)
        started = try Self.text("SELECT " + Self.startedText, session)
    }

    init(server: String?, started: String?) {
        self.server = server
        self.started = started
    }

    /// Runs a query for one text; `nil` if the engine has no such function, or this role may not call it.
    private static func text(_ sql: String, _ session: PostgresSession) throws -> String? {
        do {
            return try session.read(sql).first?.text(0)
        } catch PostgresError.refused(let state, _, _) where state.isUnsupported {
            return nil
        }
    }
}

/// The row of the watch, and the server that kept it.
private struct WatchRecord {
    let until: NumericDate
    let identity: ServerIdentity
    let clock: NumericDate

    init(_ row: (any SQLRow)?) throws(StoreError) {
        guard let row, let until = row.integer(0), let clock = row.integer(3) else { throw .corrupt }
        self.until = NumericDate(until)
        identity = ServerIdentity(server: row.text(1), started: row.text(2))
        self.clock = NumericDate(clock)
    }

    /// The knowledge about the time since this record.
    func continuity(at now: NumericDate, on found: ServerIdentity, sinceRecord isUnbroken: Bool) -> WatchContinuity {
        if let server = found.server, let recorded = identity.server, server != recorded { return .broken }
        if isUnbroken { return .unbroken }
        // A server with a restored data folder was started after the record.
        let isOld = until + UnwatchedTime.recordTolerance < now
        if isOld, found.started == nil || found.started != identity.started { return .broken }
        return .shared
    }

    static let query = "SELECT until, server, started, \(PostgresSession.machineClock) FROM watch"
}

extension PostgresSession {
    /// Checks the server of a new session, and records it if it is another one.
    ///
    /// Every session is checked before it is used. If commits of a lost server may be missing, the unwatched period is
    /// thus recorded before the first spend.
    func admit(at now: NumericDate) throws {
        let found = try ServerIdentity(of: self)
        let record = try WatchRecord(read(WatchRecord.query).first)
        let continuity = record.continuity(at: now, on: found, sinceRecord: false)
        guard UnwatchedTime.between(record.until, and: now, continuity) != nil else { return }
        try renew(at: now)
    }

    /// Records that the store watches now, and the period before now that it did not watch.
    ///
    /// It is called outside of a transaction.
    ///
    /// - Parameters:
    ///   - now: The caller's clock.
    ///   - isUnbroken: Whether the session has been open since its last renewal, and no clock was set.
    ///   - isAnew: Whether to discard an earlier record, even one in the future.
    /// - Throws: The error of the server, or ``StoreError/corrupt``. Then nothing was changed.
    func renew(at now: NumericDate, isUnbroken: Bool = false, isAnew: Bool = false) throws {
        let found = try ServerIdentity(of: self)
        try begin()
        // The row is locked, so that one of several processes records the unwatched period and the others find it
        // recorded.
        let record = try WatchRecord(write(WatchRecord.query + Self.rowLock).rows.first)
        // Without this limit a process whose clock is ahead would record a future time, and the store would refuse the
        // calls of all others (`clockBehind`).
        let now = min(now, record.clock)
        let continuity = record.continuity(at: now, on: found, sinceRecord: isUnbroken)
        let newest = try recordGap(at: now, since: record.until, continuity, isAnew: isAnew)
        try write(
            "UPDATE watch SET until = ?1, server = convert_from(?2, 'UTF8'), started = convert_from(?3, 'UTF8')",
            [.integer(newest.seconds), .content(found.server), .content(found.started)])
        try commit()
    }
}
