package import JOSE
package import Standards
package import Transport

/// The properties of an OpenID Provider that do not depend on a registration.
package struct OpenIDConnectTemplate: Sendable {
    /// The name that pages show; `nil` to show the provider's id.
    package let name: String?
    /// The endpoints; `nil` if they are discovered (OpenID Connect Discovery).
    package let endpoints: OpenIDConnectEndpoints?
    package let algorithms: Set<Algorithm>
    package let scopes: [String]
    package let pkce: ProofKeyMethod
    package let allowedParameters: Set<String>
    /// Whether the provider answers a request with `prompt=none` without a page.
    package let supportsPromptNone: Bool
    /// The events that the provider can tell of.
    package let events: ProviderEvents

    package init(
        name: String? = nil, endpoints: OpenIDConnectEndpoints?, algorithms: Set<Algorithm>, scopes: [String],
        pkce: ProofKeyMethod, allowedParameters: Set<String>, supportsPromptNone: Bool,
        events: ProviderEvents = .standard
    ) {
        self.name = name
        self.endpoints = endpoints
        self.algorithms = algorithms
        self.scopes = scopes
        self.pkce = pkce
        self.allowedParameters = allowedParameters
        self.supportsPromptNone = supportsPromptNone
        self.events = events
    }

    /// Returns the provider for one deployment.
    ///
    /// A value that is `nil` in the registration comes from the template.
    package func provider(
        _ id: ProviderID, registration: OpenIDConnectRegistration, transport: HTTPTransport, time: TimeSource,
        onDocumentFailure: @escaping @Sendable (DocumentError) -> Void = { _ in }
    ) -> Provider {
        let transport = transport.permittingPlainHTTP(to: registration.plainHTTPHosts)
        let endpoints = endpointSource(
            registration, transport: transport, time: time, onFailure: onDocumentFailure)
        let keys = CachedDocument(
            at: { () async throws(DocumentError) in try await endpoints().jwks }, transport: transport, time: time,
            onFailure: onDocumentFailure, parse: { try JWKSet.parse($0) })
        let openIDConnect = OpenIDConnect(
            clientID: registration.clientID,
            furtherClientIDs: registration.furtherClientIDs,
            trustedAudiences: registration.trustedAudiences,
            tenants: registration.tenants,
            clientAuthentication: registration.clientAuthentication,
            scopes: registration.scopes ?? scopes,
            pkce: registration.pkce ?? pkce,
            algorithms: algorithms,
            endpoints: endpoints,
            keys: keys,
            nonceRule: registration.nonceRule,
            maximumAge: registration.maximumAge,
            clockSkew: registration.clockSkew,
            maximumLifetime: registration.maximumLifetime,
            freshLogin: .openIDConnect(registration.reauthentication),
            events: acceptedEvents(registration, transport: transport, time: time, onFailure: onDocumentFailure))
        return Provider(
            id: id,
            name: registration.name ?? name ?? id.text,
            protocols: ["openid": .openIDConnect(openIDConnect)],
            defaultFlow: "openid",
            acceptedCredentials: Set(registration.acceptedCredentials),
            allowedScopes: Set(registration.allowedScopes),
            allowedParameters: registration.allowedParameters.map(Set.init) ?? allowedParameters,
            // Every administrator of a tenant can write any address into its accounts.
            emailTrust: registration.tenants == nil ? registration.emailTrust : .never,
            timeout: registration.timeout,
            profileRule: registration.profileRule,
            maximumCalls: registration.maximumCalls,
            supportsPromptNone: supportsPromptNone,
            responseMode: registration.responseMode,
            plainHTTPHosts: registration.plainHTTPHosts)
    }

    private func acceptedEvents(
        _ registration: OpenIDConnectRegistration, transport: HTTPTransport, time: TimeSource,
        onFailure: @escaping @Sendable (DocumentError) -> Void
    ) -> [EventMessage: AcceptedEvents] {
        events.sources.filter { registration.events.contains($0.key) }.mapValues { source in
            AcceptedEvents(
                source: source,
                keys: source.keys.map { url in
                    CachedDocument(
                        at: url, transport: transport, time: time, onFailure: onFailure, parse: { try JWKSet.parse($0) }
                    )
                })
        }
    }

    private func endpointSource(
        _ registration: OpenIDConnectRegistration, transport: HTTPTransport, time: TimeSource,
        onFailure: @escaping @Sendable (DocumentError) -> Void
    ) -> OpenIDConnect.Endpoints {
        if let known = registration.endpoints.completed(by: endpoints) {
            return { () async throws(DocumentError) in known }
        }
        let issuers = registration.endpoints.issuers ?? []
        let metadata = ProviderMetadata.document(
            issuers: issuers, hasTenants: registration.tenants != nil, overrides: registration.endpoints,
            plainHTTPHosts: registration.plainHTTPHosts, transport: transport, time: time, onFailure: onFailure)
        return { () async throws(DocumentError) in try await metadata.value() }
    }
}

/// The configuration of an OpenID Provider.
package struct OpenIDConnectRegistration: Sendable, Equatable {
    /// The name that pages show; `nil` for that of the template.
    package var name: String?
    package var clientID: String
    package var furtherClientIDs: [String] = []
    package var trustedAudiences: [String] = []
    /// The accepted tenants, or only `any`; `nil` for an issuer of one tenant.
    package var tenantIDs: [String]?
    package var clientAuthentication: ClientAuthentication
    package var scopes: [String]?
    package var allowedScopes: [String] = []
    package var allowedParameters: [String]?
    package var pkce: ProofKeyMethod?
    package var acceptedCredentials = [CredentialType.authorizationCode, .idToken]
    package var nonceRule = NonceRule.server
    package var maximumAge = Duration.seconds(600)
    package var clockSkew = Duration.seconds(60)
    package var maximumLifetime = Duration.seconds(86_400)
    package var reauthentication = FreshLogin.Evidence.authenticationTime
    package var profileRule = ProfileRule.always
    package var maximumCalls = Provider.defaultMaximumCalls
    package var emailTrust = EmailTrust.claim
    package var responseMode = ProviderResponseMode.query
    /// The messages about events that are accepted.
    package var events: [EventMessage] = []
    package var endpoints = EndpointOverrides()
    /// `OutboundRequest.plainHTTPHosts` for the back-channel endpoints.
    package var plainHTTPHosts: [String] = []
    package var timeout = Duration.seconds(10)

    package var tenants: Tenants? {
        tenantIDs.map { $0 == [Self.anyTenant] ? .any : .listed($0) }
    }

    package static let anyTenant = "any"

    package init(clientID: String, clientAuthentication: ClientAuthentication) {
        self.clientID = clientID
        self.clientAuthentication = clientAuthentication
    }
}

/// The endpoints in the configuration.
///
/// Each replaces that of the template or of discovery.
package struct EndpointOverrides: Sendable, Equatable {
    package var issuers: [String]?
    package var authorization: String?
    package var token: String?
    package var userInfo: String?
    package var jwks: String?
    package var introspection: String?
    package var revocation: String?

    package init() {}

    /// Returns all endpoints, or `nil` if one that every sign-in needs is missing.
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
