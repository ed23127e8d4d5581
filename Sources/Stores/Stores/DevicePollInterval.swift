/// How often a device may ask, in seconds.
package enum DevicePollInterval {
    /// RFC 8628 §3.5: what a device that was told nothing assumes.
    package static let initial: Int64 = 5
    /// RFC 8628 §3.5: added for this and all requests after it.
    package static let step: Int64 = 5
    package static let longest: Int64 = 60
}
