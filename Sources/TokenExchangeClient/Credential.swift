/// A credential of a provider that the application has.
///
/// The server accepts a credential once, and only if it was issued to the server's deployment.
public struct Credential: Sendable {
    /// The members of the JSON object.
    private let members: Hidden<[String: String]>

    private init(_ type: String, _ members: [String: String?]) {
        self.members = Hidden(members.compactMapValues(\.self).merging(["type": type]) { $1 })
    }

    var json: JSONValue { .object(members.value.mapValues(JSONValue.string)) }

    /// An authorization code, which the server redeems.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of the authorization request.
    ///   - codeVerifier: The PKCE verifier (RFC 7636 §4.1).
    ///   - nonce: The nonce that was sent to a provider with OpenID Connect.
    public static func authorizationCode(
        _ code: String, redirectURI: String, codeVerifier: String? = nil, nonce: String? = nil
    ) -> Credential {
        Credential(
            "authorization_code",
            ["code": code, "redirect_uri": redirectURI, "code_verifier": codeVerifier, "nonce": nonce])
    }

    /// An ID token.
    ///
    /// - Parameters:
    ///   - nonce: The ``Nonce/verifier`` of ``TokenExchangeClient/nonce(for:)``, unless the provider is configured
    ///     otherwise.
    ///   - accessToken: The access token of the same response, with which the server reads the profile.
    public static func idToken(_ idToken: String, nonce: String, accessToken: String? = nil) -> Credential {
        Credential("id_token", ["id_token": idToken, "nonce": nonce, "access_token": accessToken])
    }

    /// An access token, for providers whose tokens the server can introspect (RFC 7662).
    ///
    /// - Parameters:
    ///   - accessToken: The access token. Those of Yahoo and X are refused.
    ///   - nonce: The ``Nonce/verifier`` of ``TokenExchangeClient/nonce(for:)``.
    public static func accessToken(_ accessToken: String, nonce: String) -> Credential {
        Credential("access_token", ["access_token": accessToken, "nonce": nonce])
    }

    /// The token and its secret of OAuth 1.0a at X.
    ///
    /// - Parameter nonce: The ``Nonce/verifier`` of ``TokenExchangeClient/nonce(for:)``.
    public static func oauth1Token(_ token: String, secret: String, nonce: String) -> Credential {
        Credential("oauth1_token", ["oauth_token": token, "oauth_token_secret": secret, "nonce": nonce])
    }
}

/// A verified identity that the server keeps for a few minutes after a conflict, or until a second factor is proven.
///
/// It is valid once.
public struct PendingCredential: Sendable, Hashable {
    private let hidden: Hidden<String>

    /// The handle, with which the credential can be stored.
    public var handle: String { hidden.value }

    /// Restores a pending credential from its handle.
    public init(handle: String) { hidden = Hidden(handle) }
}

/// A nonce for an ID token that the application obtains itself.
public struct Nonce: Sendable {
    /// The value for the authorization request at the provider.
    public let value: String
    private let hidden: Hidden<String>

    /// The value for the ``Credential``, from which only this application can have made ``value``.
    public var verifier: String { hidden.value }

    init(_ answer: NonceAnswer) {
        value = answer.nonce
        hidden = Hidden(answer.nonceVerifier)
    }
}
