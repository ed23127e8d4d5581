/// A Firebase user whose ID token was verified, or whom Identity Toolkit has described, as far as a directory has to
/// know them.
package struct FirebaseCaller: Sendable, Equatable {
    package let uid: String
    /// Whether Firebase itself calls them anonymous; of the accounts made here the directory knows better.
    package let isAnonymous: Bool
    /// Only a verified one.
    package let email: EmailAddress?
    /// What they can sign in by that is not ours, such as a password, as far as it is known.
    package let waysIn: WaysIn
    /// Whether Firebase knows anything by which this person could be told from others: a way in, or an address.
    ///
    /// An account whose user has an identity is never anonymous, even if this session began with our custom token.
    package let hasIdentity: Bool

    package init(
        uid: String, isAnonymous: Bool, email: EmailAddress?, waysIn: WaysIn = WaysIn(), hasIdentity: Bool = false
    ) {
        self.uid = uid
        self.isAnonymous = isAnonymous
        self.email = email
        self.waysIn = waysIn
        self.hasIdentity = hasIdentity || !waysIn.isEmpty
    }
}
