internal import GRDB
package import JOSE
package import Stores

extension SQLiteStore: StoreWatch {
    package func watch(at now: NumericDate) async throws(StoreError) {
        let continuity: WatchContinuity = clock.renew(at: now) ? .unbroken : .shared
        try await writes.write { db in
            try WatchTables.renew(at: now, continuity, isAnew: false, db)
            return .keep(())
        }
    }

    package func watchReading() async throws(StoreError) -> WatchReading {
        try await writes.read { try WatchTables.reading($0) }
    }

    package func warnings() async throws(StoreError) -> [StoreWarning] { [] }
}
