extension Settings {
    /// An entry of `providers` that uses OpenID Connect: a built-in provider, or a generic one.
    package struct OpenIDConnectProvider: Sendable, Equatable {
        package let id: String
        /// The name that pages show; `nil` means the provider's default.
        package let name: String?
        /// The issuer, where discovery starts; `nil` for a built-in provider, and if ``endpoints`` are complete.
        package let issuer: String?
        /// The audience of ID tokens.
        ///
        /// Never empty.
        package let clientID: String
        /// `nil` only with ``TokenEndpointAuthentication/none``.
        package let clientSecret: SecretValue?
        package let tokenEndpointAuthentication: TokenEndpointAuthentication
        /// Further accepted audiences of ID tokens.
        package let clientIDs: [String]
        /// `nil` means the provider's default.
        package let scopes: [String]?
        /// Further scopes that an application may request.
        package let allowedScopes: [String]
        /// `nil` means the provider's default.
        package let allowedParameters: [String]?
        /// `nil` means the provider's default.
        package let pkce: PKCE?
        package let accept: [CredentialType]
        package let nonce: NonceRule
        /// Maximal age of a posted ID token, by its `iat`.
        package let maximumAge: Duration
        package let clockSkew: Duration
        /// Maximal time between `iat` and `exp` of an ID token.
        package let maximumLifetime: Duration
        package let reauthentication: Reauthentication
        package let profile: ProfileRule
        /// Simultaneous calls of each kind.
        package let maximumCalls: Int
        package let emailTrust: EmailTrust
        package let endpoints: Endpoints
        package let timeout: Duration

        /// Whole URLs.
        ///
        /// `nil` means the provider's default, or the result of discovery.
        package struct Endpoints: Sendable, Equatable {
            /// Never an empty list; several issuers if the provider is changing its issuer.
            package let issuers: [String]?
            package let authorization: String?
            package let token: String?
            package let userinfo: String?
            package let jwks: String?
            package let introspection: String?
            package let revocation: String?
        }
    }
}

extension Settings.OpenIDConnectProvider {
    /// The values of a provider that the program contains, as far as they decide which configuration is valid.
    package struct BuiltIn: Sendable, Equatable {
        /// Whether authorization requests have a code challenge if the configuration does not say so.
        package let usesPKCE: Bool
    }

    /// The providers whose endpoints the program contains, by their ids.
    ///
    /// A test compares them with the templates of the target `Providers`, which this target cannot import.
    package static let builtIn = ["yahoo.com": BuiltIn(usesPKCE: false)]

    static let keys = [
        "name", "client_id", "client_secret", "token_endpoint_auth", "client_ids", "scopes", "allowed_scopes",
        "allowed_parameters", "pkce", "accept", "nonce", "max_age", "clock_skew", "trust_email", "endpoints", "timeout",
        "max_lifetime", "reauthentication", "profile", "max_calls",
    ]

    static func read(_ entry: Entry, id: String) -> Self {
        let builtIn = builtIn[id]
        let section = Section(entry, keys: builtIn == nil ? keys + ["issuer"] : keys)
        let issuer = builtIn == nil ? section["issuer"]?.issuer() : nil
        // Without an audience, `aud` could not be compared with anything (attack IDT-24).
        let clientID = section.required(
            "client_id", "write the client id that the provider issued, which is the audience of its tokens")?
            .identifier()
        let authentication =
            section["token_endpoint_auth"].map { $0.choice(Settings.TokenEndpointAuthentication.self) }
            ?? (section.isRefused("token_endpoint_auth") ? nil : .clientSecretBasic)
        let pkce = section["pkce"]?.choice(Settings.PKCE.self)
        let writtenEndpoints = section.section("endpoints", keys: Endpoints.keys)
        let endpoints = Endpoints.read(writtenEndpoints)
        if builtIn == nil, section["issuer"] == nil, !section.isRefused("issuer") {
            refuseMissingEndpoints(section, writtenEndpoints, endpoints)
        }
        return Self(
            id: id, name: section["name"]?.displayName(), issuer: issuer, clientID: clientID ?? "",
            clientSecret: readSecret(
                section, authentication,
                usesPKCE: pkce.map { $0 != .off } ?? (section.isRefused("pkce") || builtIn?.usesPKCE ?? true)),
            tokenEndpointAuthentication: authentication ?? .clientSecretBasic,
            clientIDs: readFurtherAudiences(section, clientID),
            scopes: readScopes(section),
            allowedScopes: section["allowed_scopes"]?.scopes() ?? [],
            allowedParameters: section["allowed_parameters"]?.parameterNames(),
            pkce: pkce,
            accept: readAccepted(section, writtenEndpoints),
            nonce: section["nonce"]?.choice(Settings.NonceRule.self) ?? .server,
            maximumAge: section["max_age"]?.duration(in: .seconds(1) ... .seconds(86_400)) ?? .seconds(600),
            clockSkew: section["clock_skew"]?.duration(in: .zero ... .seconds(300)) ?? .seconds(60),
            // Spent ID tokens are recorded for this time.
            maximumLifetime: section["max_lifetime"]?.duration(in: .seconds(60) ... .seconds(7 * 86_400))
                ?? .seconds(86_400),
            reauthentication: section["reauthentication"]?.choice(Settings.Reauthentication.self) ?? .authTime,
            profile: section["profile"]?.choice(Settings.ProfileRule.self) ?? .always,
            maximumCalls: section["max_calls"]?.integer(in: Settings.callLimits) ?? Settings.defaultCallLimit,
            emailTrust: section["trust_email"]?.choice(Settings.EmailTrust.self) ?? .claim,
            endpoints: endpoints,
            timeout: section["timeout"]?.duration(in: Settings.providerTimeouts) ?? .seconds(10))
    }
}

