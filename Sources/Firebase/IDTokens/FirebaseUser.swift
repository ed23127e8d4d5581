package import JOSE
package import Stores

/// A user of the Firebase project, proven by their ID token.
///
/// Only ``FirebaseIDTokenVerifier`` makes one. Whether the user was disabled or signed out since the token was issued
/// is not known.
package struct FirebaseUser: Sendable {
    /// 1 to 128 UTF-16 code units.
    package let uid: String
    /// When the person last proved who they are; a refreshed token keeps it.
    package let authenticatedAt: NumericDate
    package let issuedAt: NumericDate
    /// Whether Firebase calls them anonymous, and nothing in the token tells who they are.
    package let isAnonymous: Bool
    /// The Identity Platform tenant that they belong to.
    package let tenantID: String?
    /// Nil unless the token says that it is verified.
    package let email: String?
    /// `custom`, `password`, `google.com` and so on.
    package let signInProvider: String
    /// What they can sign in by at Firebase itself, as the token tells: `sign_in_provider`, unless it is a custom
    /// token's or an anonymous user's, and the providers among `identities`.
    ///
    /// An address among `identities` is none by itself: an administrator may have written it.
    package let waysIn: WaysIn
    /// Whether the token names anything by which this person could be told from others.
    ///
    /// A session that began with a custom token keeps its `sign_in_provider` for as long as it lasts, whatever its
    /// person adds meanwhile; `identities` says so.
    package let hasIdentity: Bool
    /// Whether a second factor was asked for, so that one is enrolled.
    package let usedSecondFactor: Bool
    /// For spending the token where it may be used once.
    package let record: SpentRecord
}
