package import JOSE
internal import Postgres
package import Stores

extension PostgresStore: AuditLog {
    package func append(_ lines: [AuditLine]) async throws(StoreError) {
        try await transaction { connection in
            for line in lines {
                try connection.run(
                    .writing("INSERT INTO audit (id, at, uid, line) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"),
                    [
                        .text(line.id), .integer(line.at.seconds), line.uid.map { .bytes(of: $0) } ?? .bytes(nil),
                        .bytes(of: line.text),
                    ])
            }
            return .keep(())
        }
    }

    package func sweepAudit(olderThan moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        try await perform { connection in
            try connection.run(
                .writing("DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < $1 ORDER BY at LIMIT $2)"),
                [.integer(moment.seconds), .integer(Int64(max(0, limit)))]
            ).count
        }
    }
}
