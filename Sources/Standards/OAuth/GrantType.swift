/// What `POST /token` takes, by its name on the wire.
package enum GrantType: String, Sendable, Hashable, CaseIterable {
    /// RFC 6749 §4.1.3; the code is a handoff code.
    case authorizationCode = "authorization_code"
    /// RFC 8693 §2.1.
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// RFC 8628 §3.4.
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
}
