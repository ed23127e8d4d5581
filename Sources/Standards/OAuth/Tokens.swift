/// Authorizes calls to the provider for a person.
///
/// It does not tell for which client it was issued (RFC 6749 §1.4).
package struct AccessToken: Sendable {
    package let secret: Secret

    package init(_ text: String) {
        secret = Secret(text)
    }
}

/// Obtains further access tokens (RFC 6749 §1.5).
///
/// We pass it on where the configuration says so, and keep it never.
package struct RefreshToken: Sendable {
    package let secret: Secret

    package init(_ text: String) {
        secret = Secret(text)
    }
}

/// The text of an ID token that is not verified yet (OpenID Connect Core §2).
package struct UnverifiedIDToken: Sendable {
    package let secret: Secret

    package init(_ text: String) {
        secret = Secret(text)
    }
}
