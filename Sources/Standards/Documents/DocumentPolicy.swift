/// How long a document is kept, and how often its peer is asked.
package struct DocumentPolicy: Sendable, Equatable {
    /// A document is kept at least so long, whatever its `Cache-Control` says.
    package var minimumLifetime: Duration = .seconds(5 * 60)
    /// A document is kept at most so long, whatever its `Cache-Control` says.
    package var maximumLifetime: Duration = .seconds(24 * 60 * 60)
    /// The lifetime of a document that comes without `max-age`.
    package var defaultLifetime: Duration = .seconds(60 * 60)
    /// How long after its lifetime a document still serves while no newer one can be had.
    package var staleLimit: Duration = .seconds(24 * 60 * 60)
    /// From one attempt to the next: to the next unplanned one, and to any after an answer that was no document.
    package var cooldown: Duration = .seconds(30)
    /// The time that one fetch may take.
    package var timeout: Duration = .seconds(5)
    /// A longer body is no document.
    package var maximumBodyBytes = 256 * 1024

    package init() {}

    /// The wait after so many failures in a row, counted from the last attempt.
    ///
    /// A peer that answered is asked again after the cool-down. One that could not be reached, or could not answer (RFC
    /// 9110 §15.6), is asked sooner, at doubling intervals: such trouble is often over in a second.
    func pause(after error: DocumentError, failures: Int) -> Duration {
        switch error {
        case .unreachable, .status(500...): min(cooldown, .seconds(1 << min(max(0, failures - 1), 16)))
        case .status, .malformed: cooldown
        }
    }
}
