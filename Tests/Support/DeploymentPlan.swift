package import Accounts
package import Flows
package import JOSE
package import Minting
package import Providers
package import Standards
package import Stores

/// The configuration of a test deployment.
///
/// A test changes only the values that it is about.
package struct DeploymentPlan {
    /// An application that may use every provider, and gets the provider's tokens.
    package static let app = ClientID("app")
    /// Another application with the same rights.
    package static let otherApp = ClientID("other-app")
    /// An application that may use only Yahoo, and gets no tokens of the provider.
    package static let yahooApp = ClientID("yahoo-app")

    package static let redirectURI = "https://app.example/cb"
    package static let otherRedirectURI = "https://other-app.example/cb"
    package static let loopbackURI = "http://127.0.0.1/cb"
    package static let schemeURI = "com.example.app:/cb"

    package var clients = [
        client(app), client(otherApp, redirectURIs: [redirectURI, otherRedirectURI]),
        client(yahooApp, providers: [Yahoo.id], returnsProviderTokens: false),
    ]
    package var yahoo = OpenIDConnectRegistration(
        .yahoo, clientID: Yahoo.clientID, clientAuthentication: .clientSecretBasic(Secret(Yahoo.clientSecret)))
    package var generic = OpenIDConnectRegistration(
        clientID: Generic.clientID, clientAuthentication: .clientSecretPost(Secret(Generic.clientSecret)))
    package var xAcceptedCredentials: Set<CredentialType> = [.authorizationCode, .oauth1Token]
    package var xDefaultFlow = "oauth2"
    package var xScopes = TwitterTemplate.scopes
    package var xProfileRule = ProfileRule.always
    package var onProfileRefusal: @Sendable (ProviderID, ProviderFailure) -> Void = { _, _ in }
    package var uidRule = UIDRule.template([.placeholder(.provider), .text(":"), .placeholder(.subject)])
    package var claimTemplates: [String: IdentityTemplate] = ["idp": [.placeholder(.provider)]]
    package var hooks: [HookPoint: Hook] = [:]
    package var onHookFailure: @Sendable (HookPoint, HookFailure) -> Void = { _, _ in }
    /// What signs custom tokens; `nil` for the key of the service account.
    package var signer: CustomTokenSigner?
    package var rules = AccountRules()
    /// Shared by default, since the identities of most tests have the same address.
    package var emails = EmailRule.shared
    /// Whether the deployment uses Identity Toolkit; if so, the test must script its responses.
    package var asksGoogle = false
    /// Whether second factors belong to an account of one tenant.
    package var isPerTenant = false
    /// The last second that the store has not watched.
    package var watchedSince = NumericDate(1)
    /// Keys of 32 octets each.
    ///
    /// The first one seals, and all of them open.
    package var sealKeys = Self.sealKeys
    /// Keys of 32 octets each.
    ///
    /// The first one seals, and all of them open.
    package var storeKeys = Self.storeKeys
    package static let sealKeys = [[UInt8](repeating: 7, count: 32)]
    package static let storeKeys = [[UInt8](repeating: 8, count: 32)]

    init() {
        yahoo.furtherClientIDs = [Yahoo.phoneClientID]
        yahoo.allowedScopes = ["mail-r"]
        generic.endpoints.issuers = [Generic.issuer]
        generic.endpoints.introspection = Generic.introspection
        generic.acceptedCredentials = [.authorizationCode, .idToken, .accessToken]
    }

    package static func client(
        _ id: ClientID, redirectURIs: [String] = [redirectURI, loopbackURI, schemeURI],
        providers: [ProviderID]? = nil, grants: Set<GrantType> = Set(GrantType.allCases),
        returnsProviderTokens: Bool = true, tokenLifetime: Duration = .seconds(300),
        allowsAnonymous: Bool = true, returnsFirebaseSession: Bool = false, tenantID: String? = nil,
        appCheck: AppCheckRule = .off, allowedEmailDomains: Set<EmailDomain>? = nil,
        providerRedirectURIs: ProviderRedirectURIs? = nil
    ) -> RegisteredClient {
        RegisteredClient(
            id: id, name: id.text, redirectURIs: redirectURIs,
            providerRedirectURIs: providerRedirectURIs ?? .shared(redirectURIs),
            providers: providers, origins: ["https://app.example"], grants: grants,
            returnsProviderTokens: returnsProviderTokens,
            tokenLifetime: tokenLifetime, allowsAnonymous: allowsAnonymous,
            returnsFirebaseSession: returnsFirebaseSession,
            tenantID: tenantID, appCheck: appCheck, allowedEmailDomains: allowedEmailDomains)
    }
}
