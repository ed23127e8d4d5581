internal import JOSE
package import Standards

/// What this program knows about a provider, as data; the configuration adds the registration of a deployment.
///
/// X is not among them: it has two protocols, and ``TwitterTemplate``.
package enum ProviderTemplate: Sendable {
    case openIDConnect(OpenIDConnectRegistration)
    case oauth2(OAuth2Registration)

    /// The templates by the ids of their providers, which are Firebase's if Firebase supports the provider.
    package static let named: [ProviderID: ProviderTemplate] = [
        "apple.com": .openIDConnect(.apple),
        "discord": .oauth2(.discord),
        "facebook.com": .oauth2(.facebook),
        "github.com": .oauth2(.github),
        "google.com": .openIDConnect(.google),
        "kakao": .openIDConnect(.kakao),
        "line": .oauth2(.line),
        "linkedin": .oauth2(.linkedin),
        "microsoft.com": .openIDConnect(.microsoft),
        "naver": .oauth2(.naver),
        "slack": .openIDConnect(.slack),
        "spotify": .oauth2(.spotify),
        "twitch": .openIDConnect(.twitch),
        "yahoo.com": .openIDConnect(.yahoo),
    ].reduce(into: [:]) { $0[ProviderID($1.key)] = $1.value }

    /// Returns the provider that a template signs in at without ID tokens, and whose pages are on the host of an issuer.
    package static func withoutOpenIDConnect(atHostOf issuer: String?) -> ProviderID? {
        guard let wanted = issuer.flatMap(host) else { return nil }
        return named.first { _, template in
            if case .oauth2(let registration) = template {
                host(registration.oauth2.authorizationEndpoint)?.exactlyEquals(wanted) == true
            } else {
                false
            }
        }?.key
    }

    /// Returns the provider whose template has an issuer.
    package static func withOpenIDConnect(issuer: String) -> ProviderID? {
        named.first { _, template in
            if case .openIDConnect(let registration) = template {
                registration.issuer?.exactlyEquals(issuer) == true
            } else {
                false
            }
        }?.key
    }

    /// The parameters with a client id by which an address of keys has those of one application, by the hosts of issuers.
    ///
    /// - SeeAlso: <https://learn.microsoft.com/entra/identity-platform/access-tokens>
    private static let applicationKeys = [
        "login.microsoftonline.com": "appid", "sts.windows.net": "appid", "login.microsoftonline.us": "appid",
        "login.partner.microsoftonline.cn": "appid",
    ]

    /// Returns the parameter with a client id by which an address of keys has those of one application.
    ///
    /// It is `nil` for an issuer at whose host no application has signing keys of its own.
    package static func applicationKeysParameter(atHostOf issuer: String) -> String? {
        host(issuer).flatMap { applicationKeys[$0.lowercased()] }
    }

    private static func host(_ url: String) -> Substring? { url.split(separator: "/").dropFirst().first }

    package var name: String? {
        switch self {
        case .openIDConnect(let registration): registration.name
        case .oauth2(let registration): registration.name
        }
    }

    /// The page of the provider on which an application is registered.
    package var console: String? {
        switch self {
        case .openIDConnect(let registration): registration.console
        case .oauth2(let registration): registration.console
        }
    }

    /// The hosts of loopback that the provider registers with `http`; `nil` for all.
    package var loopbackHosts: [String]? {
        switch self {
        case .openIDConnect(let registration): registration.loopbackHosts
        case .oauth2(let registration): registration.loopbackHosts
        }
    }

    /// The URL of the provider at which a sign-in begins, or where discovery finds it.
    package var entrance: String? {
        switch self {
        case .openIDConnect(let registration): registration.entrance
        case .oauth2(let registration): registration.oauth2.authorizationEndpoint
        }
    }
}

extension OpenIDConnectRegistration {
    /// The authorization endpoint, or the issuer whose metadata names it.
    package var entrance: String? { endpoints.authorization ?? issuer }
}
