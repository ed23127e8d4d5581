internal import JOSE
internal import Jansson

/// Tokens that applications pass in the place of an ID token.
///
/// All are refused, so that what they say of themselves may be believed; it only makes the answer a better one.
enum ForeignToken {
    static func check(_ jws: CompactJWS, projectID: String) throws(FirebaseIDTokenError) {
        guard let claims = (try? UnverifiedClaims(of: jws))?.json else { return }
        if claims["aud"]?.string == CustomTokenClaims.audience { throw .customToken }
        if claims["iss"]?.string == "https://session.firebase.google.com/" + projectID { throw .sessionCookie }
        if jws.header.algorithm == "HS256", claims["v"] == .integer(0), claims["d"]?["uid"] != nil {
            throw .legacyCustomToken
        }
    }
}
