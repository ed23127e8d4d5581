/// What the `nonce` of a token has to be, for which there is no default.
package enum NonceExpectation: Sendable {
    /// One of those that were sent, which are one request's and not empty.
    case oneOf([String])
    /// Any or none: the issuer of this kind of token does not know nonces. Replay is not stopped by it then.
    case uncheckedBecauseProviderSendsNone
}
