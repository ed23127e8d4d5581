/// What a person is asked about a device after they have signed in.
package struct DeviceApproval: Sendable {
    package let application: String
    package let provider: String
    /// Who signed in, as the provider names them.
    package let person: String
    package let form: DeviceForm
}
