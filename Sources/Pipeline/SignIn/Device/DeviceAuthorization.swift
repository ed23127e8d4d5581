package import OAuth
package import Providers

/// What a device is given to begin with (RFC 8628 §3.2).
package struct DeviceAuthorization: Sendable {
    package let deviceCode: Secret
    package let userCode: UserCode
    /// Seconds.
    package let expiresIn: Int64
    /// Seconds.
    package let interval: Int64
}

/// A page of the device flow: the hidden field of its form, and the cookie that says which browser it is.
package struct DeviceForm: Sendable {
    package let field: Secret
    package let browser: FlowCookie
}

/// What a person is asked about a device before they leave for the provider.
package struct DevicePrompt: Sendable {
    package let application: String
    package let userCode: UserCode
    package let providers: [Provider]
    package let form: DeviceForm
}

/// What a person is asked about a device after they have signed in.
package struct DeviceApproval: Sendable {
    package let application: String
    package let provider: String
    /// Who signed in, as the provider names them.
    package let person: String
    package let form: DeviceForm
}

/// The device flow has heard the person's last word.
package struct DeviceDecision: Sendable {
    package let application: String
    package let isApproved: Bool
}
