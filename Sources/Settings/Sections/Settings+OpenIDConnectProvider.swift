extension Settings {
    /// One of `providers` that speaks OpenID Connect: `yahoo.com`, or a generic one.
    package struct OpenIDConnectProvider: Sendable, Equatable {
        package let id: String
        /// Shown to people; `nil`: the provider's own.
        package let name: String?
        /// Where discovery begins; `nil` for `yahoo.com`, and where ``endpoints`` say everything.
        package let issuer: String?
        /// The audience, which is never empty.
        package let clientID: String
        /// `nil` only with ``TokenEndpointAuthentication/none``.
        package let clientSecret: SecretValue?
        package let tokenEndpointAuthentication: TokenEndpointAuthentication
        /// Further audiences whose ID tokens are ours.
        package let clientIDs: [String]
        /// `nil`: the provider's own.
        package let scopes: [String]?
        /// What an application may ask for beyond these.
        package let allowedScopes: [String]
        /// `nil`: the provider's own.
        package let allowedParameters: [String]?
        /// `nil`: the provider's own.
        package let pkce: PKCE?
        package let accept: [CredentialType]
        package let nonce: NonceRule
        /// How old `iat` of a posted ID token may be.
        package let maximumAge: Duration
        package let clockSkew: Duration
        /// What may lie between `iat` and `exp` of an ID token.
        package let maximumLifetime: Duration
        package let reauthentication: Reauthentication
        package let profile: ProfileRule
        /// At once, for each kind of call.
        package let maximumCalls: Int
        package let emailTrust: EmailTrust
        package let endpoints: Endpoints
        package let timeout: Duration

        /// Whole URLs; `nil` where the provider's own is meant, or what discovery says.
        package struct Endpoints: Sendable, Equatable {
            /// Never an empty list; several where a provider is moving.
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
    /// The one whose endpoints are known without being asked for.
    static let yahoo = "yahoo.com"

    static let keys = [
        "name", "client_id", "client_secret", "token_endpoint_auth", "client_ids", "scopes", "allowed_scopes",
        "allowed_parameters", "pkce", "accept", "nonce", "max_age", "clock_skew", "trust_email", "endpoints", "timeout",
        "max_lifetime", "reauthentication", "profile", "max_calls",
    ]

    static func read(_ entry: Entry) -> Self? {
        let section = Section(entry, keys: entry.name == yahoo ? keys : keys + ["issuer"])
        let issuer = entry.name == yahoo ? nil : section["issuer"]?.issuer()
        // IDT-24: without an audience there is nothing to compare `aud` with.
        let clientID = section.required("client_id", "it is the audience of the provider's tokens")?.identifier()
        let authentication =
            section["token_endpoint_auth"].map { $0.choice(Settings.TokenEndpointAuthentication.self) }
            ?? .clientSecretBasic
        let pkce = section["pkce"]?.choice(Settings.PKCE.self)
        let writtenEndpoints = section.section("endpoints", keys: Endpoints.keys)
        let endpoints = Endpoints.read(writtenEndpoints)
        if entry.name != yahoo, section["issuer"] == nil {
            refuseMissingEndpoints(section, writtenEndpoints, endpoints)
        }
        let provider = Self(
            id: entry.name, name: section["name"]?.displayName(), issuer: issuer, clientID: clientID ?? "",
            clientSecret: authentication.flatMap { readSecret(section, $0, pkce) },
            tokenEndpointAuthentication: authentication ?? .clientSecretBasic,
            clientIDs: readFurtherAudiences(section, clientID),
            scopes: readScopes(section),
            allowedScopes: section["allowed_scopes"]?.scopes() ?? [],
            allowedParameters: section["allowed_parameters"]?.parameterNames(),
            pkce: pkce,
            accept: readAccepted(section, endpoints),
            nonce: section["nonce"]?.choice(Settings.NonceRule.self) ?? .server,
            maximumAge: section["max_age"]?.duration(in: .seconds(1) ... .seconds(86_400)) ?? .seconds(600),
            clockSkew: section["clock_skew"]?.duration(in: .zero ... .seconds(300)) ?? .seconds(60),
            // Spent tokens are remembered for so long.
            maximumLifetime: section["max_lifetime"]?.duration(in: .seconds(60) ... .seconds(7 * 86_400))
                ?? .seconds(86_400),
            reauthentication: section["reauthentication"]?.choice(Settings.Reauthentication.self) ?? .authTime,
            profile: section["profile"]?.choice(Settings.ProfileRule.self) ?? .always,
            maximumCalls: section["max_calls"]?.integer(in: Settings.callLimits) ?? Settings.defaultCallLimit,
            emailTrust: section["trust_email"]?.choice(Settings.EmailTrust.self) ?? .claim,
            endpoints: endpoints,
            timeout: section["timeout"]?.duration(in: Settings.providerTimeouts) ?? .seconds(10))
        return clientID == nil ? nil : provider
    }
}

extension Settings {
    /// How long a call to a provider may take.
    static let providerTimeouts: ClosedRange<Duration> = .milliseconds(100) ... .seconds(60)
    static let callLimits = 1...4096
    static let defaultCallLimit = 256
}

extension Settings.OpenIDConnectProvider {
    static func readSecret(
        _ section: Section, _ authentication: Settings.TokenEndpointAuthentication, _ pkce: Settings.PKCE?
    ) -> SecretValue? {
        guard authentication == .none else {
            return section.required("client_secret", "write env:NAME or file:/path, or token_endpoint_auth: none")?
                .secret()
        }
        if section["client_secret"] != nil {
            section.refuse("client_secret", "is never sent with token_endpoint_auth: none: leave out one of both")
        }
        // RFC 9700 §2.1.1: public clients MUST use PKCE.
        if pkce == .off || pkce == nil && section.path == "providers.\(yahoo)" {
            section.refuse("pkce", "a client without a secret must use PKCE: write S256")
        }
        return nil
    }

    static func readFurtherAudiences(_ section: Section, _ clientID: String?) -> [String] {
        section["client_ids"]?.list { entry -> String? in
            guard let id = entry.identifier() else { return nil }
            guard id != clientID else { return entry.refusing("is client_id itself: name further ones alone") }
            return id
        } ?? []
    }

    static func readScopes(_ section: Section) -> [String]? {
        guard let entry = section["scopes"], let scopes = entry.scopes() else { return nil }
        // OpenID Connect Core §3.1.2.1: without it the behaviour is entirely unspecified.
        guard scopes.contains("openid") else { return entry.refusing("must hold openid: no ID token comes without it") }
        return scopes
    }

    static func readAccepted(_ section: Section, _ endpoints: Endpoints) -> [Settings.CredentialType] {
        guard let entry = section["accept"] else { return [.authorizationCode, .idToken] }
        let accepted =
            entry.credentialTypes(except: [.oauth1Token], because: "is a credential of twitter.com alone") ?? []
        if accepted.contains(.accessToken), endpoints.introspection == nil {
            entry.refuse("holds access_token, whose audience nothing proves without endpoints.introspection")
        }
        return accepted
    }

    static func refuseMissingEndpoints(_ section: Section, _ written: Section, _ endpoints: Endpoints) {
        let needed = [
            ("issuer", endpoints.issuers?.first), ("authorization", endpoints.authorization),
            ("token", endpoints.token), ("jwks", endpoints.jwks),
        ]
        guard section["endpoints"] != nil else {
            return section.refuse("issuer", "is missing: write the provider's issuer, or its endpoints")
        }
        for (name, value) in needed where value == nil && written[name] == nil {
            written.refuse(name, "is missing: write it, or issuer beside endpoints")
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
