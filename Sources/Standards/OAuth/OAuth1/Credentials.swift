/// Us, towards an OAuth 1.0a server: X calls the two halves consumer key and consumer secret (RFC 5849 §1.1).
package struct ClientCredentials: Sendable {
    package let identifier: String
    package let sharedSecret: Secret

    package init(identifier: String, sharedSecret: Secret) {
        self.identifier = identifier
        self.sharedSecret = sharedSecret
    }
}

/// Stands for an authorization that is still being asked for; X calls it a request token (RFC 5849 §2.1).
package struct TemporaryCredentials: Sendable {
    package let identifier: Secret
    package let sharedSecret: Secret

    package init(identifier: Secret, sharedSecret: Secret) {
        self.identifier = identifier
        self.sharedSecret = sharedSecret
    }
}

/// Speaks for a person, together with the client credentials it was issued to (RFC 5849 §2.3).
package struct TokenCredentials: Sendable {
    package let identifier: Secret
    package let sharedSecret: Secret

    package init(identifier: Secret, sharedSecret: Secret) {
        self.identifier = identifier
        self.sharedSecret = sharedSecret
    }
}
