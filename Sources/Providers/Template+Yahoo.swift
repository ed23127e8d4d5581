internal import JOSE

extension OpenIDConnectTemplate {
    /// Yahoo, as its discovery document and developer pages described it in 2026.
    ///
    /// ID tokens are signed with ES256; the RSA keys that it publishes have 1024 bits and are not loaded. PKCE is off:
    /// reports conflict, and a confidential client was seen refused for it; nonce and state bind the flow either way.
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
        allowedParameters: ["prompt", "language", "max_age", "login_hint"])

    /// Any OpenID Provider: the configuration names the issuer, discovery the rest.
    package static let generic = OpenIDConnectTemplate(
        endpoints: nil,
        algorithms: [.rs256, .es256],
        scopes: ["openid", "profile", "email"],
        pkce: .s256,
        allowedParameters: ["prompt", "max_age", "login_hint", "ui_locales", "display", "acr_values"])
}

extension OpenIDConnectTemplate {
    /// The providers whose data this program carries, by their ids.
    package static let named = ["yahoo.com": yahoo]
}
