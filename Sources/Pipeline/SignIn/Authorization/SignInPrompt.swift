package import OAuth
package import Providers

/// What a person is asked before a flow leaves for the provider.
package struct SignInPrompt: Sendable {
    package let application: String
    /// Nil where the flow signs in.
    package let purpose: AccountIntent.Purpose?
    package let redirectURI: String
    package let providers: [Provider]
    /// For the form.
    package let handle: Secret
}
