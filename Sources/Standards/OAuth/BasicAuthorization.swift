/// The header field of HTTP Basic authentication, on one line whatever its length.
package enum BasicAuthorization {
    /// RFC 6749 §2.3.1 percent-encodes both halves first; the ids and secrets of Yahoo and X hold nothing that this
    /// changes, so that the standard's form serves them as well.
    package static func field(clientID: String, clientSecret: Secret) -> String {
        let pair = PercentEncoding.encode(clientID) + ":" + PercentEncoding.encode(clientSecret.secretText)
        return "Basic " + Base64.encode(Array(pair.utf8))
    }
}
