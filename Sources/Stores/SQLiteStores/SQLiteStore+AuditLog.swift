internal import Foundation
internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore: AuditLog {
    package func append(_ lines: [AuditLine]) async throws(StoreError) {
        try await writes.write { db in
            let statement = try db.cachedStatement(
                sql: "INSERT INTO audit (id, at, uid, line) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
            for line in lines {
                try statement.execute(
                    arguments: [line.id, line.at.seconds, line.uid.map { Data($0.utf8) }, Data(line.text.utf8)])
            }
            return .keep(())
        }
    }

    package func sweepAudit(olderThan moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        try await writes.write { db in
            let statement = try db.cachedStatement(
                sql: "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ? ORDER BY at LIMIT ?)")
            try statement.execute(arguments: [moment.seconds, max(0, limit)])
            return .keep(db.changesCount)
        }
    }
}