extension Settings {
    /// The allowed range for the timeout of a call to a provider.
    static let providerTimeouts: ClosedRange<Duration> = .milliseconds(100) ... .seconds(60)
    static let callLimits = 1...4096
    static let defaultCallLimit = 256
}

extension Settings.OpenIDConnectProvider {
    static func readSecret(
        _ section: Section, _ authentication: Settings.TokenEndpointAuthentication?, usesPKCE: Bool
    ) -> SecretValue? {
        guard let authentication else { return section["client_secret"]?.secret() }
        guard authentication == .none else {
            return section.required("client_secret", "write env:NAME or file:/path, or token_endpoint_auth: none")?
                .secret()
        }
        if section["client_secret"] != nil {
            section.refuse("client_secret", "is never sent with token_endpoint_auth: none: leave out one of the two")
        }
        // RFC 9700 §2.1.1: public clients MUST use PKCE.
        if !usesPKCE {
            section.refuse("pkce", "is off, but a client without a secret must use PKCE: write S256")
        }
        return nil
    }

    static func readFurtherAudiences(_ section: Section, _ clientID: String?) -> [String] {
        section["client_ids"]?.list { entry -> String? in
            guard let id = entry.identifier() else { return nil }
            guard id != clientID else {
                return entry.refusing("is the same as client_id: write only further client ids")
            }
            return id
        } ?? []
    }

    static func readScopes(_ section: Section) -> [String]? {
        guard let entry = section["scopes"], let scopes = entry.scopes() else { return nil }
        // OpenID Connect Core §3.1.2.1: without the scope openid, the behaviour is unspecified.
        guard scopes.contains("openid") || section.isRefused("scopes") else {
            return entry.refusing("must contain openid: without it the provider issues no ID token")
        }
        return scopes
    }

    static func readAccepted(_ section: Section, _ endpoints: Section) -> [Settings.CredentialType] {
        guard let entry = section["accept"] else { return [.authorizationCode, .idToken] }
        let accepted =
            entry.credentialTypes(except: [.oauth1Token], because: "works only for twitter.com: leave it out") ?? []
        if accepted.contains(.accessToken), endpoints["introspection"] == nil, !endpoints.isRefused("introspection") {
            entry.refuse(
                "contains access_token, whose audience can be verified only by introspection: write endpoints.introspection"
            )
        }
        return accepted
    }

    static func refuseMissingEndpoints(_ section: Section, _ written: Section, _ endpoints: Endpoints) {
        let needed = [
            ("issuer", endpoints.issuers?.first), ("authorization", endpoints.authorization),
            ("token", endpoints.token), ("jwks", endpoints.jwks),
        ]
        guard section["endpoints"] != nil || section.isRefused("endpoints") else {
            return section.refuse("issuer", "is missing: write the provider's issuer, or its endpoints")
        }
        for (name, value) in needed where value == nil && written[name] == nil {
            written.refuse(name, "is missing: write it, or write issuer")
        }
    }
}

extension Settings.OpenIDConnectProvider.Endpoints {
    static let keys = ["issuer", "authorization", "token", "userinfo", "jwks", "introspection", "revocation"]

    static func read(_ section: Section) -> Self {
        Self(
            issuers: section["issuer"]?.oneOrMore { $0.issuer() },
            authorization: section["authorization"]?.endpointURL(),
            token: section["token"]?.endpointURL(),
            userinfo: section["userinfo"]?.endpointURL(),
            jwks: section["jwks"]?.endpointURL(),
            introspection: section["introspection"]?.endpointURL(),
            revocation: section["revocation"]?.endpointURL())
    }
}
