internal import Foundation
internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore: ServerRegistry {
    package func announce(_ server: RunningServer, at now: NumericDate) async throws(StoreError) {
        try await writes.write { db in
            try db.execute(
                sql: "DELETE FROM servers WHERE seen_at < ?",
                arguments: [(now - RunningServer.lifetime).seconds])
            try db.execute(
                sql: """
                    INSERT INTO servers (id, name, seal_keys, store_keys, seen_at) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET name = excluded.name, seal_keys = excluded.seal_keys,
                        store_keys = excluded.store_keys, seen_at = excluded.seen_at
                    """,
                arguments: [
                    Data(server.id), Data(server.name.utf8),
                    Data(KeyFingerprints.text(of: server.keys.sealKeys).utf8),
                    Data(KeyFingerprints.text(of: server.keys.storeKeys).utf8), now.seconds,
                ])
            return .keep(())
        }
    }

    package func withdraw(_ id: [UInt8]) async throws(StoreError) {
        try await writes.write { db in
            try db.execute(sql: "DELETE FROM servers WHERE id = ?", arguments: [Data(id)])
            return .keep(())
        }
    }

    package func servers(at now: NumericDate) async throws(StoreError) -> [RunningServer] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT id, name, seal_keys, store_keys FROM servers WHERE seen_at >= ? ORDER BY name, id",
                arguments: [(now - RunningServer.lifetime).seconds]
            ).map { row in
                guard let id = Data.fromDatabaseValue(row[0]), let name = text(row[1]), let seal = text(row[2]),
                    let store = text(row[3])
                else { throw StoreError.corrupt }
                return RunningServer(
                    id: Array(id), name: name,
                    keys: KeyFingerprints(
                        sealKeys: KeyFingerprints.list(in: seal), storeKeys: KeyFingerprints.list(in: store)))
            }
        }
    }
}

/// Reads a BLOB with UTF-8; returns `nil` for another value.
private func text(_ value: DatabaseValue) -> String? {
    Data.fromDatabaseValue(value).flatMap { String(validating: $0, as: UTF8.self) }
}
