/// The protocols that a person can sign in by.
///
/// Code switches on these, never on a provider.
package enum SignInProtocol: Sendable {
    case openIDConnect(OpenIDConnect)
    case oauth2(OAuth2)
    case oauth1(OAuth1)
}
