/// An endpoint of a provider, as messages name it.
package enum ProviderEndpoint: Sendable, Equatable {
    case token
    case introspection
    /// The endpoint that discloses a profile to the holder of an access token.
    case user
    case emails
    /// The endpoint that revokes tokens (RFC 7009).
    case revocation

    /// What operators call it.
    var name: String {
        switch self {
        case .token: "token endpoint"
        case .introspection: "introspection endpoint"
        case .user: "user endpoint"
        case .emails: "list of addresses"
        case .revocation: "revocation endpoint"
        }
    }

    /// What it did, by the status of its answer.
    func refusal(_ status: Int) -> String {
        switch status {
        case 404, 410:
            "nothing was found at the URL of its \(name) (status \(status))"
        case 200: "its \(name) answers with an error in place of a profile (status 200)"
        case _ where ProviderFailure.redirects.contains(status):
            "its \(name) redirects to another address (status \(status))"
        case 405 where self != .introspection: "its \(name) does not accept the method of the call (status 405)"
        default: "its \(name) refuses the request (status \(status))"
        }
    }

    /// What to do if an endpoint refuses certain people; an empty text for one that does not know them.
    var admission: String {
        self == .user
            ? " If it concerns certain people only, the registration may be in a test or development mode that admits only "
                + "listed people: add them, or publish it." : ""
    }

    /// What to do if an endpoint demands another request; an empty text if nothing is known about it.
    var demand: String {
        self == .user
            ? " With protocol: oauth2 this server sends the token in Authorization: Bearer, with GET, or with POST if endpoints "
                + "has userinfo_body. If the documentation demands POST, write that key; for a further field, userinfo_header. If "
                + "it demands the token in the URL, the provider needs a server in between that speaks OpenID Connect."
            : ""
    }

    /// The key of the configuration with its URL.
    var key: String {
        switch self {
        case .token: "endpoints.token (endpoints.api at twitter.com)"
        case .introspection: "endpoints.introspection (introspection.url with OAuth 2.0)"
        case .user: "endpoints.userinfo (endpoints.api at twitter.com)"
        case .emails: "emails.url"
        case .revocation: "endpoints.revocation (endpoints.api at twitter.com)"
        }
    }
}
