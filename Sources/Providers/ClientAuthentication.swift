package import OAuth

/// How we say at the token endpoint who we are (OpenID Connect Core §9).
package enum ClientAuthentication: Sendable {
    case clientSecretBasic(Secret)
    case clientSecretPost(Secret)
    case none
}
