internal import Accounts
internal import Firebase
internal import Providers
package import Standards
package import Stores
internal import Verification

/// An application that the configuration names.
///
/// It is a public client (RFC 6749 §2.1): it has no secret, so that a browser flow can trust only its redirect URIs.
package final class RegisteredClient: Sendable {
    package let id: ClientID
    package let name: String
    /// Redirect URIs at which browser flows may end.
    package let redirectURIs: [String]
    /// Redirect URIs for codes that the application obtained by itself and for sign-ins that began at `POST /v1/signin`.
    package let providerRedirectURIs: ProviderRedirectURIs
    /// The providers that it may use, in the order of its pages; `nil` allows every configured provider, ordered by id.
    package let providers: [ProviderID]?
    /// Web origins whose scripts may call the JSON endpoints, for example `https://app.example.com`.
    package let origins: Set<String>
    /// The grant types that it may send to `POST /token`.
    package let grants: Set<GrantType>
    package let returnsProviderTokens: Bool
    /// Whether responses contain the provider's own answer about the person.
    package let returnsProviderProfile: Bool
    package let tokenLifetime: Duration
    /// Whether it may create anonymous accounts.
    package let allowsAnonymous: Bool
    /// Whether responses contain Firebase's ID token and refresh token instead of a custom token.
    package let returnsFirebaseSession: Bool
    /// The Identity Platform tenant of its users; `nil` stands for the tenant of the deployment.
    package let tenantID: String?
    package let appCheck: AppCheckRule
    /// The domains of verified addresses with which a person may sign in; `nil` allows every person.
    package let allowedEmailDomains: Set<EmailDomain>?
    package let branding: Branding

    package init(
        id: ClientID, name: String, redirectURIs: [String], providerRedirectURIs: ProviderRedirectURIs,
        providers: [ProviderID]?, origins: Set<String>, grants: Set<GrantType>, returnsProviderTokens: Bool,
        returnsProviderProfile: Bool = false, tokenLifetime: Duration, allowsAnonymous: Bool = false,
        returnsFirebaseSession: Bool = false, tenantID: String? = nil, appCheck: AppCheckRule = .off,
        allowedEmailDomains: Set<EmailDomain>? = nil, branding: Branding = .none
    ) {
        self.id = id
        self.name = name
        self.redirectURIs = redirectURIs
        self.providerRedirectURIs = providerRedirectURIs
        self.providers = providers
        self.origins = origins
        self.grants = grants
        self.returnsProviderTokens = returnsProviderTokens
        self.returnsProviderProfile = returnsProviderProfile
        self.tokenLifetime = tokenLifetime
        self.allowsAnonymous = allowsAnonymous
        self.returnsFirebaseSession = returnsFirebaseSession
        self.tenantID = tenantID
        self.appCheck = appCheck
        self.allowedEmailDomains = allowedEmailDomains
        self.branding = branding
    }

    /// Returns the redirect URIs for codes and sign-ins of one provider.
    func providerRedirectURIs(at provider: Provider) -> [String] { providerRedirectURIs.uris(at: provider.id) }

    /// Returns the refusal of a redirect URI that is not registered for this server's own redirects.
    func refusal(of redirectURI: String) -> Refusal {
        .redirectURINotAllowed(redirectURI, in: "redirect_uris", of: id, registered: redirectURIs)
    }

    /// Returns the refusal of a redirect URI that is not registered for the redirects of a provider.
    func refusal(of redirectURI: String, at provider: Provider) -> Refusal {
        .redirectURINotAllowed(
            redirectURI, in: "provider_redirect_uris", of: id, registered: providerRedirectURIs(at: provider))
    }

    /// Whether the person of an identity may sign in, by the domain of their verified address.
    ///
    /// An anonymous account (`nil`) has no address.
    func allowsDomain(of identity: VerifiedIdentity?) -> Bool {
        allowsDomain(ofAddress: identity?.profile.isEmailVerified == true ? identity?.profile.email : nil)
    }

    /// Returns the refusal of a person that `allowsDomain` does not admit, which tells the operator why.
    ///
    /// - Parameter identity: The identity of the person; `nil` if another evidence than an identity was checked.
    func refusal(ofDomainOf identity: VerifiedIdentity?) -> Refusal {
        let found =
            switch (identity, identity?.profile.email, identity?.profile.isEmailVerified) {
            case (nil, _, _): "the account has no verified email address of these domains"
            case (_, nil, _): "the provider sends no email address of this person"
            case (_, _, true?): "the verified email address of this person is of another domain"
            case (_, _, _): "the email address that the provider sends does not count as verified (trust_email)"
            }
        let domains = Refusal.listed((allowedEmailDomains ?? []).map(\.text))
        return .emailDomainNotAllowed.with(
            finding: "\(found); clients.\(id.text).allowed_email_domains has \(domains)")
    }

    /// Whether a custom token may be minted for an account, by the evidence of its sign-in.
    func allowsDomain(of account: Account) -> Bool {
        switch account.evidence {
        case .identity(let identity): allowsDomain(of: identity)
        case .anonymous: allowsDomain(of: nil)
        case .session(let user): allowsDomain(ofAddress: user.email)
        }
    }

    // `address` is verified; nil if there is none.
    private func allowsDomain(ofAddress address: String?) -> Bool {
        guard let allowedEmailDomains else { return true }
        guard let address = address.flatMap({ EmailAddress($0) }) else { return false }
        return allowedEmailDomains.contains(address.domain)
    }
}
