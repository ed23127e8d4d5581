import Jansson
import OpenSSL

/// The stand-in for `api.login.yahoo.com`: OpenID Connect as Yahoo implements it.
///
/// Known differences: the issuer is the origin of the listener, `http` redirect URIs are accepted on loopback, and a
/// code expires after ten minutes, since Yahoo does not document the lifetime.
actor YahooStandIn {
    /// The origin and the issuer; empty until the listener is bound.
    private(set) var origin = ""
    let clock: SandboxClock
    let expected: ExpectedUser
    var keys: YahooKeySet
    /// The registrations by client id.
    private(set) var applications: [String: YahooRegistration] = [:]
    var codes: [String: YahooCode] = [:]
    var accessTokens: [String: YahooAccessToken] = [:]
    var refreshTokens: [String: YahooRefreshToken] = [:]
    private var defect: IDTokenDefect?

    init(clock: SandboxClock, expected: ExpectedUser) throws(OpenSSLError) {
        self.clock = clock
        self.expected = expected
        keys = try YahooKeySet()
        for application in SandboxApplication.all { applications[application.yahoo.clientID] = application.yahoo }
    }

    func open(at origin: String) {
        self.origin = origin
    }

    func answer(_ request: IncomingRequest, at endpoint: Endpoint) -> Answer {
        guard endpoint.methods.contains(request.method) else {
            // Yahoo's response to a GET request at an endpoint that accepts only POST.
            return Refusal(400, "ERROR_HANDLING_REQUEST", "The method is not supported here.").answer
        }
        do throws(Refusal) {
            switch endpoint {
            case .yahooDiscovery: return .document(discovery)
            case .yahooCerts: return .document(try keySet())
            case .yahooAuthorize: return try showConsent(request)
            case .yahooDecision: return try decide(request)
            case .yahooToken: return try token(request)
            case .yahooUserinfo: return try userinfo(request)
            case .yahooIntrospect: return try introspect(request)
            case .yahooRevoke: return try revoke(request)
            default: return .text("Not found.", status: 404)
            }
        } catch {
            return error.answer
        }
    }

    // MARK: - Commands of the control listener

    func setDefect(_ defect: IDTokenDefect?) {
        self.defect = defect
    }

    /// Returns the defect for the next ID token, and counts it down.
    func takeDefect() -> IDTokenDefect? {
        let taken = defect
        if let remaining = taken?.remaining {
            defect?.remaining = remaining - 1
            if remaining <= 1 { defect = nil }
        }
        return taken
    }

    /// Creates a new key and returns its id.
    func rotate(keepingOld: Bool) throws(ControlError) -> String {
        do {
            try keys.rotate(keepingOld: keepingOld)
        } catch {
            throw .refused("No key could be made.")
        }
        return keys.currentID
    }

    /// The current registration; `nil` for an unknown name.
    func registration(of name: String) -> YahooRegistration? {
        SandboxApplication.all.first { $0.name == name }.flatMap { applications[$0.yahoo.clientID] }
    }

    /// Adds redirect URIs to the registration of ``SandboxApplication/ours``.
    func add(redirectURIs: [String]) {
        applications[SandboxApplication.ours.yahoo.clientID]?.redirectURIs += redirectURIs
    }

    func change(_ change: ApplicationChange.Yahoo) {
        guard var registration = registration(of: change.application) else { return }
        registration.redirectURIs = change.redirectURIs ?? registration.redirectURIs
        registration.permissions = change.permissions ?? registration.permissions
        registration.pkce = change.pkce ?? registration.pkce
        applications[registration.clientID] = registration
    }
}

/// A user's consent for an application at Yahoo.
struct YahooGrant: Sendable {
    /// The application's client id.
    let clientID: String
    let user: SandboxUser
    let scopes: [String]
    let nonce: String?
    /// The time of the sign-in; `nil` unless the request had `max_age`.
    let authTime: Int64?
}

/// An authorization code that was not redeemed yet.
struct YahooCode: Sendable {
    let grant: YahooGrant
    let redirectURI: String
    let codeChallenge: String?
    let expiresAt: Int64
}

struct YahooAccessToken: Sendable {
    let grant: YahooGrant
    let issuedAt: Int64
    let expiresAt: Int64
    /// The refresh token that was issued with it.
    ///
    /// Revoking one revokes the other.
    let refreshToken: String
}

struct YahooRefreshToken: Sendable {
    let grant: YahooGrant
    let redirectURI: String
    var uses = 0
}
