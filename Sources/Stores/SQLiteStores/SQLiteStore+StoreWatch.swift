package import JOSE
package import Stores

extension SQLiteStore: StoreWatch {
    package func watch(at now: NumericDate) async throws(StoreError) {
        let (time, isUnbroken) = clock.renew(at: now)
        try await perform { try $0.renew(at: time, isUnbroken ? .unbroken : .shared) }
    }

    package func watchReading() async throws(StoreError) -> WatchReading { try await read { try $0.watchReading() } }

    package func warnings() async throws(StoreError) -> [StoreWarning] { [] }
}

extension SQLiteSession {
    /// Records that the store watches now, and the period before now that it did not watch.
    ///
    /// - Parameters:
    ///   - now: The caller's clock.
    ///   - isAnew: Whether to discard an earlier record, even one in the future.
    /// - Throws: The error of SQLite, or ``StoreError/corrupt``.
    func renew(at now: NumericDate, _ continuity: WatchContinuity, isAnew: Bool = false) throws {
        let recorded = isAnew ? NumericDate(0) : try watchReading().watchedUntil
        let newest = try recordGap(at: now, since: recorded, continuity, isAnew: isAnew)
        try write("UPDATE watch SET until = ?1", [.integer(newest.seconds)])
    }
}
