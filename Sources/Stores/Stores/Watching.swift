package import JOSE

/// Makes an open store one that watches.
package struct Watching: Sendable {
    package let time: TimeSource
    /// Whether everything that the store has recorded of clocks is void, and everything issued before now is refused.
    ///
    /// It is the way out after a clock was ahead for a while.
    package let isAnew: Bool

    package init(_ time: TimeSource, isAnew: Bool = false) {
        self.time = time
        self.isAnew = isAnew
    }
}
