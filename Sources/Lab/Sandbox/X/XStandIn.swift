import Jansson

/// Stands in for `api.x.com` and `x.com`: OAuth 1.0a, OAuth 2.0, and the two calls that say who somebody is.
///
/// Known departures: plain `http` callbacks are taken on loopback, a request token lives ten minutes, a refused OAuth 2.0
/// consent answers as RFC 6749 says, and a foreign token is code 89, since none of these is documented. Rate limits are
/// not counted.
actor XStandIn {
    /// The origin that signatures are made over; empty until the listener is bound.
    private(set) var origin = ""
    let clock: SandboxClock
    /// By the application's name.
    private(set) var applications: [String: XRegistration] = [:]

    var requestTokens: [String: XRequestToken] = [:]
    var oauth1Tokens: [String: XOAuth1Token] = [:]
    /// When a nonce was used, by consumer, token, timestamp and nonce.
    var nonces: [[String]: Int64] = [:]
    /// Users who allowed a consumer before, by consumer key.
    var approvals: [String: Set<String>] = [:]

    var codes: [String: XCode] = [:]
    var accessTokens: [String: XAccessToken] = [:]
    var refreshTokens: [String: XGrant] = [:]

    init(clock: SandboxClock) {
        self.clock = clock
        for application in SandboxApplication.all { applications[application.name] = application.x }
    }

    func open(at origin: String) {
        self.origin = origin
    }

    func answer(_ request: IncomingRequest, at endpoint: Endpoint) -> Answer {
        guard endpoint.methods.contains(request.method) else {
            return Answer(405, header: [("Allow", endpoint.methods.joined(separator: ", "))])
        }
        do throws(Refusal) {
            switch endpoint {
            case .xRequestToken: return try requestToken(request)
            case .xAuthenticate: return try showOAuth1Consent(request, bouncing: true)
            case .xAuthorize: return try showOAuth1Consent(request, bouncing: false)
            case .xAuthenticateDecision, .xAuthorizeDecision: return try decideOAuth1(request)
            case .xAccessToken: return try accessToken(request)
            case .xVerifyCredentials: return try verifyCredentials(request)
            case .xInvalidateToken: return try invalidateToken(request)
            case .xOAuth2Authorize: return try showOAuth2Consent(request)
            case .xOAuth2Decision: return try decideOAuth2(request)
            case .xOAuth2Token: return try oauth2Token(request)
            case .xOAuth2Revoke: return try revokeOAuth2(request)
            case .xUsersMe: return try usersMe(request)
            default: return .text("Nothing is here.", status: 404)
            }
        } catch {
            return error.answer
        }
    }

    /// The shape of version 1.1 and of OAuth 1.0a.
    static func error(_ status: Int, code: Int64, _ message: String) -> Refusal {
        Refusal(
            .json(
                .object(["errors": .array([.object(["code": .integer(code), "message": .string(message)])])]),
                status: status))
    }

    static func page(_ text: String) -> Refusal {
        Refusal(Page.message("Something went wrong", text, status: 400))
    }

    /// How people know the application.
    func title(of registration: XRegistration?) -> String {
        SandboxApplication.all.first { $0.x.clientID == registration?.clientID }?.title ?? ""
    }

    // MARK: - Orders of the control listener

    /// As changed since the start; nil for a name that is not registered.
    func registration(of name: String) -> XRegistration? { applications[name] }

    /// Of ours, beside those that are registered.
    func add(redirectURIs: [String]) {
        applications[SandboxApplication.ours.name]?.callbacks += redirectURIs
    }

    func change(_ change: ApplicationChange.X) {
        guard let callbacks = change.redirectURIs else { return }
        applications[change.application]?.callbacks = callbacks
    }
}

/// A request token of OAuth 1.0a, on its way to become an access token.
struct XRequestToken: Sendable {
    let secret: String
    let consumerKey: String
    let callback: String
    let expiresAt: Int64
    /// Set when a person allowed it.
    var approval: (user: SandboxUser, verifier: String)?
}

/// An access token of OAuth 1.0a, which does not expire.
struct XOAuth1Token: Sendable {
    let secret: String
    let consumerKey: String
    let user: SandboxUser
}

/// What a person allowed an application under OAuth 2.0.
struct XGrant: Sendable {
    let clientID: String
    let user: SandboxUser
    let scopes: [String]
}

struct XCode: Sendable {
    let grant: XGrant
    let redirectURI: String
    let codeChallenge: XCodeChallenge
    let expiresAt: Int64
}

struct XAccessToken: Sendable {
    let grant: XGrant
    let expiresAt: Int64
}
