enum StandIn: String, Sendable {
    case yahoo, x

    var title: String {
        switch self {
        case .yahoo: "Yahoo"
        case .x: "X"
        }
    }
}

/// An endpoint of a stand-in; the raw value is how the control listener names it.
enum Endpoint: String, CaseIterable, Sendable {
    case yahooDiscovery = "yahoo.discovery"
    case yahooAuthorize = "yahoo.authorize"
    case yahooDecision = "yahoo.decision"
    case yahooToken = "yahoo.token"
    case yahooUserinfo = "yahoo.userinfo"
    case yahooCerts = "yahoo.certs"
    case yahooIntrospect = "yahoo.introspect"
    case yahooRevoke = "yahoo.revoke"

    case xRequestToken = "x.request_token"
    case xAuthenticate = "x.authenticate"
    case xAuthenticateDecision = "x.authenticate_decision"
    case xAuthorize = "x.authorize"
    case xAuthorizeDecision = "x.authorize_decision"
    case xAccessToken = "x.access_token"
    case xVerifyCredentials = "x.verify_credentials"
    case xInvalidateToken = "x.invalidate_token"
    case xOAuth2Authorize = "x.oauth2_authorize"
    case xOAuth2Decision = "x.oauth2_decision"
    case xOAuth2Token = "x.oauth2_token"
    case xOAuth2Revoke = "x.oauth2_revoke"
    case xUsersMe = "x.users_me"

    /// Nil where the stand-in has nothing at that path.
    init?(path: String, of standIn: StandIn) {
        guard let endpoint = Self.allCases.first(where: { $0.path == path && $0.standIn == standIn }) else {
            return nil
        }
        self = endpoint
    }

    var standIn: StandIn { rawValue.hasPrefix("yahoo.") ? .yahoo : .x }

    var path: String {
        switch self {
        case .yahooDiscovery: "/.well-known/openid-configuration"
        case .yahooAuthorize: "/oauth2/request_auth"
        case .yahooDecision: "/oauth2/request_auth/decision"
        case .yahooToken: "/oauth2/get_token"
        case .yahooUserinfo: "/openid/v1/userinfo"
        case .yahooCerts: "/openid/v1/certs"
        case .yahooIntrospect: "/oauth2/introspect"
        case .yahooRevoke: "/oauth2/revoke"
        case .xRequestToken: "/oauth/request_token"
        case .xAuthenticate: "/oauth/authenticate"
        case .xAuthenticateDecision: "/oauth/authenticate/decision"
        case .xAuthorize: "/oauth/authorize"
        case .xAuthorizeDecision: "/oauth/authorize/decision"
        case .xAccessToken: "/oauth/access_token"
        case .xVerifyCredentials: "/1.1/account/verify_credentials.json"
        case .xInvalidateToken: "/1.1/oauth/invalidate_token.json"
        case .xOAuth2Authorize: "/i/oauth2/authorize"
        case .xOAuth2Decision: "/i/oauth2/authorize/decision"
        case .xOAuth2Token: "/2/oauth2/token"
        case .xOAuth2Revoke: "/2/oauth2/revoke"
        case .xUsersMe: "/2/users/me"
        }
    }

    var methods: [String] {
        switch self {
        case .yahooDiscovery, .yahooCerts, .xAuthenticate, .xAuthorize, .xVerifyCredentials, .xOAuth2Authorize,
            .xUsersMe:
            ["GET"]
        case .yahooAuthorize, .yahooUserinfo: ["GET", "POST"]
        case .yahooDecision, .yahooToken, .yahooIntrospect, .yahooRevoke, .xRequestToken, .xAuthenticateDecision,
            .xAuthorizeDecision, .xAccessToken, .xInvalidateToken, .xOAuth2Decision, .xOAuth2Token, .xOAuth2Revoke:
            ["POST"]
        }
    }
}
