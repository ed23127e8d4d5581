internal import Postgres
package import Stores

extension PostgresStore: StoreHealth {
    package func check() async throws(StoreError) {
        let written = try await perform { connection in
            try Self.beats(&connection, .writing("UPDATE heartbeat SET beats = beats + 1 RETURNING beats"))
        }
        let read = try await perform { try Self.beats(&$0, .reading("SELECT beats FROM heartbeat")) }
        // Another process may have added beats of its own.
        guard read >= written else { throw .unavailable(.other) }
    }

    private static func beats(_ connection: inout Connection, _ statement: Statement) throws -> Int64 {
        guard let beats = try connection.run(statement).rows.first?.integer(0) else { throw StoreError.corrupt }
        return beats
    }
}
