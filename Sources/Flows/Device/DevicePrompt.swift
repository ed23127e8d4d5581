package import OAuth
package import Providers

/// What a person is asked about a device before they leave for the provider.
package struct DevicePrompt: Sendable {
    package let application: String
    package let userCode: UserCode
    package let providers: [Provider]
    package let form: DeviceForm
}
