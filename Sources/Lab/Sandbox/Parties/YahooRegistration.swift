/// What Yahoo knows of an application.
package struct YahooRegistration: Sendable, Equatable {
    /// How an application stands to RFC 7636.
    package enum PKCE: String, Sendable, CaseIterable {
        /// A confidential client: a request with a `code_challenge` is refused.
        case refused
        /// `S256` is taken, and the verifier then asked for; a request without a challenge is taken too.
        case s256 = "S256"
    }

    package let clientID: String
    package let clientSecret: String
    /// Matched exactly; a loopback one without a port stands for every port (RFC 8252 §7.3).
    ///
    /// Yahoo itself wants `https`. The stand-in takes loopback and private-use schemes, since what it serves runs there.
    package internal(set) var redirectURIs: [String]
    /// The scopes that were ticked beforehand.
    ///
    /// A request for another is refused, even for a lesser one.
    package internal(set) var permissions: [String]
    package internal(set) var pkce: PKCE
}
