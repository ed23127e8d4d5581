internal import GRDB
package import Stores

extension SQLiteStore: StoreHealth {
    package func check() async throws(StoreError) {
        let written: Int = try await writes.write { db in
            try db.execute(sql: "UPDATE heartbeat SET beats = beats + 1")
            return .keep(try Self.beats(db))
        }
        // Another process may have added beats of its own.
        guard try await read(Self.beats) >= written else { throw .unavailable(.other) }
    }

    private static func beats(_ db: Database) throws -> Int {
        guard let beats = try Int.fetchOne(db, sql: "SELECT beats FROM heartbeat") else {
            throw StoreError.corrupt
        }
        return beats
    }
}
