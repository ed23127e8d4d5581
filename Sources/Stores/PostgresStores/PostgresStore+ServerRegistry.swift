package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: ServerRegistry {
    package func announce(_ server: RunningServer, at now: NumericDate) async throws(StoreError) {
        try await perform { connection in
            // Each statement is a transaction, so that no server waits for a row of another while it has locked one.
            try connection.run(
                .writing("DELETE FROM servers WHERE seen_at < $1"),
                [.integer((now - RunningServer.lifetime).seconds)])
            try connection.run(
                .writing(
                    """
                    INSERT INTO servers (id, name, seal_keys, store_keys, seen_at) VALUES ($1, $2, $3, $4, $5)
                    ON CONFLICT (id) DO UPDATE SET name = excluded.name, seal_keys = excluded.seal_keys,
                        store_keys = excluded.store_keys, seen_at = excluded.seen_at
                    """),
                [
                    .bytes(server.id), .bytes(of: server.name),
                    .bytes(of: KeyFingerprints.text(of: server.keys.sealKeys)),
                    .bytes(of: KeyFingerprints.text(of: server.keys.storeKeys)), .integer(now.seconds),
                ])
        }
    }

    package func withdraw(_ id: [UInt8]) async throws(StoreError) {
        _ = try await perform { try $0.run(.writing("DELETE FROM servers WHERE id = $1"), [.bytes(id)]) }
    }

    package func servers(at now: NumericDate) async throws(StoreError) -> [RunningServer] {
        try await perform { connection in
            try connection.run(
                .reading(
                    """
                    SELECT id, name, seal_keys, store_keys FROM servers WHERE seen_at >= $1 ORDER BY name, id
                    """), [.integer((now - RunningServer.lifetime).seconds)]
            ).rows.map { row in
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
