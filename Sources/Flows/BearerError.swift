package import Firebase
package import Stores

/// Why a Firebase ID token does not speak for its user.
package enum BearerError: Error, Equatable, Sendable {
    case missing
    case idToken(FirebaseIDTokenError)
    /// Its sessions were ended.
    case revoked
    /// Its account was deleted or merged into another one, or its user was deleted at Firebase.
    case gone
    case disabled
    case secondFactorEnrolled
    /// The person signed in too long ago for what is asked.
    case requiresRecentLogin
    /// A token that may be used once.
    case replayed
    /// A token that may be used once, issued before a time in which its use may not have been recorded.
    case unwatched
    /// Whether it was revoked cannot be told.
    case directory(StoreError)
}
