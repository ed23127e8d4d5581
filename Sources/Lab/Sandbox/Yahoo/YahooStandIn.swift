import Jansson
import OpenSSL

/// Stands in for `api.login.yahoo.com`: OpenID Connect as Yahoo speaks it.
///
/// Known departures: the issuer is the listener's origin, plain `http` redirect URIs are taken on loopback, and a code
/// lives ten minutes, since how long Yahoo's live is not documented.
actor YahooStandIn {
    /// The origin, which is also the issuer; empty until the listener is bound.
    private(set) var origin = ""
    let clock: SandboxClock
    var keys: YahooKeySet
    /// By client id.
    private(set) var applications: [String: YahooRegistration] = [:]
    var codes: [String: YahooCode] = [:]
    var accessTokens: [String: YahooAccessToken] = [:]
    var refreshTokens: [String: YahooRefreshToken] = [:]
    private var defect: IDTokenDefect?

    init(clock: SandboxClock) throws(OpenSSLError) {
        self.clock = clock
        keys = try YahooKeySet()
        for application in SandboxApplication.all { applications[application.yahoo.clientID] = application.yahoo }
    }

    func open(at origin: String) {
        self.origin = origin
    }

    func answer(_ request: IncomingRequest, at endpoint: Endpoint) -> Answer {
        guard endpoint.methods.contains(request.method) else {
            // Yahoo says so where a POST-only endpoint is asked by GET.
            return Self.error(400, "ERROR_HANDLING_REQUEST", "The method is not supported here.").answer
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
            default: return .text("Nothing is here.", status: 404)
            }
        } catch {
            return error.answer
        }
    }

    static func error(_ status: Int, _ error: String, _ description: String) -> Refusal {
        Refusal(
            .json(.object(["error": .string(error), "error_description": .string(description)]), status: status))
    }

    // MARK: - Orders of the control listener

    func setDefect(_ defect: IDTokenDefect?) {
        self.defect = defect
    }

    /// The defect of the next ID token, counted down.
    func takeDefect() -> IDTokenDefect? {
        let taken = defect
        if let remaining = taken?.remaining {
            defect?.remaining = remaining - 1
            if remaining <= 1 { defect = nil }
        }
        return taken
    }

    /// The new key's id.
    func rotate(keepingOld: Bool) throws(ControlError) -> String {
        do {
            try keys.rotate(keepingOld: keepingOld)
        } catch {
            throw .refused("No key could be made.")
        }
        return keys.currentID
    }

    /// As changed since the start; nil for a name that is not registered.
    func registration(of name: String) -> YahooRegistration? {
        SandboxApplication.all.first { $0.name == name }.flatMap { applications[$0.yahoo.clientID] }
    }

    /// Of ours, beside those that are registered.
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

/// What a person allowed an application at Yahoo.
struct YahooGrant: Sendable {
    /// The application's client id.
    let clientID: String
    let user: SandboxUser
    let scopes: [String]
    let nonce: String?
    /// When the person signed in; nil unless `max_age` was asked for.
    let authTime: Int64?
}

/// A code that waits to be redeemed, once.
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
    /// The refresh token that came with it; revoking one revokes the other.
    let refreshToken: String
}

struct YahooRefreshToken: Sendable {
    let grant: YahooGrant
    let redirectURI: String
    var uses = 0
}
