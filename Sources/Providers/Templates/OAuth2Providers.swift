internal import Jansson

/// Facts of each provider's documentation in 2026. None was confirmed at the live provider; see the guide.
extension OAuth2Registration {
    /// GitHub.
    ///
    /// The user endpoint returns a public address about which nothing is known; the list of addresses says which one is
    /// primary and verified. GitHub answers a wrong code with status 200.
    ///
    /// - SeeAlso: <https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps>,
    ///   <https://docs.github.com/rest/apps/oauth-applications>
    package static let github = {
        var github = OAuth2Registration()
        github.name = "GitHub"
        github.console = "https://github.com/settings/developers"
        github.tokenEndpointAuthentication = .clientSecretPost
        github.oauth2.authorizationEndpoint = "https://github.com/login/oauth/authorize"
        github.oauth2.tokenEndpoint = "https://github.com/login/oauth/access_token"
        github.oauth2.user.url = "https://api.github.com/user"
        github.oauth2.emails = EmailEndpoint(url: "https://api.github.com/user/emails")
        github.oauth2.scopes = ["user:email"]
        github.oauth2.user.mapping.subject = "/id"
        github.oauth2.user.mapping.name = "/name"
        github.oauth2.user.mapping.picture = "/avatar_url"
        github.oauth2.user.mapping.screenName = "/login"
        github.oauth2.introspection = TokenIntrospection(
            url: "https://api.github.com/applications/{client_id}/token", placement: .json, tokenName: "access_token",
            authentication: .basic, application: "/app/client_id", subject: "/user/id")
        github.allowedParameters = ["login", "prompt", "allow_signup"]
        return github
    }()

    /// Facebook.
    ///
    /// Facebook does not say whether an address is verified. The ids of people belong to the application: they are those of
    /// Firebase only if Firebase uses the same application.
    ///
    /// - SeeAlso: <https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow>,
    ///   <https://developers.facebook.com/docs/graph-api/reference/debug_token>
    package static let facebook = {
        var facebook = OAuth2Registration()
        facebook.name = "Facebook"
        facebook.console = "https://developers.facebook.com/apps/"
        facebook.tokenEndpointAuthentication = .clientSecretPost
        facebook.oauth2.authorizationEndpoint = "https://www.facebook.com/v25.0/dialog/oauth"
        facebook.oauth2.tokenEndpoint = "https://graph.facebook.com/v25.0/oauth/access_token"
        facebook.oauth2.user.url =
            "https://graph.facebook.com/v25.0/me?fields=id,name,first_name,last_name,email,picture.width(256).height(256)"
        facebook.oauth2.scopes = ["public_profile", "email"]
        facebook.oauth2.user.mapping.subject = "/id"
        facebook.oauth2.user.mapping.name = "/name"
        facebook.oauth2.user.mapping.givenName = "/first_name"
        facebook.oauth2.user.mapping.familyName = "/last_name"
        facebook.oauth2.user.mapping.email = "/email"
        facebook.oauth2.user.mapping.picture = "/picture/data/url"
        facebook.oauth2.introspection = TokenIntrospection(
            url: "https://graph.facebook.com/v25.0/debug_token", placement: .query, tokenName: "input_token",
            authentication: .appToken, application: "/data/app_id", subject: "/data/user_id", active: "/data/is_valid")
        // The codes of Graph's error object: a wrong secret, a wrong application, a redirect URI that is not registered.
        facebook.oauth2.errorCodes = ErrorCodes(
            refusals: [1: .credentials, 101: .credentials, 191: .callbackNotApproved], grantCodes: [100])
        facebook.allowedParameters = ["auth_type", "display"]
        facebook.emailTrust = .never
        // Whether Facebook compares the code verifier is not documented.
        facebook.acceptedCredentials = []
        facebook.loopbackHosts = []
        return facebook
    }()

    /// LINE, without its ID tokens: LINE signs those of web applications with the secret of the channel (HS256), which this
    /// program never accepts.
    ///
    /// The user endpoint returns no address.
    ///
    /// - SeeAlso: <https://developers.line.biz/en/reference/line-login/>
    package static let line = {
        var line = OAuth2Registration()
        line.name = "LINE"
        line.console = "https://developers.line.biz/console/"
        line.tokenEndpointAuthentication = .clientSecretPost
        line.oauth2.authorizationEndpoint = "https://access.line.me/oauth2/v2.1/authorize"
        line.oauth2.tokenEndpoint = "https://api.line.me/oauth2/v2.1/token"
        line.oauth2.user.url = "https://api.line.me/oauth2/v2.1/userinfo"
        line.oauth2.scopes = ["openid", "profile"]
        line.oauth2.user.mapping.subject = "/sub"
        line.oauth2.user.mapping.name = "/name"
        line.oauth2.user.mapping.picture = "/picture"
        line.oauth2.introspection = TokenIntrospection(
            url: "https://api.line.me/oauth2/v2.1/verify", placement: .query, tokenName: "access_token",
            authentication: .none, application: "/client_id")
        line.allowedParameters = ["prompt", "ui_locales", "bot_prompt", "disable_auto_login"]
        return line
    }()

