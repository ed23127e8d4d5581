package import JOSE

/// The tables with the watched and unwatched times.
extension SQLSession {
    package func watchReading() throws -> WatchReading {
        let row = try read(
            """
            SELECT (SELECT until FROM watch), (SELECT coalesce(max(until), 0) FROM unwatched), (SELECT through FROM swept),
                \(Self.machineClock)
            """
        ).first
        guard let row, let until = row.time(0), let end = row.time(1), let through = row.time(2)
        else { throw StoreError.corrupt }
        return WatchReading(
            watchedUntil: until, unwatchedUntil: end, sweptThrough: through, clock: row.time(3))
    }

    /// Records that the store watches now, and the period before now that it did not watch.
    ///
    /// - Parameters:
    ///   - recorded: The time until which the store has watched, which is read in the same transaction.
    ///   - isAnew: Whether to discard an earlier record, even one in the future.
    /// - Returns: The time until which the store has watched from now on, which the caller records.
    package func recordGap(
        at now: NumericDate, since recorded: NumericDate, _ continuity: WatchContinuity, isAnew: Bool
    ) throws -> NumericDate {
        let recorded = isAnew ? NumericDate(0) : recorded
        let newest = max(now, recorded)
        let time = UnwatchedTime.between(recorded, and: now, continuity)
        let end = (time?.end(at: newest) ?? newest).seconds
        switch time {
        case nil: break
        case .since(let start): try add(since: start.seconds, until: end)
        case .everythingBefore:
            try write("DELETE FROM unwatched")
            try add(since: .min, until: end)
            // A lost commit may have redeemed these rows. A row in an older copy or a replica does not prove that its
            // code is unused.
            try write("DELETE FROM handoffs")
            try write("DELETE FROM pending_credentials")
            try write("DELETE FROM device_grants WHERE state NOT IN ('pending', 'claimed')")
        }
        if recorded.seconds == 0 {
            // Sweeps advance in limited steps from this time.
            try write(
                "UPDATE swept SET through = ?1" + (isAnew ? "" : " WHERE through < ?1"), [.time(now - .seconds(3600))])
        }
        return newest
    }

    private func add(since start: Int64, until end: Int64) throws {
        try write(
            """
            INSERT INTO unwatched (since, until) VALUES (?1, ?2)
            ON CONFLICT (until) DO UPDATE SET since = excluded.since WHERE excluded.since < unwatched.since
            """, [.integer(start), .integer(end)])
        let oldest = try read(
            "SELECT until FROM unwatched ORDER BY until DESC LIMIT 1 OFFSET ?1",
            [.integer(Int64(UnwatchedTime.periodLimit - 1))]
        ).first?.integer(0)
        guard let oldest else { return }
        try write("DELETE FROM unwatched WHERE until < ?1", [.integer(oldest)])
        try write("UPDATE unwatched SET since = ?1 WHERE until = ?2", [.integer(.min), .integer(oldest)])
    }
}
