package import OAuth

/// The request to begin a flow at a provider.
package struct SignInRequest: Sendable {
    package let client: ClientID
    package let provider: ProviderID
    package let redirectURI: String
    /// The scopes beyond the configured ones.
    package let scopes: [String]
    /// Further parameters of the authorization request.
    package let parameters: [String: String]
    /// If it is nil, the default of the provider.
    package let flow: String?
    /// If it is nil, the flow signs in.
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

/// A flow that has begun: the URL for the person, and the session to post with the callback.
package struct BegunSignIn: Sendable {
    /// The URL of the provider, or of our confirmation page if the flow has an intent.
    package let authorizationURL: Secret
    package let session: Secret
    /// The lifetime of the session in seconds.
    package let expiresIn: Int64
}
