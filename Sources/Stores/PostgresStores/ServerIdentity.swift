internal import Postgres

/// Which server a session is at, as far as the server tells.
struct ServerIdentity: Equatable {
    /// System identifier and timeline: another one after a failover, and in a cluster that was made from a dump.
    ///
    /// Nil for engines without WAL of their own, such as those that copy by consensus and lose no commit at a failover.
    let server: String?
    /// When the server was started, in microseconds.
    ///
    /// A data folder cannot be put back without that.
    let started: String?

    init(of connection: inout Connection) throws(PostgresError) {
        // `pg_control_checkpoint()` would name the old timeline until the first checkpoint after a promotion.
        server = try Self.text(
            """
            SELECT (SELECT system_identifier FROM pg_control_system())::text || '/'
                || left(pg_walfile_name(pg_current_wal_lsn()), 8)
            """, &connection)
        started = try Self.text(
            "SELECT (floor(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint)::text", &connection)
    }

    init(server: String?, started: String?) {
        self.server = server
        self.started = started
    }

    /// Nil if the engine has no such function, or this role may not call it.
    private static func text(_ sql: String, _ connection: inout Connection) throws(PostgresError) -> String? {
        do throws(PostgresError) {
            return try connection.run(.reading(sql)).rows.first?.text(0)
        } catch .refused(let state, _) where state.isUnsupported {
            return nil
        }
    }
}