    /// LinkedIn, without its ID tokens, because they do not repeat the nonce.
    ///
    /// It refuses PKCE of a web application, so that only the state binds a flow.
    ///
    /// - SeeAlso: <https://learn.microsoft.com/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2>,
    ///   <https://learn.microsoft.com/linkedin/shared/authentication/token-introspection>
    package static let linkedin = {
        var linkedin = OAuth2Registration()
        linkedin.name = "LinkedIn"
        linkedin.console = "https://www.linkedin.com/developers/apps"
        linkedin.tokenEndpointAuthentication = .clientSecretPost
        linkedin.oauth2.authorizationEndpoint = "https://www.linkedin.com/oauth/v2/authorization"
        linkedin.oauth2.tokenEndpoint = "https://www.linkedin.com/oauth/v2/accessToken"
        linkedin.oauth2.user.url = "https://api.linkedin.com/v2/userinfo"
        linkedin.oauth2.scopes = ["openid", "profile", "email"]
        linkedin.oauth2.pkce = .off
        linkedin.acceptedCredentials = []
        linkedin.oauth2.user.mapping = .openIDConnect
        linkedin.oauth2.introspection = TokenIntrospection(
            url: "https://www.linkedin.com/oauth/v2/introspectToken", placement: .form, tokenName: "token",
            authentication: .client, application: "/client_id", active: "/active", expiry: "/expires_at")
        return linkedin
    }()

    /// Discord.
    ///
    /// - SeeAlso: <https://docs.discord.com/developers/topics/oauth2>,
    ///   <https://docs.discord.com/developers/resources/user>
    package static let discord = {
        var discord = OAuth2Registration()
        discord.name = "Discord"
        discord.console = "https://discord.com/developers/applications"
        discord.oauth2.issuer = "https://discord.com"
        discord.oauth2.authorizationEndpoint = "https://discord.com/oauth2/authorize"
        discord.oauth2.tokenEndpoint = "https://discord.com/api/v10/oauth2/token"
        discord.oauth2.revocationEndpoint = "https://discord.com/api/v10/oauth2/token/revoke"
        discord.oauth2.user.url = "https://discord.com/api/v10/users/@me"
        discord.oauth2.scopes = ["identify", "email"]
        discord.oauth2.user.mapping.subject = "/id"
        discord.oauth2.user.mapping.name = "/global_name"
        discord.oauth2.user.mapping.email = "/email"
        discord.oauth2.user.mapping.emailVerified = "/verified"
        discord.oauth2.user.mapping.picture = "/avatar"
        discord.oauth2.user.mapping.pictureURL = "https://cdn.discordapp.com/avatars/{sub}/{picture}.png"
        discord.oauth2.user.mapping.locale = "/locale"
        discord.oauth2.user.mapping.screenName = "/username"
        discord.oauth2.introspection = TokenIntrospection(
            url: "https://discord.com/api/v10/oauth2/@me", placement: .authorization, tokenName: "Bearer",
            authentication: .none, application: "/application/id", subject: "/user/id")
        discord.allowedParameters = ["prompt"]
        return discord
    }()

    /// Spotify.
    ///
    /// Spotify says of `id` that it can change, and of the address that it is not verified.
    ///
    /// - SeeAlso: <https://developer.spotify.com/documentation/web-api/tutorials/code-flow>,
    ///   <https://developer.spotify.com/documentation/web-api/reference/get-current-users-profile>
    package static let spotify = {
        var spotify = OAuth2Registration()
        spotify.name = "Spotify"
        spotify.console = "https://developer.spotify.com/dashboard"
        spotify.loopbackHosts = ["127.0.0.1", "[::1]"]
        spotify.oauth2.authorizationEndpoint = "https://accounts.spotify.com/authorize"
        spotify.oauth2.tokenEndpoint = "https://accounts.spotify.com/api/token"
        spotify.oauth2.user.url = "https://api.spotify.com/v1/me"
        spotify.oauth2.scopes = ["user-read-email"]
        spotify.oauth2.user.mapping.subject = "/account_id"
        spotify.oauth2.user.mapping.name = "/display_name"
        spotify.oauth2.user.mapping.email = "/email"
        spotify.oauth2.user.mapping.picture = "/images/0/url"
        spotify.allowedParameters = ["show_dialog"]
        spotify.emailTrust = .never
        return spotify
    }()

    /// Naver.
    ///
    /// Naver says nothing about whether an address is verified, and its documentation of OpenID Connect does not say whether
    /// its ID tokens repeat the nonce.
    ///
    /// - SeeAlso: <https://developers.naver.com/docs/login/api/api.md>,
    ///   <https://developers.naver.com/docs/login/profile/profile.md>
    package static let naver = {
        var naver = OAuth2Registration()
        naver.name = "Naver"
        naver.console = "https://developers.naver.com/apps/"
        naver.tokenEndpointAuthentication = .clientSecretPost
        naver.oauth2.authorizationEndpoint = "https://nid.naver.com/oauth2.0/authorize"
        naver.oauth2.tokenEndpoint = "https://nid.naver.com/oauth2.0/token"
        naver.oauth2.revocationEndpoint = "https://nid.naver.com/oauth2.0/revoke"
        naver.oauth2.user.url = "https://openapi.naver.com/v1/nid/me"
        naver.oauth2.pkce = .off
        naver.acceptedCredentials = []
        naver.oauth2.user.mapping.person = "/response"
        naver.oauth2.user.mapping.subject = "/response/id"
        naver.oauth2.user.mapping.name = "/response/name"
        naver.oauth2.user.mapping.email = "/response/email"
        naver.oauth2.user.mapping.picture = "/response/profile_image"
        naver.oauth2.user.mapping.screenName = "/response/nickname"
        naver.emailTrust = .never
        return naver
    }()
}
