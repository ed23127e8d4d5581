package import OAuth

/// A flow that an application wants to begin at a provider.
package struct SignInRequest: Sendable {
    package let client: ClientID
    package let provider: ProviderID
    package let redirectURI: String
    /// Beyond the configured ones.
    package let scopes: [String]
    /// For the authorization request.
    package let parameters: [String: String]
    /// The provider's default where nil.
    package let flow: String?
    /// Nil to sign in.
    package let purpose: AccountIntent.Purpose?

    package init(
        client: ClientID, provider: ProviderID, redirectURI: String, scopes: [String], parameters: [String: String],
        flow: String?, purpose: AccountIntent.Purpose? = nil
    ) {
        self.client = client
        self.provider = provider
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.parameters = parameters
        self.flow = flow
        self.purpose = purpose
    }
}
