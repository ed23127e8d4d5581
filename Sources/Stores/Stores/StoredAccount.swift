package import JOSE

/// What the directory knows of one account.
package struct StoredAccount: Sendable, Equatable {
    package let uid: String
    /// Whether this very call made it.
    package let isNew: Bool
    package let createdAt: NumericDate

    package init(uid: String, isNew: Bool, createdAt: NumericDate) {
        self.uid = uid
        self.isNew = isNew
        self.createdAt = createdAt
    }
}
