package import OAuth
package import Providers

/// What a person is asked before a flow leaves for the provider.
package struct SignInPrompt: Sendable {
    package let application: String
    /// Nil if the flow signs in.
    package let purpose: AccountIntent.Purpose?
    /// The account that the flow is for, and the name of its provider; nil if the flow signs in.
    package let account: (name: AccountName, provider: String?)?
    package let redirectURI: String
    package let providers: [Provider]
    /// For the form.
    package let handle: Secret
}
