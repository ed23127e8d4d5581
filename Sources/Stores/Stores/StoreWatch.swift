package import JOSE

/// A store that knows when it was there to see what is used.
///
/// A record that is not there proves that a credential was not used only if no record can have been lost. The store
/// keeps until when it has watched, and refuses what was issued before a time that it did not watch
/// (``SpendOutcome/unwatched(_:)``).
package protocol StoreWatch: Sendable {
    /// Records that the store has watched until now.
    ///
    /// Each process calls it every few seconds, and once more when it stops. If the store was not watched since the
    /// last record, the time in between becomes unwatched time in the same commit.
    ///
    /// - Parameter now: the caller's clock. The record never goes back.
    /// - Throws: ``StoreError``; it may be called again in any case.
    func watch(at now: NumericDate) async throws(StoreError)

    /// What the store says about clocks.
    func watchReading() async throws(StoreError) -> WatchReading

    /// What an operator should know about how the store is set up, although it works.
    func warnings() async throws(StoreError) -> [StoreWarning]
}

/// The times that a store keeps, and its own clock.
package struct WatchReading: Sendable, Equatable {
    /// The store has watched until then; zero if it never has.
    package let watchedUntil: NumericDate
    /// The end of the latest time that was not watched; zero if there is none.
    ///
    /// What was issued earlier may be refused.
    package let unwatchedUntil: NumericDate
    /// Records that expired earlier are forgotten.
    package let sweptThrough: NumericDate
    /// The clock of the machine that the store is on; nil if that is the caller's machine.
    package let clock: NumericDate?

    package init(
        watchedUntil: NumericDate, unwatchedUntil: NumericDate, sweptThrough: NumericDate, clock: NumericDate?
    ) {
        self.watchedUntil = watchedUntil
        self.unwatchedUntil = unwatchedUntil
        self.sweptThrough = sweptThrough
        self.clock = clock
    }

    /// Whether a clock that shows `now` was set back, so that the store takes nothing: ``StoreError/clockBehind``.
    package func isBehind(_ now: NumericDate) -> Bool {
        now + UnwatchedTime.clockTolerance < watchedUntil || now < sweptThrough
    }

    /// Whether the clock of the store's machine shows another time than `now`, by more than a minute.
    package func isClockOff(from now: NumericDate) -> Bool {
        guard let clock else { return false }
        return now + UnwatchedTime.clockTolerance < clock || clock + UnwatchedTime.clockTolerance < now
    }
}
