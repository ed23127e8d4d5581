/// The protocols that a person can sign in by.
///
/// Code switches on these, never on a provider.
package enum SignInProtocol: Sendable {
    case openIDConnect(OpenIDConnect)
    case oauth2(OAuth2)
    case oauth1(OAuth1)

    /// Nil if the protocol, at this provider, has no way to ask for a login of now.
    package var freshLogin: FreshLogin? {
        switch self {
        case .openIDConnect(let openIDConnect): openIDConnect.freshLogin
        case .oauth2(let oauth2): oauth2.freshLogin
        case .oauth1(let oauth1): oauth1.freshLogin
        }
    }
}
