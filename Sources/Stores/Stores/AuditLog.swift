package import JOSE

/// Who did what to which account, for as long as the operator keeps it.
package protocol AuditLog: Sendable {
    /// Adds lines; one that is there already stays as it is.
    func append(_ lines: [AuditLine]) async throws(StoreError)

    /// Forgets some of the lines that are older than a moment, the oldest first.
    ///
    /// - Returns: how many it were; fewer than `limit` when there are no more.
    func sweepAudit(olderThan moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int
}
