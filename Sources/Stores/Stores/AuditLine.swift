package import JOSE

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
