internal import Firebase
internal import JOSE
internal import Jansson

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
        if payload["aud"]?.string == CustomTokenClaims.audience {
            self = .customToken
        } else if issuer.hasPrefix("https://securetoken.google.com/") {
            self = .firebaseIDToken
        } else if issuer.hasPrefix("https://session.firebase.google.com/") {
            self = .sessionCookie
        } else {
            self = .idToken
        }
    }
}
