/// Where audit lines go.
package struct AuditTrail: Sendable {
    /// Returns at once: nobody's sign-in waits for a trail.
    package let record: @Sendable (AuditEvent) -> Void

    package init(record: @escaping @Sendable (AuditEvent) -> Void) {
        self.record = record
    }

    package static let none = AuditTrail { _ in }
}
