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
