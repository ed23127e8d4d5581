import Jansson

extension SandboxUser {
    /// Everything that the stand-ins know.
    var json: JSON {
        .object([
            "user": .string(key), "name": .string(name), "given_name": .init(givenName),
            "family_name": .init(familyName), "email": .init(email), "email_verified": .bool(isEmailVerified),
            "locale": .init(locale), "birthdate": .init(birthdate), "yahoo_sub": .string(yahooSubject),
            "x_id": .string(xID), "screen_name": .string(screenName),
        ])
    }
}

extension YahooRegistration {
    var json: JSON {
        .object([
            "client_id": .string(clientID), "client_secret": .string(clientSecret),
            "redirect_uris": .array(redirectURIs.map { .string($0) }),
            "permissions": .array(permissions.map { .string($0) }), "pkce": .string(pkce.rawValue),
        ])
    }
}

extension XRegistration {
    var json: JSON {
        .object([
            "consumer_key": .string(consumerKey), "consumer_secret": .string(consumerSecret),
            "client_id": .string(clientID), "client_secret": .init(clientSecret),
            "redirect_uris": .array(callbacks.map { .string($0) }),
        ])
    }
}

extension JSON {
    /// A string, or null.
    init(_ string: String?) {
        self = string.map { .string($0) } ?? .null
    }
}
