/// Where a sign-in ends, in words that a person can compare with what they began.
package enum Destination: Sendable, Equatable {
    /// An https redirect. The host is shown as it is given: ASCII, an international name in its `xn--` form.
    case website(host: String)
    /// A private-use scheme (RFC 8252 §7.1). Any application can claim it, so the page adds a caution.
    case application(scheme: String)
    /// A loopback address (RFC 8252 §7.3), with the same caution.
    case thisDevice
}
