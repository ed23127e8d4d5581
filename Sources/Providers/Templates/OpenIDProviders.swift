internal import JOSE
internal import Jansson

/// Facts of each provider's documentation in 2026. None was confirmed at the live provider; see the guide.
extension OpenIDConnectRegistration {
    /// Yahoo.
    ///
    /// ID tokens are signed with ES256. Yahoo also publishes RSA keys of 1024 bits, which are refused. PKCE is off,
    /// because reports conflict, and Yahoo was seen to refuse a confidential client that used it. Nonce and state bind
    /// the flow in any case. Of the values of `prompt`, the pages name `consent` and `login`.
    ///
    /// - SeeAlso: <https://api.login.yahoo.com/.well-known/openid-configuration>,
    ///   <https://developer.yahoo.com/oauth2/guide/openid_connect/getting_started.html>
    package static let yahoo = {
        var yahoo = OpenIDConnectRegistration()
        yahoo.name = "Yahoo"
        yahoo.console = "https://developer.yahoo.com/apps/"
        yahoo.endpoints.issuers = ["https://api.login.yahoo.com"]
        yahoo.endpoints.authorization = "https://api.login.yahoo.com/oauth2/request_auth"
        yahoo.endpoints.token = "https://api.login.yahoo.com/oauth2/get_token"
        yahoo.endpoints.userInfo = "https://api.login.yahoo.com/openid/v1/userinfo"
        yahoo.endpoints.jwks = "https://api.login.yahoo.com/openid/v1/certs"
        yahoo.endpoints.revocation = "https://api.login.yahoo.com/oauth2/revoke"
        yahoo.algorithms = [.es256, .rs256]
        yahoo.pkce = .off
        yahoo.allowedParameters = ["prompt", "language", "max_age", "login_hint"]
        yahoo.supportsPromptNone = false
        yahoo.loopbackHosts = []
        yahoo.sentEvents = .none
        return yahoo
    }()

    /// Google.
    ///
    /// Google issues tokens with either spelling of its issuer. It documents neither `prompt=login` nor `max_age`: only a
    /// registration that was extended by the security bundle has `auth_time`.
    ///
    /// - SeeAlso: <https://accounts.google.com/.well-known/openid-configuration>,
    ///   <https://developers.google.com/identity/openid-connect/openid-connect>
    package static let google = {
        var google = OpenIDConnectRegistration()
        google.name = "Google"
        google.console = "https://console.cloud.google.com/auth/clients"
        google.endpoints.issuers = ["https://accounts.google.com", "accounts.google.com"]
        google.endpoints.authorization = "https://accounts.google.com/o/oauth2/v2/auth"
        google.endpoints.token = "https://oauth2.googleapis.com/token"
        google.endpoints.userInfo = "https://openidconnect.googleapis.com/v1/userinfo"
        google.endpoints.jwks = "https://www.googleapis.com/oauth2/v3/certs"
        google.endpoints.revocation = "https://oauth2.googleapis.com/revoke"
        google.algorithms = [.rs256]
        google.allowedParameters = ["prompt", "login_hint", "hd", "access_type", "include_granted_scopes", "hl"]
        google.reauthentication = nil
        google.sentEvents = .google
        return google
    }()

    /// Apple.
    ///
    /// There is no userinfo endpoint: the ID token has the address, and the browser brings the name once, in the parameter
    /// `user` of the first sign-in. Apple writes `email_verified` as a text. The endpoints are not discovered, because
    /// Apple's document named another issuer than its tokens for some days in 2025.
    ///
    /// - SeeAlso: <https://appleid.apple.com/.well-known/openid-configuration>,
    ///   <https://developer.apple.com/documentation/signinwithapplerestapi>
    package static let apple = {
        var apple = OpenIDConnectRegistration()
        apple.name = "Apple"
        apple.console = "https://developer.apple.com/account/resources/identifiers/list/serviceId"
        apple.endpoints.issuers = ["https://appleid.apple.com"]
        apple.endpoints.authorization = "https://appleid.apple.com/auth/authorize"
        apple.endpoints.token = "https://appleid.apple.com/auth/token"
        apple.endpoints.jwks = "https://appleid.apple.com/auth/keys"
        apple.endpoints.revocation = "https://appleid.apple.com/auth/revoke"
        apple.tokenEndpointAuthentication = .clientSecretPost
        apple.algorithms = [.rs256]
        apple.scopes = ["openid", "email", "name"]
        apple.allowedParameters = []
        apple.supportsPromptNone = false
        apple.loopbackHosts = []
        // Apple refuses every other mode if a scope is requested.
        apple.responseMode = .formPost
        apple.emailTrust = .claimText
        apple.reauthentication = nil
        apple.example = ["client_secret: {apple: {key: file:/…/AuthKey.p8, key_id: …, team_id: …}}"]
        apple.callbackName = CallbackName(givenName: "/name/firstName", familyName: "/name/lastName")
        apple.sentEvents = .apple
        return apple
    }()

