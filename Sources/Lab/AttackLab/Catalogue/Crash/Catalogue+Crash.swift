extension Catalogue {
    /// Kills, restarts, other times, and databases that are not what they were.
    static let crash: [Attack] = [kills, killsInBetween, times, UnwatchedTimes.all, fullDisks, spoiltDatabases, starts]
        .flatMap(\.self)
}
