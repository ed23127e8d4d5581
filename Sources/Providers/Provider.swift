package import OAuth

/// A provider as data: what is known of it, and what this deployment is to it.
///
/// A new one is written as values, not as code; if values are not enough, it takes a new ``SignInProtocol``.
package final class Provider: Sendable {
    package let id: ProviderID
    /// Shown to people.
    package let name: String
    /// By the name that `flow` has at `POST /v1/signin`.
    package let protocols: [String: SignInProtocol]
    package let defaultFlow: String
    /// What `POST /v1/exchange` takes; `callback` is always taken, since only we can have begun it.
    package let acceptedCredentials: Set<CredentialType>
    /// Scopes that an application may ask for beyond the configured ones.
    package let allowedScopes: Set<String>
    /// Authorization-request parameters that an application may set.
    package let allowedParameters: Set<String>
    package let emailTrust: EmailTrust
    /// For each call to the provider.
    package let timeout: Duration
    package let profileRule: ProfileRule
    /// Calls of one ``CallKind`` under way at once; further ones wait.
    package let maximumCalls: Int

    package static let defaultMaximumCalls = 256

    package init(
        id: ProviderID, name: String, protocols: [String: SignInProtocol], defaultFlow: String,
        acceptedCredentials: Set<CredentialType>, allowedScopes: Set<String>, allowedParameters: Set<String>,
        emailTrust: EmailTrust, timeout: Duration, profileRule: ProfileRule = .always,
        maximumCalls: Int = defaultMaximumCalls
    ) {
        precondition(protocols[defaultFlow] != nil, "The default flow is one of the provider's.")
        self.id = id
        self.name = name
        self.protocols = protocols
        self.defaultFlow = defaultFlow
        self.acceptedCredentials = acceptedCredentials
        self.allowedScopes = allowedScopes
        self.allowedParameters = allowedParameters
        self.emailTrust = emailTrust
        self.timeout = timeout
        self.profileRule = profileRule
        self.maximumCalls = maximumCalls
    }

    package var openIDConnect: OpenIDConnect? {
        protocols.values.lazy.compactMap { if case .openIDConnect(let it) = $0 { it } else { nil } }.first
    }

    package var oauth2: OAuth2? {
        protocols.values.lazy.compactMap { if case .oauth2(let it) = $0 { it } else { nil } }.first
    }

    package var oauth1: OAuth1? {
        protocols.values.lazy.compactMap { if case .oauth1(let it) = $0 { it } else { nil } }.first
    }
}
