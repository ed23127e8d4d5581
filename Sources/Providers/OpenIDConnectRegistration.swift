package import JOSE
internal import Jansson
package import Standards
package import Transport

/// An OpenID Provider as data: what its documentation says, and the registration of this deployment.
///
/// The initial values are those of a provider about which nothing is known but its issuer. A template
/// (``ProviderTemplate``) has other ones, and the configuration replaces those that have a key.
package struct OpenIDConnectRegistration: Sendable, Equatable {
    /// The name that pages show; `nil` for the provider's id.
    package var name: String?
    /// The URL where discovery starts (OpenID Connect Discovery §4); `nil` if ``endpoints`` is complete.
    package var issuer: String?
    package var clientID = ""
    package var furtherClientIDs: [String] = []
    package var trustedAudiences: [String] = []
    /// The accepted tenants, or only `any`; `nil` for an issuer of one tenant.
    package var tenantIDs: [String]?
    package var clientAuthentication = ClientAuthentication.none
    package var tokenEndpointAuthentication = TokenEndpointAuthentication.clientSecretBasic
    /// Whether the metadata may choose between the two methods with a client secret: neither the configuration nor a template
    /// names one.
    package var choosesAuthentication = false
    package var algorithms = Set(Algorithm.allCases)
    package var scopes = ["openid", "profile", "email"]
    package var allowedScopes: [String] = []
    package var allowedParameters = ["prompt", "max_age", "login_hint", "ui_locales", "display", "acr_values"]
    /// Parameters of every authorization request, which no application can set.
    package var authorizationParameters: [String: String] = [:]
    /// Whether the provider answers a request with `prompt=none` without a page.
    package var supportsPromptNone = true
    /// The hosts of loopback that the provider registers with `http`: none if it registers only `https`; `nil` for all, and if
    /// nothing else is known.
    package var loopbackHosts: [String]?
    /// The page of the provider on which an application is registered.
    package var console: String?
    /// The lines that the section of this provider needs beside `client_id` and `client_secret`, or in place of the latter.
    package var example: [String] = []
    package var pkce = ProofKeyMethod.s256
    package var acceptedCredentials = [CredentialType.authorizationCode, .idToken]
    package var nonceRule = NonceRule.server
    package var maximumAge = Duration.seconds(600)
    package var clockSkew = Duration.seconds(60)
    package var maximumLifetime = Duration.seconds(86_400)
    /// What proves a fresh login; `nil` if the provider does not support one.
    package var reauthentication: FreshLogin.Evidence? = .authenticationTime
    package var profileRule = ProfileRule.always
    package var maximumCalls = Provider.defaultMaximumCalls
    package var emailTrust = EmailTrust.claim
    package var responseMode = ProviderResponseMode.query
    /// The events that the provider can tell of.
    package var sentEvents = ProviderEvents.standard
    /// The messages about events that are accepted.
    package var events: [EventMessage] = []
    package var endpoints = EndpointOverrides()
    package var errorCodes = ErrorCodes.none
    /// An endpoint with another form than that of RFC 7662, if ``endpoints`` have none.
    package var introspection: TokenIntrospection?
    /// The claims that together identify a person: texts, which are joined by colons.
    package var subjectClaims = ["sub"]
    /// The claims that Firebase uses for the same provider; `nil` for the same ones.
    package var firebaseSubjectClaims: [String]?
    package var callbackName: CallbackName?
    /// The places of the profile in ID tokens and in the response of the userinfo endpoint.
    package var mapping = ProfileMapping.openIDConnect
    /// `OutboundRequest.plainHTTPHosts` for the back-channel endpoints.
    package var plainHTTPHosts: [String] = []
    package var timeout = Duration.seconds(10)

    package init() {}

    /// The registration of a deployment with a provider.
    package init(_ template: Self = Self(), clientID: String, clientAuthentication: ClientAuthentication) {
        self = template
        self.clientID = clientID
        self.clientAuthentication = clientAuthentication
    }

    package var tenants: Tenants? {
        tenantIDs.map { $0 == [Self.anyTenant] ? .any : .listed($0) }
    }

    package static let anyTenant = "any"

    /// The claims that identify a person who signs in: with tenants also the tenant, because tenants may issue the same `sub`.
    package var verifiedSubjectClaims: [String] {
        tenants == nil || subjectClaims != ["sub"] ? subjectClaims : ["tid", "sub"]
    }

    /// The claims whose values Firebase has as the id of the person.
    package var claimsAtFirebase: [String] { firebaseSubjectClaims ?? subjectClaims }

    /// Returns the only tenant whose people can sign in: the one of `tenants`, or the one in the path of the issuer.
    ///
    /// - Parameter template: The template, whose issuer has another word in that place of the path.
    /// - Returns: The tenant; `nil` if there are several, or if none is named.
    package func onlyTenant(unlike template: Self?) -> String? {
        if let tenantIDs { return tenantIDs.count == 1 && tenantIDs != [Self.anyTenant] ? tenantIDs.first : nil }
        let own = (issuer ?? "").split(separator: "/", omittingEmptySubsequences: false)
        let common = (template?.issuer ?? "").split(separator: "/", omittingEmptySubsequences: false)
        let differences = zip(own, common).enumerated().filter { !$1.0.exactlyEquals($1.1) }
        // The first three parts are the scheme and the host.
        guard own.count == common.count, differences.count == 1, let difference = differences.first,
            difference.offset > 2
        else { return nil }
        let tenant = String(difference.element.0)
        return Tenants.isTenant(tenant) ? tenant : nil
    }
}

