package import Providers
package import Standards

extension Settings {
    /// An entry of `providers` that uses OpenID Connect: a built-in provider, or a generic one.
    package struct OpenIDConnectProvider: SettingsSection {
        package var id = ProviderID("")
        package var authentication = ClientAuthenticationKeys()
        /// What the component reads, and its defaults.
        package var registration = OpenIDConnectRegistration()

        package init() {}

        init(_ id: ProviderID, _ registration: OpenIDConnectRegistration) {
            self.id = id
            self.registration = registration
            authentication.method = registration.tokenEndpointAuthentication
        }

        static let keys: [Key<Self>] = first + ClientAuthenticationKeys.keys(at: \.authentication) + others

        private static let first: [Key<Self>] = [
            .shared("protocol") { _ in Providers.ProviderProtocol.openIDConnect.rawValue },
            .optional("name", \.registration.name, .value { $0.displayName() }),
            .optional("issuer", \.registration.issuer, .value { $0.issuer() }),
            // Without an audience, `aud` could not be compared with anything (attack IDT-24).
            .key(
                "client_id", \.registration.clientID, .value { $0.identifier() },
                required: "write the client id that the provider issued, which is the audience of its tokens"),
        ]

        private static let others: [Key<Self>] = [
            .key("client_ids", \.registration.furtherClientIDs, .list { $0.identifier() }).readByCheck,
            .key("trusted_audiences", \.registration.trustedAudiences, .list { $0.identifier() }),
            .optional("tenants", \.registration.tenantIDs, .oneOrMore { $0.tenant() }),
            .key("scopes", \.registration.scopes, .list { $0.scope() }),
            .key("allowed_scopes", \.registration.allowedScopes, .list { $0.scope() }),
            .key("allowed_parameters", \.registration.allowedParameters, .list { $0.parameterName() }),
            .key("parameters", \.registration.authorizationParameters, .parameters),
            .key("pkce", \.registration.pkce, .proofKeyMethod),
            .key(
                "accept", \.registration.acceptedCredentials,
                .credentials(except: [.oauth1Token], because: "works only for twitter.com: leave it out")),
            .key("nonce", \.registration.nonceRule, .choice),
            .key("max_age", \.registration.maximumAge, .duration(in: .seconds(1) ... .seconds(86_400))),
            .key("clock_skew", \.registration.clockSkew, .duration(in: .zero ... .seconds(300))),
            .key("trust_email", \.registration.emailTrust, .choice),
            .section("endpoints", \.registration.endpoints),
            .key("plain_http_hosts", \.registration.plainHTTPHosts, .list { $0.plainHTTPHost() }),
            .key("timeout", \.registration.timeout, .providerTimeout),
            // Spent ID tokens are recorded for this time.
            .key("max_lifetime", \.registration.maximumLifetime, .duration(in: .seconds(60) ... .seconds(7 * 86_400))),
            .key("reauthentication", \.registration.reauthentication, .off(or: .choice)),
            .key("profile", \.registration.profileRule, .choice),
            .key("max_calls", \.registration.maximumCalls, .integer(in: Settings.callLimits)),
            .key("response_mode", \.registration.responseMode, .choice),
            .key("events", \.registration.events, .words(.choice)).readByCheck,
        ]
    }
}

extension Settings {
    static let providersDefault = "provider's default"
    static let callLimits = 1...4096
}

extension Rule<Duration> {
    /// The timeout of a call to a provider.
    static var providerTimeout: Self { .duration(in: .milliseconds(100) ... .seconds(60)) }
}

extension Entry {
    /// Reads the id of a tenant, or the word `any`.
    func tenant() -> String? {
        guard let text = text() else { return nil }
        guard Tenants.isTenant(text) else {
            return refusing("is not the id of a tenant: write any, or ids with letters, digits and hyphens")
        }
        return text
    }
}

extension EndpointOverrides: SettingsSection {
    static let keys: [Key<Self>] = [
        .optional("issuer", \.issuers, .oneOrMore { $0.issuer() }),
        .optional("authorization", \.authorization, .value { $0.endpointURL() }),
        .optional("token", \.token, .value { $0.backChannelURL() }),
        .optional("userinfo", \.userInfo, .value { $0.backChannelURL() }),
        .optional("jwks", \.jwks, .value { $0.backChannelURL() }),
        .optional("introspection", \.introspection, .value { $0.backChannelURL() }),
        .optional("revocation", \.revocation, .value { $0.backChannelURL() }),
    ]
}

