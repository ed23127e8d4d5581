/// The credentials of this server at an OAuth 1.0a server (RFC 5849 §1.1); X calls them consumer key and secret.
package struct ClientCredentials: Sendable {
    package let identifier: String
    package let sharedSecret: Secret

    package init(identifier: String, sharedSecret: Secret) {
        self.identifier = identifier
        self.sharedSecret = sharedSecret
    }
}

/// The credentials of an authorization request (RFC 5849 §2.1); X calls them a request token.
package struct TemporaryCredentials: Sendable {
    package let identifier: Secret
    package let sharedSecret: Secret

    package init(identifier: Secret, sharedSecret: Secret) {
        self.identifier = identifier
        self.sharedSecret = sharedSecret
    }
}

/// The credentials that represent a person's authorization (RFC 5849 §2.3); X calls them an access token.
///
/// They are valid only together with the client credentials that they were issued to.
package struct TokenCredentials: Sendable {
    package let identifier: Secret
    package let sharedSecret: Secret

    package init(identifier: Secret, sharedSecret: Secret) {
        self.identifier = identifier
        self.sharedSecret = sharedSecret
    }
}
