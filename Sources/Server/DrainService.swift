internal import ServiceLifecycle

/// Ends the public listener in two steps when a graceful shutdown begins.
///
/// First `/readyz` fails while requests are answered as before: a load balancer that asks it sees this before any
/// connection is refused. After the delay new requests are refused, and the listener, which ends after this service,
/// closes.
package struct DrainService: Service {
    private let admission: Admission
    private let delay: Duration
    private let wait: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - admission: That of the public listener.
    ///   - delay: How long the load balancer has.
    ///   - wait: Returns after a time; a cancellation ends it.
    package init(
        _ admission: Admission, delay: Duration,
        wait: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.admission = admission
        self.delay = delay
        self.wait = wait
    }

    package func run() async throws {
        try await gracefulShutdown()
        admission.announceDrain()
        if delay > .zero { try? await wait(delay) }
        admission.drain()
    }
}
