/// How we know that a credential was issued to this deployment.
///
/// There is no case for "not proven".
package enum AudienceProof: String, Sendable, Equatable, CaseIterable {
    /// We redeemed the code with our own client credentials; for OpenID Connect the ID token names us as well.
    case authorizationCode = "authorization_code"
    /// The ID token's `aud` is a client id of ours.
    case idTokenAudience = "id_token_aud"
    /// The provider accepted the token credentials under our consumer signature.
    case consumerSignature = "consumer_signature"
    /// The provider's introspection endpoint named our client id.
    case introspection = "introspection"
}
