package import Firebase
package import Stores

/// Why a Firebase ID token does not speak for its user.
package enum BearerError: Error, Equatable, Sendable {
    case missing
    case idToken(FirebaseIDTokenError)
    /// Its sessions were ended, or its user is gone.
    case revoked
    case disabled
    case secondFactorEnrolled
    /// The person signed in too long ago for what is asked.
    case requiresRecentLogin
    /// A token that may be used once.
    case replayed
    /// Whether it was revoked cannot be told.
    case directory(StoreError)
}
