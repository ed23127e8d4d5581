package import OAuth

/// An application that the configuration names.
///
/// It is a public client (RFC 6749 §2.1): it has no secret, so that a browser flow can trust only its redirect URIs.
package final class RegisteredClient: Sendable {
    package let id: ClientID
    package let name: String
    /// Redirect URIs at which browser flows may end.
    package let redirectURIs: [String]
    /// Redirect URIs for codes that the application obtained by itself and for sign-ins that began at `POST /v1/signin`.
    package let providerRedirectURIs: [String]
    /// The providers that it may use, in the order of its pages; `nil` allows every configured provider, ordered by id.
    package let providers: [ProviderID]?
    /// Web origins whose scripts may call the JSON endpoints, for example `https://app.example.com`.
    package let origins: Set<String>
    /// The grant types that it may send to `POST /token`.
    package let grants: Set<GrantType>
    package let returnsProviderTokens: Bool
    package let tokenLifetime: Duration
    /// Whether it may create anonymous accounts.
    package let allowsAnonymous: Bool
    /// Whether responses contain Firebase's ID token and refresh token instead of a custom token.
    package let redeems: Bool
    /// The Identity Platform tenant of its users; `nil` stands for the tenant of the deployment.
    package let tenantID: String?
    package let appCheck: AppCheckRule
    package let branding: Branding

    package init(
        id: ClientID, name: String, redirectURIs: [String], providerRedirectURIs: [String],
        providers: [ProviderID]?, origins: Set<String>, grants: Set<GrantType>, returnsProviderTokens: Bool,
        tokenLifetime: Duration, allowsAnonymous: Bool = false, redeems: Bool = false, tenantID: String? = nil,
        appCheck: AppCheckRule = .off, branding: Branding = .none
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
        self.branding = branding
    }
}
