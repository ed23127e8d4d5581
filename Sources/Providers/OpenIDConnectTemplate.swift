package import Documents
package import JOSE
package import OAuth
package import Transport

/// The properties of an OpenID Provider that do not depend on a registration.
package struct OpenIDConnectTemplate: Sendable {
    /// Nil where the provider's id is all that is known of its name.
    package let name: String?
    /// Nil where the provider is asked for them (OpenID Connect Discovery).
    package let endpoints: OpenIDConnectEndpoints?
    package let algorithms: Set<Algorithm>
    package let scopes: [String]
    package let pkce: ProofKeyMethod
    package let allowedParameters: Set<String>

    package init(
        name: String? = nil, endpoints: OpenIDConnectEndpoints?, algorithms: Set<Algorithm>, scopes: [String],
        pkce: ProofKeyMethod,
        allowedParameters: Set<String>
    ) {
        self.name = name
        self.endpoints = endpoints
        self.algorithms = algorithms
        self.scopes = scopes
        self.pkce = pkce
        self.allowedParameters = allowedParameters
    }

    /// The provider for one deployment.
    ///
    /// What the registration leaves nil is as the template says.
    package func provider(
        _ id: ProviderID, registration: OpenIDConnectRegistration, transport: HTTPTransport, time: TimeSource,
        onDocumentFailure: @escaping @Sendable (DocumentError) -> Void = { _ in }
    ) -> Provider {
        let endpoints = endpointSource(
            registration, transport: transport, time: time, onFailure: onDocumentFailure)
        let keys = CachedDocument(
            at: { () async throws(DocumentError) in try await endpoints().jwks }, transport: transport, time: time,
            onFailure: onDocumentFailure, parse: { try JWKSet.parse($0) })
        let openIDConnect = OpenIDConnect(
            clientID: registration.clientID,
            furtherClientIDs: registration.furtherClientIDs,
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
            freshLogin: .openIDConnect(registration.reauthentication))
        return Provider(
            id: id,
            name: registration.name ?? name ?? id.text,
            protocols: ["openid": .openIDConnect(openIDConnect)],
            defaultFlow: "openid",
            acceptedCredentials: registration.acceptedCredentials,
            allowedScopes: registration.allowedScopes,
            allowedParameters: registration.allowedParameters ?? allowedParameters,
            emailTrust: registration.emailTrust,
            timeout: registration.timeout,
            profileRule: registration.profileRule,
            maximumCalls: registration.maximumCalls)
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
            issuers: issuers, overrides: registration.endpoints, transport: transport, time: time,
            onFailure: onFailure)
        return { () async throws(DocumentError) in try await metadata.value() }
    }
}