    /// Microsoft, for work, school and personal accounts.
    ///
    /// A person is identified by tenant and object id, as Microsoft advises. An administrator of a tenant can write any address
    /// into its accounts. Userinfo returns nothing but `sub` for personal accounts, so that it is not called.
    ///
    /// - SeeAlso: <https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration>,
    ///   <https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference>
    package static let microsoft = {
        var microsoft = OpenIDConnectRegistration()
        microsoft.name = "Microsoft"
        microsoft.console = "https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps"
        microsoft.loopbackHosts = ["localhost"]
        microsoft.issuer = "https://login.microsoftonline.com/common/v2.0"
        microsoft.tokenEndpointAuthentication = .clientSecretPost
        microsoft.algorithms = [.rs256]
        microsoft.allowedParameters = ["prompt", "max_age", "login_hint", "domain_hint", "ui_locales"]
        microsoft.example = ["tenants: any # or a list of the accepted tenants"]
        microsoft.emailTrust = .never
        microsoft.subjectClaims = ["tid", "oid"]
        microsoft.firebaseSubjectClaims = ["oid"]
        microsoft.sentEvents = .none
        return microsoft
    }()

    /// Kakao.
    ///
    /// OpenID Connect has to be switched on for an application in Kakao's console. Its ID tokens never say whether the address
    /// is verified.
    ///
    /// - SeeAlso: <https://kauth.kakao.com/.well-known/openid-configuration>,
    ///   <https://developers.kakao.com/docs/latest/en/kakaologin/rest-api>
    package static let kakao = {
        var kakao = OpenIDConnectRegistration()
        kakao.name = "Kakao"
        kakao.console = "https://developers.kakao.com/console/app"
        kakao.endpoints.issuers = ["https://kauth.kakao.com"]
        kakao.endpoints.authorization = "https://kauth.kakao.com/oauth/authorize"
        kakao.endpoints.token = "https://kauth.kakao.com/oauth/token"
        kakao.endpoints.userInfo = "https://kapi.kakao.com/v1/oidc/userinfo"
        kakao.endpoints.jwks = "https://kauth.kakao.com/.well-known/jwks.json"
        kakao.tokenEndpointAuthentication = .clientSecretPost
        kakao.algorithms = [.rs256]
        kakao.scopes = ["openid", "profile_nickname", "profile_image", "account_email"]
        kakao.allowedParameters = ["prompt", "login_hint"]
        kakao.supportsPromptNone = false
        kakao.emailTrust = .never
        kakao.mapping.name = "/nickname"
        kakao.sentEvents = .none
        return kakao
    }()

    /// Slack.
    ///
    /// Slack answers every request with status 200. It fails if a confidential client uses PKCE. The ids of people belong to a
    /// workspace, whose administrator also decides about their addresses.
    ///
    /// - SeeAlso: <https://slack.com/.well-known/openid-configuration>,
    ///   <https://docs.slack.dev/authentication/sign-in-with-slack>
    package static let slack = {
        var slack = OpenIDConnectRegistration()
        slack.name = "Slack"
        slack.console = "https://api.slack.com/apps"
        slack.issuer = "https://slack.com"
        slack.tokenEndpointAuthentication = .clientSecretPost
        slack.algorithms = [.rs256]
        slack.pkce = .off
        slack.allowedParameters = ["team"]
        slack.supportsPromptNone = false
        slack.loopbackHosts = []
        slack.emailTrust = .never
        slack.reauthentication = nil
        slack.subjectClaims = ["https://slack.com/team_id", "sub"]
        slack.sentEvents = .none
        return slack
    }()

    /// Twitch.
    ///
    /// It does not support PKCE, and returns the address only if the parameter `claims` asks for it. The errors of its token
    /// endpoint have no member `error`.
    ///
    /// - SeeAlso: <https://id.twitch.tv/oauth2/.well-known/openid-configuration>,
    ///   <https://dev.twitch.tv/docs/authentication/getting-tokens-oidc/>
    package static let twitch = {
        var twitch = OpenIDConnectRegistration()
        twitch.name = "Twitch"
        twitch.console = "https://dev.twitch.tv/console/apps"
        twitch.issuer = "https://id.twitch.tv/oauth2"
        twitch.tokenEndpointAuthentication = .clientSecretPost
        twitch.algorithms = [.rs256]
        twitch.scopes = ["openid", "user:read:email"]
        let claims = #"{"email":null,"email_verified":null,"picture":null,"preferred_username":null}"#
        twitch.authorizationParameters = ["claims": #"{"id_token":\#(claims),"userinfo":\#(claims)}"#]
        twitch.pkce = .off
        twitch.allowedParameters = ["force_verify"]
        twitch.supportsPromptNone = false
        twitch.reauthentication = nil
        twitch.mapping.name = "/preferred_username"
        twitch.introspection = TokenIntrospection(
            url: "https://id.twitch.tv/oauth2/validate", placement: .authorization, tokenName: "OAuth",
            authentication: .none, application: "/client_id", subject: "/user_id")
        twitch.errorCodes = ErrorCodes(clientMessages: ["invalid client", "invalid client secret"])
        twitch.sentEvents = .none
        return twitch
    }()
}
