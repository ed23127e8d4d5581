internal import ServiceLifecycle

/// Tells the doors that nobody new is let in, as soon as a graceful shutdown begins.
package struct DrainService: Service {
    private let admission: Admission

    package init(_ admission: Admission) {
        self.admission = admission
    }

    package func run() async throws {
        try await gracefulShutdown()
        admission.drain()
    }
}
