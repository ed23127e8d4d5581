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
    package let isAnonymous: Bool
    /// The Identity Platform tenant that they belong to.
    package let tenantID: String?
    /// Nil unless the token says that it is verified.
    package let email: String?
    /// `custom`, `password`, `google.com` and so on.
    package let signInProvider: String
    /// Whether they signed in by something that is neither a custom token nor nothing at all.
    package var hasOtherWayIn: Bool { !isAnonymous && signInProvider != "custom" }
    /// Whether a second factor was asked for, so that one is enrolled.
    package let usedSecondFactor: Bool
    /// For spending the token where it may be used once.
    package let record: SpentRecord
}
