/// A Firebase user whose ID token was verified, as far as a directory has to know them.
package struct Bearer: Sendable, Equatable {
    package let uid: String
    /// Whether Firebase itself calls them anonymous; of the accounts made here the directory knows better.
    package let isAnonymous: Bool
    /// Only a verified one.
    package let email: EmailAddress?
    /// Whether they signed in by something that is not ours, such as a password.
    package let hasOtherWayIn: Bool

    package init(uid: String, isAnonymous: Bool, email: EmailAddress?, hasOtherWayIn: Bool = false) {
        self.uid = uid
        self.isAnonymous = isAnonymous
        self.email = email
        self.hasOtherWayIn = hasOtherWayIn
    }
}
