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

/// One line of the audit trail, as the store keeps it.
package struct AuditLine: Sendable, Equatable {
    /// Of the request; another line of the same one is not kept.
    package let id: String
    package let at: NumericDate
    /// Whom it is about, so that it can be found; nil where nobody is known.
    package let uid: String?
    /// JSON.
    package let text: String

    package init(id: String, at: NumericDate, uid: String?, text: String) {
        self.id = id
        self.at = at
        self.uid = uid
        self.text = text
    }
}
