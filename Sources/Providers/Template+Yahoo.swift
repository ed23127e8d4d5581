internal import JOSE
package import Standards

extension OpenIDConnectTemplate {
    /// Yahoo, as its discovery document and developer pages described it in 2026.
    ///
    /// ID tokens are signed with ES256. Yahoo also publishes RSA keys of 1024 bits, which are refused. PKCE is off,
    /// because reports conflict, and Yahoo was seen to refuse a confidential client that used it. Nonce and state bind
    /// the flow in any case. Of the values of `prompt`, the pages name `consent` and `login`.
    ///
    /// - SeeAlso: <https://api.login.yahoo.com/.well-known/openid-configuration>,
    ///   <https://developer.yahoo.com/oauth2/guide/openid_connect/getting_started.html>
    package static let yahoo = OpenIDConnectTemplate(
        name: "Yahoo",
        endpoints: OpenIDConnectEndpoints(
            issuers: ["https://api.login.yahoo.com"],
            authorization: "https://api.login.yahoo.com/oauth2/request_auth",
            token: "https://api.login.yahoo.com/oauth2/get_token",
            userInfo: "https://api.login.yahoo.com/openid/v1/userinfo",
            jwks: "https://api.login.yahoo.com/openid/v1/certs",
            introspection: nil,
            revocation: "https://api.login.yahoo.com/oauth2/revoke",
            sendsIssuer: false),
        algorithms: [.es256, .rs256],
        scopes: ["openid", "profile", "email"],
        pkce: .off,
        allowedParameters: ["prompt", "language", "max_age", "login_hint"],
        supportsPromptNone: false,
        events: .none)

    /// The template for every other OpenID Provider: the configuration contains the issuer, discovery the endpoints.
    package static let generic = OpenIDConnectTemplate(
        endpoints: nil,
        algorithms: Set(Algorithm.allCases),
        scopes: ["openid", "profile", "email"],
        pkce: .s256,
        allowedParameters: ["prompt", "max_age", "login_hint", "ui_locales", "display", "acr_values"],
        supportsPromptNone: true)
}

extension OpenIDConnectTemplate {
    /// The OpenID Providers whose data this program contains, by their ids.
    package static let named = [ProviderID("yahoo.com"): yahoo]

    /// The ids of those that register no other redirect URIs than `https`.
    package static let registeringOnlyHTTPS: Set = [ProviderID("yahoo.com")]
}