extension Settings.OpenIDConnectProvider {
    static func read(_ entry: Entry, id: ProviderID, template: OpenIDConnectRegistration?) -> Self {
        var provider = Self(id, template ?? OpenIDConnectRegistration())
        let isElsewhere = provider.dropEndpoints(ofTemplateUnlike: entry)
        provider.registration.choosesAuthentication = template == nil && entry.peek("token_endpoint_auth") == nil
        // Another issuer than that of the template has endpoints of its own, which are discovered.
        if let issuer = entry.peek("issuer")?.writtenText, let known = provider.registration.endpoints.issuers,
            !known.contains(issuer)
        {
            provider.registration.endpoints = EndpointOverrides()
        }
        // A token of another issuer must not be sent to the provider of the template.
        if let issuer = entry.peek("issuer")?.writtenText, issuer != provider.registration.issuer,
            entry.peek("endpoints")?.peek("introspection") == nil
        {
            provider.registration.introspection = nil
        }
        var result = read(Section(entry, keys: names), from: provider)
        guard !isElsewhere else { return result }
        // A parameter of the template, such as claims, may be one that the file cannot have.
        result.registration.authorizationParameters.merge(template?.authorizationParameters ?? [:]) { written, _ in
            written
        }
        return result
    }

    /// Leaves out where the server of the template is, if the file names another server by its issuer or its token endpoint.
    ///
    /// The template's endpoints would otherwise receive tokens and secrets of the other server, and its keys would sign events.
    ///
    /// - Returns: Whether they were left out.
    private mutating func dropEndpoints(ofTemplateUnlike entry: Entry) -> Bool {
        let template = registration
        let (issuer, endpoints) = (entry.peek("issuer"), entry.peek("endpoints"))
        let issuers = (issuer?.writtenTexts ?? []) + (endpoints?.peek("issuer")?.writtenTexts ?? [])
        guard
            WebURL.areElsewhere(issuers, than: [template.issuer] + (template.endpoints.issuers ?? []))
                || WebURL.areElsewhere(endpoints?.peek("token")?.writtenTexts ?? [], than: [template.endpoints.token])
        else { return false }
        registration.issuer = nil
        registration.endpoints = EndpointOverrides()
        if endpoints?.peek("introspection") == nil { registration.introspection = nil }
        registration.sentEvents = .standard
        return true
    }

    mutating func check(_ section: Section) {
        let endpoints = section.section("endpoints", EndpointOverrides.self)
        if registration.issuer == nil, !section.isRefused("issuer") {
            refuseMissingEndpoints(section, endpoints)
        }
        let written = registration.endpoints
        section.refusePlainHTTP(
            [
                ("token", written.token), ("userinfo", written.userInfo), ("jwks", written.jwks),
                ("introspection", written.introspection), ("revocation", written.revocation),
            ], in: endpoints, except: registration.plainHTTPHosts)
        authentication = .read(section, default: registration.tokenEndpointAuthentication)
        registration.clientAuthentication = authentication.clientAuthentication
        section.refusePublicClientWithoutPKCE(authentication.method, registration.pkce)
        let clientID = registration.clientID
        registration.furtherClientIDs =
            section["client_ids"]?.list { entry in
                guard let id = entry.identifier() else { return nil }
                guard id != clientID || id.isEmpty else {
                    return entry.refusing("is the same as client_id: write only further client ids")
                }
                return id
            } as [String]? ?? []
        checkTenants(section, endpoints)
        checkAudiences(section)
        warnOfResponseMode(section)
        readEvents(section)
        // OpenID Connect Core §3.1.2.1: without the scope openid, the behaviour is unspecified.
        if !registration.scopes.contains("openid"), !section.isRefused("scopes") {
            section.refuse(
                "scopes",
                "must contain openid as an element of its own, as in [openid, email]: without it the provider issues "
                    + "no ID token")
        }
        if registration.acceptedCredentials.contains(.accessToken), endpoints["introspection"] == nil,
            registration.introspection == nil,
            !endpoints.isRefused("introspection")
        {
            section.refuse(
                "accept",
                "contains access_token, whose audience can be verified only by introspection: write endpoints.introspection"
            )
        }
    }

