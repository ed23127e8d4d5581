package import OAuth

/// What the configuration says of an OpenID Provider.
package struct OpenIDConnectRegistration: Sendable {
    /// Shown to people; the template's where nil.
    package var name: String?
    package var clientID: String
    package var furtherClientIDs: [String] = []
    package var clientAuthentication: ClientAuthentication
    package var scopes: [String]?
    package var allowedScopes: Set<String> = []
    package var allowedParameters: Set<String>?
    package var pkce: ProofKeyMethod?
    package var acceptedCredentials: Set<CredentialType> = [.authorizationCode, .idToken]
    package var nonceRule = NonceRule.server
    package var maximumAge = Duration.seconds(600)
    package var clockSkew = Duration.seconds(60)
    package var maximumLifetime = Duration.seconds(86_400)
    package var reauthentication = FreshLogin.Evidence.authenticationTime
    package var profileRule = ProfileRule.always
    package var maximumCalls = Provider.defaultMaximumCalls
    package var emailTrust = EmailTrust.claim
    package var endpoints = EndpointOverrides()
    package var timeout = Duration.seconds(10)

    package init(clientID: String, clientAuthentication: ClientAuthentication) {
        self.clientID = clientID
        self.clientAuthentication = clientAuthentication
    }
}

/// Endpoints that the configuration names itself; each replaces what the template or discovery says.
package struct EndpointOverrides: Sendable, Equatable {
    package var issuers: [String]?
    package var authorization: String?
    package var token: String?
    package var userInfo: String?
    package var jwks: String?
    package var introspection: String?
    package var revocation: String?

    package init() {}

    /// Nil if neither the configuration nor discovery has an endpoint that every sign-in needs.
    package func completed(by known: OpenIDConnectEndpoints?) -> OpenIDConnectEndpoints? {
        guard
            let issuers = issuers ?? known?.issuers, !issuers.isEmpty,
            let authorization = authorization ?? known?.authorization,
            let token = token ?? known?.token,
            let jwks = jwks ?? known?.jwks
        else { return nil }
        return OpenIDConnectEndpoints(
            issuers: issuers, authorization: authorization, token: token, userInfo: userInfo ?? known?.userInfo,
            jwks: jwks, introspection: introspection ?? known?.introspection,
            revocation: revocation ?? known?.revocation, sendsIssuer: known?.sendsIssuer ?? false)
    }
}
