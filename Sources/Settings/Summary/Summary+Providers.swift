extension Summary {
    mutating func add(_ provider: Settings.OpenIDConnectProvider) {
        let path = "providers.\(provider.id)"
        add("\(path).name", provider.name)
        add("\(path).issuer", provider.issuer)
        add("\(path).client_id", provider.clientID)
        add("\(path).client_secret", provider.clientSecret.map(\.source.elided))
        add("\(path).token_endpoint_auth", provider.tokenEndpointAuthentication.rawValue)
        add("\(path).client_ids", provider.clientIDs.inList)
        add("\(path).scopes", provider.scopes?.inList ?? "the provider's")
        add("\(path).allowed_scopes", provider.allowedScopes.inList)
        add("\(path).allowed_parameters", provider.allowedParameters?.inList ?? "the provider's")
        add("\(path).pkce", provider.pkce?.rawValue ?? "the provider's")
        add("\(path).accept", provider.accept.map(\.rawValue).inList)
        add("\(path).nonce", provider.nonce.rawValue)
        add("\(path).max_age", DurationText.write(provider.maximumAge))
        add("\(path).clock_skew", DurationText.write(provider.clockSkew))
        add("\(path).trust_email", provider.emailTrust.rawValue)
        add("\(path).endpoints.issuer", provider.endpoints.issuers?.inList)
        add("\(path).endpoints.authorization", provider.endpoints.authorization)
        add("\(path).endpoints.token", provider.endpoints.token)
        add("\(path).endpoints.userinfo", provider.endpoints.userinfo)
        add("\(path).endpoints.jwks", provider.endpoints.jwks)
        add("\(path).endpoints.introspection", provider.endpoints.introspection)
        add("\(path).endpoints.revocation", provider.endpoints.revocation)
        add("\(path).timeout", DurationText.write(provider.timeout))
    }

    mutating func add(_ twitter: Settings.Twitter) {
        let path = "providers.\(Settings.Twitter.id)"
        add("\(path).flow", twitter.flow.rawValue)
        add("\(path).oauth1.consumer_key", twitter.oauth1?.consumerKey)
        add("\(path).oauth1.consumer_secret", twitter.oauth1.map { $0.consumerSecret.source.elided })
        add("\(path).oauth1.request_email", twitter.oauth1.map { String($0.requestEmail) })
        add("\(path).oauth2.client_id", twitter.oauth2?.clientID)
        add("\(path).oauth2.client_secret", twitter.oauth2.map { $0.clientSecret.source.elided })
        add("\(path).oauth2.scopes", twitter.oauth2.map { $0.scopes?.inList ?? "the provider's" })
        add("\(path).allowed_parameters", twitter.allowedParameters?.inList ?? "the provider's")
        add("\(path).accept", twitter.accept.map(\.rawValue).inList)
        add("\(path).trust_email", twitter.emailTrust.rawValue)
        add("\(path).endpoints.api", twitter.endpoints.api)
        add("\(path).endpoints.authorize", twitter.endpoints.authorize)
        add("\(path).endpoints.oauth1_authenticate", twitter.endpoints.oauth1Authenticate)
        add("\(path).timeout", DurationText.write(twitter.timeout))
    }
}
