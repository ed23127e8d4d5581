/// The types of credential that prove an identity; the raw values are the names on the wire.
///
/// Two more types are no case, because a provider cannot accept or refuse them: `second_factor`, which continues a
/// sign-in at `/v1/exchange`, and `handoff`, the code of a browser flow at `/v1/account/*`.
package enum CredentialType: String, Sendable, Hashable, CaseIterable {
    case authorizationCode = "authorization_code"
    case idToken = "id_token"
    case oauth1Token = "oauth1_token"
    case accessToken = "access_token"
    case callback
    case pending
}

/// The grant types of `POST /token`; the raw values are the names on the wire.
package enum GrantType: String, Sendable, Hashable, CaseIterable {
    /// The authorization code grant (RFC 6749 §4.1.3); the code is a handoff code.
    case authorizationCode = "authorization_code"
    /// The token exchange grant (RFC 8693 §2.1).
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// The device grant (RFC 8628 §3.4).
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
}

/// How it was proven that the provider issued a credential to this deployment.
///
/// There is no case for a missing proof.
package enum AudienceProof: String, Sendable, Equatable, CaseIterable {
    /// This server redeemed the code with its own client credentials.
    ///
    /// With OpenID Connect, the ID token names the server's client id as well.
    case authorizationCode = "authorization_code"
    /// The ID token's `aud` is a client id of this deployment.
    case idTokenAudience = "id_token_aud"
    /// The provider accepted the token credentials in a request that this server signed with its consumer secret.
    case consumerSignature = "consumer_signature"
    /// The provider's introspection endpoint returned a client id of this deployment.
    case introspection = "introspection"
}
