package import JOSE

/// All that the directory knows of one account.
package struct StoredAccount: Sendable, Equatable {
    package let uid: String
    package let createdAt: NumericDate
    package var isAnonymous = false
    /// When an anonymous account goes; nil for one that stays.
    package var deleteAfter: NumericDate?
    /// Made by Firebase or another server, and first seen here as a bearer: never swept.
    package var isAdopted = false
    /// Its person signs in by something besides the identities here, such as a password.
    package var hasOtherWayIn = false
    /// What that something is called, as far as it is known.
    package var waysIn = WaysIn()
    package var isDisabled = false
    package var email: EmailAddress?
    /// In the order of the providers' octets; one at most of each provider.
    package var identities: [StoredIdentity] = []

    package init(uid: String, createdAt: NumericDate) {
        self.uid = uid
        self.createdAt = createdAt
    }
}
