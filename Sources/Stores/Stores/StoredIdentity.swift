package import JOSE

/// An identity that is linked to an account.
package struct StoredIdentity: Sendable, Equatable {
    package let identity: ExternalIdentity
    /// Of the last sign-in that brought any.
    package let details: IdentityDetails
    package let linkedAt: NumericDate
    /// Exact to the hour, so that not every sign-in has to write.
    package let lastUsedAt: NumericDate

    package init(
        identity: ExternalIdentity, details: IdentityDetails, linkedAt: NumericDate, lastUsedAt: NumericDate
    ) {
        self.identity = identity
        self.details = details
        self.linkedAt = linkedAt
        self.lastUsedAt = lastUsedAt
    }
}
