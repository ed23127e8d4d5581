package import OAuth

/// What a device is given to begin with (RFC 8628 §3.2).
package struct DeviceAuthorization: Sendable {
    package let deviceCode: Secret
    package let userCode: UserCode
    /// Seconds.
    package let expiresIn: Int64
    /// Seconds.
    package let interval: Int64
}
