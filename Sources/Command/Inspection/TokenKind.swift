internal import JOSE
internal import Jansson
internal import Minting

/// What a token says that it is.
///
/// Nothing of it is believed yet.
enum TokenKind: String {
    case customToken = "Firebase custom token"
    case firebaseIDToken = "Firebase ID token"
    case sessionCookie = "Firebase session cookie"
    case idToken = "ID token"

    init(_ payload: JSON) {
        let issuer = payload["iss"]?.string ?? ""
        if payload["aud"]?.string == CustomTokenClaims.audience || Self.isSelfIssued(payload) {
            self = .customToken
        } else if issuer.hasPrefix("https://securetoken.google.com/") {
            self = .firebaseIDToken
        } else if issuer.hasPrefix("https://session.firebase.google.com/") {
            self = .sessionCookie
        } else {
            self = .idToken
        }
    }

    /// Whether a token is made as custom tokens are, by a service account that speaks for itself and names a uid.
    ///
    /// No ID token is: its `sub` is the person. So a custom token whose `aud` is wrong is told by its true name, and
    /// the `aud` is what is found fault with.
    private static func isSelfIssued(_ payload: JSON) -> Bool {
        guard let issuer = payload["iss"]?.string, payload["uid"]?.string != nil else { return false }
        return issuer.contains("@") && payload["sub"] == .string(issuer)
    }
}
