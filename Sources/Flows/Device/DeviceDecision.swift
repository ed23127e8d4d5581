/// The device flow has heard the person's last word.
package struct DeviceDecision: Sendable {
    package let application: String
    package let isApproved: Bool
}
