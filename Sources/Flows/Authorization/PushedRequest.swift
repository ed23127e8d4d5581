package import OAuth

/// An authorization request that waits for its browser.
package struct PushedRequest: Sendable {
    package let requestURI: Secret
    /// Seconds.
    package let expiresIn: Int64
}
