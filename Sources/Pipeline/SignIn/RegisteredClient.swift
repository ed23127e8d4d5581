package import OAuth

/// An application that may ask: a public client, which has no secret and is only as trustworthy as its redirect URIs.
package struct RegisteredClient: Sendable {
    package let id: ClientID
    package let name: String
    /// Of codes that it obtained by itself, and of the flows that it begins at `POST /v1/signin`.
    package let providerRedirectURIs: [String]
    /// Nil for every configured provider.
    package let providers: Set<ProviderID>?
    /// Web origins that may call us from a browser, `https://app.example.com`.
    package let origins: Set<String>
    package let returnsProviderTokens: Bool
    package let tokenLifetime: Duration

    package init(
        id: ClientID, name: String, providerRedirectURIs: [String], providers: Set<ProviderID>?,
        origins: Set<String>, returnsProviderTokens: Bool, tokenLifetime: Duration
    ) {
        self.id = id
        self.name = name
        self.providerRedirectURIs = providerRedirectURIs
        self.providers = providers
        self.origins = origins
        self.returnsProviderTokens = returnsProviderTokens
        self.tokenLifetime = tokenLifetime
    }
}
