/// What X knows of an application.
package struct XRegistration: Sendable, Equatable {
    /// Of OAuth 1.0a.
    package let consumerKey: String
    package let consumerSecret: String
    /// Of OAuth 2.0.
    package let clientID: String
    /// Nil for a public client ("Native App").
    package let clientSecret: String?
    /// For both protocols.
    ///
    /// Matched exactly; a loopback one without a port stands for every port (RFC 8252 §7.3).
    package internal(set) var callbacks: [String]
}
