package import OAuth

/// An application that may ask: a public client, which has no secret and is only as trustworthy as its redirect URIs.
package final class RegisteredClient: Sendable {
    package let id: ClientID
    package let name: String
    /// Where finished browser flows are sent.
    package let redirectURIs: [String]
    /// Of codes that it obtained by itself, and of the flows that it begins at `POST /v1/signin`.
    package let providerRedirectURIs: [String]
    /// Nil for every configured provider.
    package let providers: Set<ProviderID>?
    /// Web origins that may call us from a browser, `https://app.example.com`.
    package let origins: Set<String>
    /// What it may ask of `POST /token`.
    package let grants: Set<GrantType>
    package let returnsProviderTokens: Bool
    package let tokenLifetime: Duration
    /// Whether it may make anonymous accounts.
    package let allowsAnonymous: Bool
    /// Whether it gets Firebase's own tokens instead of a custom token.
    package let redeems: Bool
    /// The Identity Platform tenant that its people belong to; nil for the deployment's.
    package let tenantID: String?
    package let appCheck: AppCheckRule

    package init(
        id: ClientID, name: String, redirectURIs: [String], providerRedirectURIs: [String],
        providers: Set<ProviderID>?, origins: Set<String>, grants: Set<GrantType>, returnsProviderTokens: Bool,
        tokenLifetime: Duration, allowsAnonymous: Bool = false, redeems: Bool = false, tenantID: String? = nil,
        appCheck: AppCheckRule = .off
    ) {
        self.id = id
        self.name = name
        self.redirectURIs = redirectURIs
        self.providerRedirectURIs = providerRedirectURIs
        self.providers = providers
        self.origins = origins
        self.grants = grants
        self.returnsProviderTokens = returnsProviderTokens
        self.tokenLifetime = tokenLifetime
        self.allowsAnonymous = allowsAnonymous
        self.redeems = redeems
        self.tenantID = tenantID
        self.appCheck = appCheck
    }
}
