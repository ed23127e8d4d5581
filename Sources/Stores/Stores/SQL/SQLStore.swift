package import JOSE

/// A store in an SQL database.
///
/// Its calls are the same for all databases, and are in extensions of this protocol and of ``SQLSession``.
package protocol SQLStore:
    AccountAdministration, AccountDirectory, AuditLog, DeviceGrants, EnrolledFactors, Handoffs, PendingCredentials,
    ServerRegistry, SpentCredentials, StoreHealth
{
    associatedtype Session: SQLSession

    var clock: WatchClock { get }

    /// Runs `body` in a transaction, and returns after the commit.
    ///
    /// - Parameter body: The work. It may run several times, each time in a new transaction.
    /// - Returns: The value of `body`, durable if it is kept.
    /// - Throws: The error of `body` or of the transaction. Then nothing was written.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Outcome<Value>
    ) async throws(StoreError) -> Value

    /// Runs statements, each of which may be a transaction of its own.
    ///
    /// - Parameter isOneStatement: Whether `body` writes with at most one statement, and writes nothing if it throws.
    /// - Returns: The value of `body`, durable.
    /// - Throws: The error of `body` or of the commit.
    func perform<Value: Sendable>(
        isOneStatement: Bool, _ body: @escaping @Sendable (Session) throws -> Value
    ) async throws(StoreError) -> Value

    /// Runs short statements that read a few rows.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Value
    ) async throws(StoreError) -> Value

    /// Runs statements that read for so long that writers must not wait for them.
    func scan<Value: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Value
    ) async throws(StoreError) -> Value
}

/// The outcome of a transaction.
package enum Outcome<Value: Sendable>: Sendable {
    case keep(Value)
    /// Everything that was written is rolled back. If nothing was written, this saves a commit.
    case undo(Value)
}

extension SQLStore {
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (Session) throws -> Value
    ) async throws(StoreError) -> Value {
        try await perform(isOneStatement: false, body)
    }
}

/// The log of audit events.
extension SQLStore {
    package func append(_ lines: [AuditLine]) async throws(StoreError) {
        try await transaction { session in
            for line in lines {
                try session.write(
                    "INSERT INTO audit (id, at, uid, line) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                    [.text(line.id), .time(line.at), .octets(line.uid), .octets(line.text)])
            }
            return .keep(())
        }
    }

    package func sweepAudit(olderThan moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        try await perform { try $0.sweep("audit", by: "id", "at", before: moment, atMost: limit) }
    }
}

/// The servers that use the store.
extension SQLStore {
    package func announce(_ server: RunningServer, at now: NumericDate) async throws(StoreError) {
        // Each statement is a transaction, so that no server waits for a row of another while it has locked one.
        try await perform { session in
            try session.write(
                "DELETE FROM servers WHERE seen_at < ?1", [.time(now - RunningServer.lifetime)])
            try session.write(
                """
                INSERT INTO servers (id, name, seal_keys, store_keys, seen_at) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (id) DO UPDATE SET name = excluded.name, seal_keys = excluded.seal_keys,
                    store_keys = excluded.store_keys, seen_at = excluded.seen_at
                """,
                [
                    .bytes(server.id), .octets(server.name), .octets(KeyFingerprints.text(of: server.keys.sealKeys)),
                    .octets(KeyFingerprints.text(of: server.keys.storeKeys)), .time(now),
                ])
        }
    }

    package func withdraw(_ id: [UInt8]) async throws(StoreError) {
        try await perform { _ = try $0.write("DELETE FROM servers WHERE id = ?1", [.bytes(id)]) }
    }

    package func servers(at now: NumericDate) async throws(StoreError) -> [RunningServer] {
        try await scan { session in
            try session.read(
                "SELECT id, name, seal_keys, store_keys FROM servers WHERE seen_at >= ?1 ORDER BY name, id",
                [.time(now - RunningServer.lifetime)]
            ).map { row in
                guard let id = row.bytes(0), let name = row.text(1), let seal = row.text(2), let store = row.text(3)
                else { throw StoreError.corrupt }
                return RunningServer(
                    id: id, name: name,
                    keys: KeyFingerprints(
                        sealKeys: KeyFingerprints.list(in: seal), storeKeys: KeyFingerprints.list(in: store)))
            }
        }
    }
}

/// The health of the store.
extension SQLStore {
    package func check() async throws(StoreError) {
        let written = try await perform { session in
            try session.write("UPDATE heartbeat SET beats = beats + 1 RETURNING beats").rows.first?.integer(0)
        }
        guard let written else { throw .corrupt }
        let read = try await scan { try $0.number("SELECT beats FROM heartbeat") }
        // Other processes may have incremented the counter since, so it may be greater.
        guard read >= written else { throw .unavailable(.other) }
    }

    package func spentRows() async throws(StoreError) -> Int {
        try await scan { try $0.number("SELECT count(*) FROM spent") }
    }
}