extension OpenIDConnectRegistration {
    /// Returns the provider for this deployment.
    ///
    /// - Parameter onDocumentFailure: Called if metadata or keys could not be fetched.
    package func provider(
        _ id: ProviderID, transport: HTTPTransport, time: TimeSource,
        onDocumentFailure: @escaping @Sendable (DocumentError) -> Void = { _ in }
    ) -> Provider {
        let transport = transport.permittingPlainHTTP(to: plainHTTPHosts)
        let endpoints = endpointSource(transport: transport, time: time, onFailure: onDocumentFailure)
        let keys = CachedDocument(
            at: { () async throws(DocumentError) in try await endpoints().jwks }, transport: transport, time: time,
            onFailure: onDocumentFailure, refusal: DocumentError.keysRefused, parse: Self.keySet)
        let openIDConnect = OpenIDConnect(
            clientID: clientID,
            furtherClientIDs: furtherClientIDs,
            trustedAudiences: trustedAudiences,
            tenants: tenants,
            clientAuthentication: clientAuthentication,
            choosesAuthentication: choosesAuthentication,
            scopes: scopes,
            authorizationParameters: authorizationParameters,
            pkce: pkce,
            algorithms: algorithms,
            endpoints: endpoints,
            keys: keys,
            nonceRule: nonceRule,
            maximumAge: maximumAge,
            clockSkew: clockSkew,
            maximumLifetime: maximumLifetime,
            freshLogin: reauthentication.map(FreshLogin.openIDConnect),
            errorCodes: errorCodes,
            mapping: mapping,
            introspection: introspection,
            subjectClaims: verifiedSubjectClaims,
            events: acceptedEvents(transport: transport, time: time, onFailure: onDocumentFailure))
        return Provider(
            id: id,
            name: name ?? id.text,
            protocols: ["openid": .openIDConnect(openIDConnect)],
            defaultFlow: "openid",
            acceptedCredentials: Set(acceptedCredentials),
            allowedScopes: Set(allowedScopes),
            allowedParameters: Set(allowedParameters),
            // Every administrator of a tenant can write any address into its accounts.
            emailTrust: tenants == nil ? emailTrust : .never,
            timeout: timeout,
            profileRule: profileRule,
            maximumCalls: maximumCalls,
            supportsPromptNone: supportsPromptNone,
            responseMode: responseMode,
            callbackName: callbackName,
            plainHTTPHosts: plainHTTPHosts)
    }

    /// Parses a key set, and tells what stands in its place.
    private static func keySet(_ bytes: [UInt8]) throws(DocumentError) -> JWKSet {
        do throws(JOSEError) {
            return try JWKSet.parse(bytes)
        } catch {
            throw .noKeySet(form(ofKeys: bytes.withoutByteOrderMark))
        }
    }

    private static func form(ofKeys bytes: [UInt8]) -> KeySetForm {
        let begin = "-----BEGIN "
        guard let json = try? JSON.parse(tolerantly: bytes) else {
            return bytes.starts(with: begin.utf8) ? .certificates : .other(bytes.form)
        }
        let entries = json.array ?? json.object.map { Array($0.values) } ?? []
        if entries.contains(where: { $0.string?.hasPrefix(begin) == true }) { return .certificates }
        if json["kty"] != nil || json.array?.first?["kty"] != nil { return .singleKeys }
        if json["keys"]?.object != nil { return .objectOfKeys }
        guard json.object != nil else { return .other(json.typeName) }
        guard let keys = json["keys"] else { return .objectWithoutKeys }
        return .other(
            keys.array == nil
                ? "an object whose keys is \(keys.otherType)"
                : "a set of more than \(JWKSet.maximumCount) keys, or with a member twice, or with too many levels")
    }

    private func acceptedEvents(
        transport: HTTPTransport, time: TimeSource, onFailure: @escaping @Sendable (DocumentError) -> Void
    ) -> [EventMessage: AcceptedEvents] {
        sentEvents.sources.filter { events.contains($0.key) }.mapValues { source in
            AcceptedEvents(
                source: source,
                keys: source.keys.map { url in
                    CachedDocument(
                        at: { () async throws(DocumentError) in url }, transport: transport, time: time,
                        onFailure: onFailure, refusal: DocumentError.keysRefused, parse: Self.keySet)
                })
        }
    }

    /// The issuers that the configuration and the template name.
    private var issuers: [String] {
        guard let issuer else { return endpoints.issuers ?? [] }
        guard let written = endpoints.issuers else { return [issuer] }
        // With tenants, `issuer` is where discovery starts, and not an issuer of tokens.
        return tenantIDs == nil ? written : [issuer] + written
    }

    private func endpointSource(
        transport: HTTPTransport, time: TimeSource, onFailure: @escaping @Sendable (DocumentError) -> Void
    ) -> OpenIDConnect.Endpoints {
        // Nothing is discovered, so that `issuer` is no issuer of tokens beside the pattern of the tenants: one of its tokens
        // could name any of them.
        let ofTokens = tenantIDs == nil ? issuers : endpoints.issuers ?? issuers
        if let known = endpoints.complete(issuers: ofTokens) {
            return { () async throws(DocumentError) in known }
        }
        let metadata = ProviderMetadata.document(
            issuers: issuers, hasTenants: tenants != nil, overrides: endpoints, plainHTTPHosts: plainHTTPHosts,
            transport: transport, time: time, onFailure: onFailure)
        return { () async throws(DocumentError) in try await metadata.value() }
    }
}

/// The endpoints in the configuration or in a template.
///
/// Each replaces that of discovery.
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
    package func complete(issuers: [String]) -> OpenIDConnectEndpoints? {
        guard !issuers.isEmpty, let authorization, let token, let jwks else { return nil }
        return OpenIDConnectEndpoints(
            issuers: issuers, authorization: authorization, token: token, userInfo: userInfo, jwks: jwks,
            introspection: introspection, revocation: revocation, sendsIssuer: false)
    }
}