    /// An issuer with a placeholder, or that of all tenants of Microsoft, needs `tenants`, and the other way round.
    private func checkTenants(_ section: Section, _ written: Section) {
        let tenants = registration.tenantIDs
        let issuers = registration.endpoints.issuers ?? []
        let isDiscovered =
            registration.endpoints.complete(issuers: ["any"]) == nil && (tenants != nil || issuers.isEmpty)
        for (section, isDiscovered, values) in [
            (section, isDiscovered, [registration.issuer].compactMap(\.self)), (written, false, issuers),
        ] {
            for value in values where !section.isRefused("issuer") {
                if let advice = MicrosoftIssuer.advice(value, hasTenants: tenants != nil, isDiscovered: isDiscovered) {
                    section.refuse("issuer", advice)
                } else if value.contains(Tenants.placeholder), isDiscovered || tenants == nil {
                    let remedy =
                        isDiscovered
                        ? ", and metadata is read at this address: write the word that the provider has for all tenants in "
                            + "its place, such as common, and tenants; or the issuer of one tenant"
                        : ": write tenants, or the issuer of one tenant"
                    section.refuse("issuer", "contains \(Tenants.placeholder)\(remedy)")
                }
            }
        }
        guard let tenants, !section.isRefused("tenants") else { return }
        if tenants.contains(OpenIDConnectRegistration.anyTenant), tenants.count > 1 {
            section.refuse("tenants", "contains any and an id: write either any or the ids")
        }
        let known = [registration.issuer].compactMap(\.self) + issuers
        if tenants.contains(where: MicrosoftIssuer.groups.contains), known.contains(where: MicrosoftIssuer.isAt) {
            section.refuse(
                "tenants",
                "contains common, organizations or consumers, which is no id of a tenant: write any, or the ids of the accepted "
                    + "tenants")
        }
        if !issuers.isEmpty, !issuers.allSatisfy({ $0.contains(Tenants.placeholder) }), !written.isRefused("issuer") {
            written.refuse(
                "issuer",
                "has no \(Tenants.placeholder): write it in the place of the id of the tenant, or leave out tenants")
        }
        if issuers.isEmpty, let issuer = registration.issuer, !issuer.contains(Tenants.placeholder),
            !section.isRefused("issuer"), !isDiscovered || MicrosoftIssuer.isOfOneTenant(issuer)
        {
            section.warn(
                "tenants",
                isDiscovered
                    ? "is written, and issuer is that of one tenant, so that no other one can sign in: if others shall, write common in "
                        + "its place in issuer; if not, and if there are no accounts yet, leave out tenants"
                    : "is written, and issuer has no \(Tenants.placeholder), so that only tokens of this issuer with tid are accepted: "
                        + "write it in the place of the id of the tenant, or, if there are no accounts yet, leave out tenants"
            )
        }
        if section["trust_email"] != nil, registration.emailTrust != .never {
            section.refuse(
                "trust_email",
                "must be never if tenants is written, because an administrator of a tenant can write any address: write "
                    + "never, or leave out the key")
        }
        if registration.acceptedCredentials.contains(.accessToken) {
            section.refuse(
                "tenants", "cannot be written together with access_token in accept: introspection names no tenant")
        }
    }

    /// Warns of an issuer with which a template has another `response_mode`, unless the section names one.
    private func warnOfResponseMode(_ section: Section) {
        let issuers = [registration.issuer].compactMap(\.self) + (registration.endpoints.issuers ?? [])
        for case (let known, .openIDConnect(let template)) in ProviderTemplate.named
        where (template.endpoints.issuers ?? []).contains(where: issuers.contains)
            && template.responseMode != registration.responseMode && section["response_mode"] == nil
            && !section.isRefused("response_mode")
        {
            section.warn(
                "response_mode",
                "is \(registration.responseMode.rawValue), and the built-in provider \(known), which has the same issuer, has "
                    + "\(template.responseMode.rawValue): write that, or \(registration.responseMode.rawValue) if the provider accepts "
                    + "it for your scopes")
        }
    }

    private func checkAudiences(_ section: Section) {
        let own = [registration.clientID] + registration.furtherClientIDs
        if registration.trustedAudiences.contains(where: own.contains), !section.isRefused("trusted_audiences") {
            section.refuse("trusted_audiences", "contains a client id of this deployment: write only foreign audiences")
        }
        guard registration.nonceRule == .none, !section.isRefused("max_age"), !section.isRefused("clock_skew") else {
            return
        }
        if registration.maximumAge > .seconds(120) {
            section.refuse("nonce", "is none, which needs a max_age of at most 2m: write max_age: 2m or less")
        }
        if registration.clockSkew > .seconds(60) {
            section.refuse("nonce", "is none, which needs a clock_skew of at most 60s: write clock_skew: 60s or less")
        }
    }

