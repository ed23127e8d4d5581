/// What came of spending: only after ``first`` may anything be handed out.
package enum SpendOutcome: Sendable, Equatable {
    /// All records were new, and now they are kept for good, whatever happens to this process or this machine.
    case first
    /// One of that kind was there before, and none was added.
    case replayed(SpentKind)
    /// One of that kind was issued before a time that the store did not watch, so that it may have been used; none was
    /// added.
    case unwatched(SpentKind)
    /// One of that kind could be forgotten at once, since it has expired, and none was added.
    case expired(SpentKind)
}
