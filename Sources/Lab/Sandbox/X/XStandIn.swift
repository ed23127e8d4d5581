import Jansson

/// The stand-in for `api.x.com` and `x.com`: OAuth 1.0a, OAuth 2.0, and the two endpoints that return the user.
///
/// Known differences: `http` callbacks are accepted on loopback. X does not document the following, so these are
/// assumptions: a request token expires after ten minutes, a refused OAuth 2.0 consent follows RFC 6749, and a token of
/// another consumer is error 89. There are no rate limits.
actor XStandIn {
    /// The origin that signatures cover; empty until the listener is bound.
    private(set) var origin = ""
    let clock: SandboxClock
    let expected: ExpectedUser
    /// The registrations by name of the application.
    private(set) var applications: [String: XRegistration] = [:]

    var requestTokens: [String: XRequestToken] = [:]
    var oauth1Tokens: [String: XOAuth1Token] = [:]
    /// The time at which a nonce was used, by consumer, token, timestamp and nonce.
    var nonces: [[String]: Int64] = [:]
    /// The users who have consented, by consumer key.
    var approvals: [String: Set<String>] = [:]

    var codes: [String: XCode] = [:]
    var accessTokens: [String: XAccessToken] = [:]
    var refreshTokens: [String: XGrant] = [:]

    init(clock: SandboxClock, expected: ExpectedUser) {
        self.clock = clock
        self.expected = expected
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
            default: return .text("Not found.", status: 404)
            }
        } catch {
            return error.answer
        }
    }

    /// An error in the form of version 1.1 and of OAuth 1.0a.
    static func error(_ status: Int, code: Int64, _ message: String) -> Refusal {
        Refusal(
            .json(
                .object(["errors": .array([.object(["code": .integer(code), "message": .string(message)])])]),
                status: status))
    }

    static func page(_ text: String) -> Refusal {
        Refusal(Page.message("Something went wrong", text, status: 400))
    }

    /// The name of the application that users see.
    func title(of registration: XRegistration?) -> String {
        SandboxApplication.all.first { $0.x.clientID == registration?.clientID }?.title ?? ""
    }

    // MARK: - Commands of the control listener

    /// The current registration; `nil` for an unknown name.
    func registration(of name: String) -> XRegistration? { applications[name] }

    /// Adds redirect URIs to the registration of ``SandboxApplication/ours``.
    func add(redirectURIs: [String]) {
        applications[SandboxApplication.ours.name]?.callbacks += redirectURIs
    }

    /// Forgets which applications the user has allowed, so that the next sign-in shows the consent page.
    func forgetConsents(of user: SandboxUser) {
        approvals = approvals.mapValues { $0.subtracting([user.key]) }
    }

    func change(_ change: ApplicationChange.X) {
        guard let callbacks = change.redirectURIs else { return }
        applications[change.application]?.callbacks = callbacks
    }
}

/// A request token of OAuth 1.0a.
struct XRequestToken: Sendable {
    let secret: String
    let consumerKey: String
    let callback: String
    let expiresAt: Int64
    /// The user and the verifier; `nil` until the user has consented.
    var approval: (user: SandboxUser, verifier: String)?
}

/// An access token of OAuth 1.0a.
///
/// It does not expire.
struct XOAuth1Token: Sendable {
    let secret: String
    let consumerKey: String
    let user: SandboxUser
}

/// A user's consent for an application with OAuth 2.0.
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
