package import OAuth

/// A credential of one provider, posted by one client.
package struct ExchangeRequest: Sendable {
    package let client: ClientID
    package let provider: ProviderID
    package let credential: Credential

    package init(client: ClientID, provider: ProviderID, credential: Credential) {
        self.client = client
        self.provider = provider
        self.credential = credential
    }
}
