package import OAuth

/// A page of the device flow: the hidden field of its form, and the cookie that says which browser it is.
package struct DeviceForm: Sendable {
    package let field: Secret
    package let browser: FlowCookie
}