    private mutating func readEvents(_ section: Section) {
        let sent = EventMessage.allCases.filter(registration.sentEvents.sources.keys.contains)
        registration.events =
            section["events"]?.list { entry in
                guard let message = entry.choice(EventMessage.self) else { return nil }
                guard sent.contains(message) else {
                    return entry.refusing(
                        sent.isEmpty
                            ? "is not sent by this provider, which documents no events: leave out the key"
                            : "is not sent by this provider: write only "
                                + sent.map(\.rawValue).joined(separator: " or "))
                }
                return message
            } ?? []
    }

    private func refuseMissingEndpoints(_ section: Section, _ written: Section) {
        let endpoints = registration.endpoints
        let needed = [
            ("issuer", endpoints.issuers?.first), ("authorization", endpoints.authorization),
            ("token", endpoints.token), ("jwks", endpoints.jwks),
        ]
        guard section["endpoints"] != nil || section.isRefused("endpoints") || endpoints != EndpointOverrides() else {
            return section.refuse(
                "issuer",
                "is missing: write the provider's issuer, or its endpoints; or protocol: oauth2, if it has no OpenID Connect. If it "
                    + "is one that token-exchange providers lists, write the id of that list in place of \(id). One with neither OpenID "
                    + "Connect nor OAuth 2.0, such as SAML only, needs a server in between that speaks OpenID Connect")
        }
        for (name, value) in needed where value == nil && written[name] == nil {
            written.refuse(
                name,
                "is missing: write it, or issuer beside endpoints; or protocol: oauth2, if it has no OpenID Connect")
        }
    }
}

extension Section {
    /// RFC 9700 §2.1.1: public clients MUST use PKCE.
    func refusePublicClientWithoutPKCE(_ method: TokenEndpointAuthentication, _ pkce: ProofKeyMethod) {
        guard method == .none, pkce == .off, !isRefused("pkce"), !isRefused("token_endpoint_auth") else { return }
        refuse("pkce", "is off, but a client without a secret must use PKCE: write S256")
    }

    /// Refuses endpoints with `http` whose host is neither loopback nor permitted.
    ///
    /// - Parameters:
    ///   - endpoints: The keys and values of endpoints that only this server calls.
    ///   - section: The section with these keys.
    ///   - permitted: The hosts in `plain_http_hosts`.
    func refusePlainHTTP(
        _ endpoints: [(name: String, url: String?)], in section: Section, except permitted: [String]
    ) {
        guard !isRefused("plain_http_hosts") else { return }
        for (name, text) in endpoints {
            guard let text, let url = try? WebURL.parse(text, allowsPlainHTTP: true), url.scheme == "http",
                !WebURL.isLoopback(url.host), !permitted.contains(IPAddress.urlHost(url.host))
            else { continue }
            section.refuse(
                name,
                "write https:// at its beginning; http:// is only for loopback, and for the hosts in plain_http_hosts")
        }
    }
}

extension Entry {
    /// The names and addresses of metadata servers, which issue credentials of this machine.
    private static let metadataServers: Set<String> = [
        "metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal", "169.254.169.254",
        "[fd00:ec2::254]", "100.100.100.200",
    ]

    /// Reads a host that may be called by `http`: a name, or a private address.
    ///
    /// An accepted host causes a warning.
    func plainHTTPHost() -> String? {
        guard let text = text() else { return nil }
        let literal = IPAddress.version6(text) == nil ? text : "[\(text)]"
        guard WebURL.isHost(literal[...]) else {
            return refusing("write a host without scheme, port and path, such as keycloak or 10.0.0.7")
        }
        let host = IPAddress.urlHost(literal)
        guard !WebURL.isLoopback(host) else {
            return refusing("is loopback, for which http:// is always accepted: leave it out")
        }
        guard !Self.metadataServers.contains(host) else {
            return refusing("is the metadata server of a cloud, which no endpoint may name: leave it out")
        }
        if let address = IPAddress.parse(host.hasPrefix("[") ? host.dropFirst().dropLast() : host[...]),
            !IPAddress.isPrivate(address)
        {
            return refusing("is not the address of a private network: write https:// in the URLs with this address")
        }
        warn(
            "is called without encryption: a program that can change that traffic can sign in as any user of this "
                + "provider. Use it only between machines of one private network")
        return host
    }
}
