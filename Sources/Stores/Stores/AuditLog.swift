package import JOSE
package import Standards

/// The audit trail of changes to accounts, kept for as long as the operator configures.
package protocol AuditLog: Sendable {
    /// Adds lines. A line whose ID is already stored is ignored.
    func append(_ lines: [AuditLine]) async throws(StoreError)

    /// Deletes lines that are older than `moment`, the oldest first.
    ///
    /// - Returns: The number of deleted rows; fewer than `limit` if no more are left.
    func sweepAudit(olderThan moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int
}

/// One record of the audit trail, as the store keeps it.
package struct AuditLine: Sendable, Equatable {
    /// The ID of the request.
    ///
    /// A second line with the same ID is ignored.
    package let id: String
    package let at: NumericDate
    /// The uid of the account that the line is about, for searching; `nil` if there is none.
    package let uid: UID?
    /// The record as JSON.
    package let text: String

    package init(id: String, at: NumericDate, uid: UID?, text: String) {
        self.id = id
        self.at = at
        self.uid = uid
        self.text = text
    }
}
