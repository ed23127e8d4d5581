internal import AttackLab
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// What stands at which path; a path counts as it is written.
enum Endpoint: String, CaseIterable, Sendable {
    case exchange = "/v1/exchange"
    case nonce = "/v1/nonce"
    case token = "/token"
    case metadata = "/.well-known/oauth-authorization-server"
    case health = "/healthz"
    case authorize = "/authorize"
    /// With the provider's id behind it.
    case callback = "/callback/"
    case debug = "/debug/config"

    init?(path: String, environment: BackendEnvironment) {
        if path.hasPrefix(Self.callback.rawValue) {
            self = .callback
        } else if let endpoint = Self(rawValue: path), endpoint != .debug || environment.makes(.debugPage) {
            self = endpoint
        } else {
            return nil
        }
    }

    /// Pages and redirects instead of JSON.
    var isForPeople: Bool { self == .authorize || self == .callback }

    /// In the log, where no text from outside belongs.
    var label: String { self == .callback ? "/callback" : rawValue }

    func methods(_ environment: BackendEnvironment) -> [String] {
        switch self {
        case .exchange, .nonce, .token: ["POST"]
        case .metadata, .health, .debug: ["GET"]
        case .authorize: ["GET", "POST"]
        // Browsers and mail scanners send HEAD ahead of the person.
        case .callback: environment.makes(.headConsumes) ? ["GET", "HEAD"] : ["GET"]
        }
    }
}

/// Web pages of other origins: those of the clients, spelt alike, without credentials (RFC 9700 section 2.6).
enum CORS {
    static func isPreflight(_ incoming: IncomingRequest) -> Bool {
        incoming.request.method == .options && incoming.origin != nil
            && incoming.request.headers[.accessControlRequestMethod] != nil
    }

    /// Which client is asking, a preflight does not say: an origin of any is enough.
    static func preflight(_ incoming: IncomingRequest, _ endpoint: Endpoint) -> Response {
        var response = Response(status: .noContent)
        if granted(incoming) != nil {
            response.headers[.accessControlAllowMethods] = endpoint.methods(incoming.environment).joined(
                separator: ", ")
            response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type"
            response.headers[.accessControlMaxAge] = "600"
        }
        return response
    }

    static func grant(_ incoming: IncomingRequest, _ endpoint: Endpoint?, reason: String?, to response: inout Response)
    {
        guard endpoint?.isForPeople != true, reason != "origin_not_allowed", let origin = granted(incoming)
        else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = "X-Request-Id, Retry-After"
        response.headers[.vary] = "Origin"
    }

    private static func granted(_ incoming: IncomingRequest) -> String? {
        guard let origin = incoming.origin else { return nil }
        if incoming.environment.makes(.anyOrigin) { return origin }
        return Client.all.contains { $0.origins.contains { same($0, origin) } } ? origin : nil
    }
}
