/// What an application may submit to prove an identity, by its name on the wire.
package enum CredentialType: String, Sendable, Hashable, CaseIterable {
    case authorizationCode = "authorization_code"
    case idToken = "id_token"
    case oauth1Token = "oauth1_token"
    case accessToken = "access_token"
    case callback
    case pending
}
