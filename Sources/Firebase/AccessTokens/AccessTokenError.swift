package import Transport

/// Why there is no access token.
package enum AccessTokenError: Error, Equatable, Sendable {
    /// Nobody answered, in as many attempts as the time allowed.
    case unreachable(TransportError)
    /// An answer of 400 to 499 other than those of ``busy(status:)``: this service account gets none.
    ///
    /// With 400 the usual reason is that its key was withdrawn, or that our clock is wrong.
    case refused(status: Int)
    /// 408, 429 or 5xx, in as many attempts as the time allowed.
    case busy(status: Int)
    /// The answer holds no token that could be used.
    case malformed
    /// The request for a token could not be signed.
    case signing
    /// There is none but the one that Google has just refused.
    case noOther
}
